import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RawClient } from '../adapters/broker/raw-client.ts';
import { PLANT, Program } from './program.ts';

const ROOT = 'plant1/rollformer-1';
const READER = { clean: false } as const;

const RETAINED = [
  ['a machine', 'RF-01', `${ROOT}/vars/made`],
  ['a tablet on a topic of a machine', 'tablet', `${ROOT}/vars/told`],
  ['a tablet on another topic', 'tablet', 'plant1/shift-plan'],
] as const;
const REPEATING = ['RF-01', 'tablet'];
const QOS = [1, 2] as const;
/** The tests share one directory, so each has a topic and sessions of its own: it finds nothing of another test. */
const VARIABLES = [...['made', 'told'].flatMap((name) => QOS.map((qos) => `${name}${qos}`)), ...REPEATING];

const clients: RawClient[] = [];
let program: Program;

beforeAll(async () => {
  program = await Program.start({ plant: PLANT.replace('lineSpeed, motorTemp', VARIABLES.join(', ')) });
});

afterEach(() => {
  for (const client of clients.splice(0)) client.drop();
});

afterAll(() => program.end());

async function client(clientId: string, more: Parameters<typeof RawClient.connected>[2] = {}): Promise<RawClient> {
  const connected = await RawClient.connected(program.mqttPort, clientId, more);
  clients.push(connected);
  return connected;
}

/** Publishes, and waits for the answer that makes the gateway responsible for the message. */
async function publish(clientId: string, topic: string, payload: string, qos: 1 | 2, retain: boolean): Promise<void> {
  const publisher = await client(clientId);
  publisher.publish(topic, payload, qos, retain);
  await publisher.next(qos === 1 ? 'puback' : 'pubrec');
}

async function killAndStart(): Promise<void> {
  await program.kill();
  program = await Program.start({ dir: program.dir });
}

it.each(
  RETAINED.flatMap(([publisher, clientId, topic]) =>
    QOS.map((qos) => ({ publisher, clientId, topic: `${topic}${qos}`, qos })),
  ),
)(
  'VAR-04, MQTT-10 kill -9 right after the acknowledgement: a retained message with QoS $qos of $publisher is there after the restart',
  async ({ clientId, topic, qos }) => {
    await publish(clientId, topic, '7.5', qos, true);
    await killAndStart();
    const reader = await client('reader');
    await reader.subscribe([topic, 1]);
    expect(await reader.next('publish')).toMatchObject({ topic, payload: Buffer.from('7.5') });
  },
);

it.each(QOS)(
  'MQTT-10 kill -9 right after the acknowledgement: a message with QoS %i is delivered to a session that is away',
  async (qos) => {
    const readerId = `reader of QoS ${qos}`;
    const before = await client(readerId, READER);
    await before.subscribe([`news${qos}/#`, 1]);
    before.end();
    await before.untilClosed();
    await publish('writer', `news${qos}/a`, 'fresh', qos, false);
    await killAndStart();
    const reader = await client(readerId, READER);
    expect((await reader.next('publish')).payload.toString()).toBe('fresh');
  },
);

it('MQTT-10 kill -9 right after SUBACK: the subscription of a persistent session is there after the restart', async () => {
  await (await client('reader', READER)).subscribe(['news/#', 1]);
  await killAndStart();
  const reader = await client('reader', READER);
  (await client('writer')).publish('news/a', 'fresh', 1);
  expect((await reader.next('publish')).payload.toString()).toBe('fresh');
});

it.each(REPEATING)(
  'MQTT-10 kill -9 right after PUBCOMP: the next message of %s under the same packet id is not taken for the one before',
  async (clientId) => {
    const topic = `${ROOT}/vars/${clientId}`;
    for (const value of ['7.5', '8.5']) {
      const publisher = await client(clientId, { clean: false });
      publisher.publish(topic, value, 2, true);
      await publisher.next('pubrec');
      publisher.send({ cmd: 'pubrel', messageId: 21 });
      await publisher.next('pubcomp');
      await killAndStart();
    }
    const reader = await client('reader');
    await reader.subscribe([topic, 1]);
    expect((await reader.next('publish')).payload.toString()).toBe('8.5');
  },
);

it('VAR-04 a packet id that is used again for another variable with the same value is not taken for a repetition', async () => {
  const publisher = await client('RF-01');
  for (const [name, duplicate] of [
    ['made1', false],
    ['told1', true],
  ] as const) {
    publisher.publish(`${ROOT}/vars/${name}`, '41.5', 1, false, 9, duplicate);
    await publisher.next('puback');
    const values = async () => {
      const { body } = await program.api('GET', `/machines/RF-01/variables/${name}`);
      return body.points.map(({ value }: { value: number }) => value);
    };
    await expect.poll(values).toContain(41.5);
  }
});
