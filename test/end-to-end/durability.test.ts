import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { between, oneOf, type Random, seededRandom } from '../../src/simulator/random.ts';
import { announceSeed, rounds } from '../rounds.ts';
import { type Json, Program, statusOf } from './program.ts';
import { VariablePublisher } from './raw-device.ts';

const ROUNDS = rounds(30);
const ROOT = 'plant1/rollformer-1';
const PLANT_OF_THREE = `
machines:
  - { machineId: RF-01, topicRoot: ${ROOT}, variables: [ lineSpeed, motorTemp, oilTemp ] }
parts: [ { partId: P-100 }, { partId: P-200 }, { partId: P-300 } ]
downtimeReasons: [ { id: DT-01, reason: Coil change }, { id: DT-02, reason: Tooling } ]
apiKeys: [ { principal: shop, key: shop-key-01234567890, role: technician } ]
`;

const seed = announceSeed('durability');
const random = seededRandom(seed);
let program: Program;
const publishers: VariablePublisher[] = [];

afterEach(async () => {
  for (const publisher of publishers.splice(0)) publisher.disconnect();
  await program.end();
});

/** A sender over HTTP that sends each value once and remembers which were answered 200. */
class HttpSender {
  readonly acknowledged: number[] = [];
  #value = 0;

  async run(gateway: Program): Promise<void> {
    while (gateway.lives) {
      const value = ++this.#value;
      const answer = await gateway.device('vars', { machineId: 'RF-01', motorTemp: value }).catch(() => null);
      if (answer?.status === 200) this.acknowledged.push(value);
    }
  }
}

/** The acknowledged acts of a person; later acts without an answer may be done as well. */
class Acts {
  part: string | null = null;
  doubtfulParts: string[] = [];
  readonly reasons = new Map<string, string>();

  async run(gateway: Program, chance: Random): Promise<void> {
    for (let number = 0; gateway.lives; number++) {
      await this.#selectPart(gateway, oneOf('P-100', ['P-200', 'P-300'], chance)).catch(() => undefined);
      await this.#stopAndCategorize(gateway, number, oneOf('DT-01', ['DT-02'], chance)).catch(() => undefined);
    }
  }

  async #selectPart(gateway: Program, partId: string): Promise<void> {
    this.doubtfulParts.push(partId);
    const { status } = await gateway.api('PUT', '/machines/RF-01/part', { partId });
    if (status === 200) this.found(partId);
  }

  found(partId: string | null): void {
    this.part = partId;
    this.doubtfulParts = [];
  }

  async #stopAndCategorize(gateway: Program, number: number, reasonId: string): Promise<void> {
    for (const running of [true, false]) {
      await gateway.device('status', statusOf({ running, mSecSinceBoot: 1_000_000 + number }));
      await pause(100);
    }
    const { body } = await gateway.api('GET', '/machines/RF-01/downtimes?uncategorized=true');
    for (const { downtimeId } of body) {
      const { status } = await gateway.api('PUT', `/downtimes/${downtimeId}/category`, { reasonId });
      if (status === 200) this.reasons.set(downtimeId, reasonId);
    }
  }
}

async function valuesOf(variable: string): Promise<readonly number[]> {
  const day = 24 * 3_600_000;
  const [from, to] = [-day, day].map((offsetMs) => new Date(Date.now() + offsetMs).toISOString());
  const { body } = await program.api('GET', `/machines/RF-01/variables/${variable}?from=${from}&to=${to}`);
  expect(body.truncated).toBe(false);
  return body.points.map(({ value }: Json) => value);
}

function timesStored(values: readonly number[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return times;
}

it(`VAR-04, HTTP-03, MQTT-08 kill -9 at ${ROUNDS} random moments neither loses nor doubles an acknowledged value or operation`, async () => {
  program = await Program.start({ plant: PLANT_OF_THREE });
  const device = new VariablePublisher('RF-01', `${ROOT}/vars/lineSpeed`);
  const historian = new VariablePublisher('historian', `${ROOT}/vars/oilTemp`);
  publishers.push(device, historian);
  const sender = new HttpSender();
  const acts = new Acts();
  for (let round = 0; round < ROUNDS; round++) {
    for (const publisher of publishers) publisher.connect(program.mqttPort);
    const busy = [sender.run(program), acts.run(program, random)];
    await pause(between([50, 900], random));
    await program.kill();
    await Promise.all(busy);
    program = await Program.start({ dir: program.dir });
    const { part } = (await program.api('GET', '/machines/RF-01')).body;
    if (acts.part !== null) expect([acts.part, ...acts.doubtfulParts], `seed ${seed}`).toContain(part?.partId);
    acts.found(part?.partId ?? null);
  }
  for (const publisher of publishers) {
    publisher.stop();
    publisher.connect(program.mqttPort);
  }
  await expect.poll(() => device.waiting + historian.waiting, { timeout: 10_000 }).toBe(0);

  for (const [publisher, variable] of [
    [device, 'lineSpeed'],
    [historian, 'oilTemp'],
  ] as const) {
    const values = await valuesOf(variable);
    const times = timesStored(values);
    const lost = publisher.acknowledged.filter((value) => !times.has(value));
    const doubled = [...times].filter(([, count]) => count > 1);
    expect({ lost, doubled }, `${variable}, seed ${seed}`).toEqual({ lost: [], doubled: [] });
    expect(values.length).toBe(publisher.published);
  }
  const overHttp = timesStored(await valuesOf('motorTemp'));
  expect(sender.acknowledged.filter((value) => overHttp.get(value) !== 1)).toEqual([]);
  const { body: downtimes } = await program.api('GET', '/machines/RF-01/downtimes');
  const stored = new Map(downtimes.map(({ downtimeId, reasonId }: Json) => [downtimeId, reasonId]));
  expect([...acts.reasons].filter(([downtimeId, reasonId]) => stored.get(downtimeId) !== reasonId)).toEqual([]);
  const counts = { overMqtt: device.published + historian.published, overHttp: sender.acknowledged.length };
  console.info({ ...counts, categories: acts.reasons.size });
}, 180_000);
