import { afterEach, expect, it } from 'vitest';
import { RawClient } from '../adapters/broker/raw-client.ts';
import { Program } from './program.ts';

const ROOT = 'plant1/rollformer-1';
const READER = { clean: false } as const;
const clients: RawClient[] = [];
let program: Program;

afterEach(async () => {
  for (const client of clients.splice(0)) client.drop();
  await program.kill();
  program.cleanUp();
});

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

const RETAINED = [
  ['a machine', 'RF-01', `${ROOT}/vars/lineSpeed`],
  ['a tablet on a topic of a machine', 'tablet', `${ROOT}/vars/lineSpeed`],
  ['a tablet on another topic', 'tablet', 'plant1/shift-plan'],
] as const;

it.each(
  RETAINED.flatMap(([publisher, clientId, topic]) =>
    ([1, 2] as const).map((qos) => ({ publisher, clientId, topic, qos })),
  ),
)(
  'VAR-04, MQTT-10 kill -9 right after the acknowledgement: a retained message with QoS $qos of $publisher is there after the restart',
  async ({ clientId, topic, qos }) => {
    program = await Program.start();
    await publish(clientId, topic, '7.5', qos, true);
    await killAndStart();
    const reader = await client('reader');
    await reader.subscribe([topic, 1]);
    expect(await reader.next('publish')).toMatchObject({ topic, payload: Buffer.from('7.5') });
  },
);

it.each([1, 2] as const)(
  'MQTT-10 kill -9 right after the acknowledgement: a message with QoS %i is delivered to a session that is away',
  async (qos) => {
    program = await Program.start();
    const before = await client('reader', READER);
    await before.subscribe(['news/#', 1]);
    before.end();
    await before.untilClosed();
    await publish('writer', 'news/a', 'fresh', qos, false);
    await killAndStart();
    const reader = await client('reader', READER);
    expect((await reader.next('publish')).payload.toString()).toBe('fresh');
  },
);

it('MQTT-10 kill -9 right after SUBACK: the subscription of a persistent session is there after the restart', async () => {
  program = await Program.start();
  await (await client('reader', READER)).subscribe(['news/#', 1]);
  await killAndStart();
  const reader = await client('reader', READER);
  (await client('writer')).publish('news/a', 'fresh', 1);
  expect((await reader.next('publish')).payload.toString()).toBe('fresh');
});

it.each(['RF-01', 'tablet'])(
  'MQTT-10 kill -9 right after PUBCOMP: the next message of %s under the same packet id is not taken for the one before',
  async (clientId) => {
    program = await Program.start();
    for (const value of ['7.5', '8.5']) {
      const publisher = await client(clientId, { clean: false });
      publisher.publish(`${ROOT}/vars/lineSpeed`, value, 2, true);
      await publisher.next('pubrec');
      publisher.send({ cmd: 'pubrel', messageId: 21 });
      await publisher.next('pubcomp');
      await killAndStart();
    }
    const reader = await client('reader');
    await reader.subscribe([`${ROOT}/vars/lineSpeed`, 1]);
    expect((await reader.next('publish')).payload.toString()).toBe('8.5');
  },
);
