import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/simulator/random.ts';
import { LegacyAgentServer, type Manner } from '../fakes/legacy-agent-server.ts';
import { announceSeed } from '../rounds.ts';
import { type Json, Program } from './program.ts';
import { keyOf, warehousePlant } from './warehouse-plant.ts';

/** Each test takes the next coil and its task. */
const LOTS = Array.from({ length: 12 }, (_, index) => ({ coilId: `C-${index}`, taskId: `T-${index}` }));
const COIL_IDS = LOTS.map(({ coilId }) => coilId);
const PLACES = ['WH-A1', 'WH-A2', 'WH-A3', 'RF-01'];
const TIMEOUT_SECONDS = 0.5;

interface Told {
  readonly status: number;
  readonly body: Json;
}

/** The gateway in a process that can be killed, its legacy agent in this one, and the answers to a client. */
class Plant {
  readonly agent = new LegacyAgentServer(Object.fromEntries(COIL_IDS.map((coilId) => [coilId, 'WH-A1'])));
  program: Program | null = null;
  /** The coil and task of the current test. */
  lot = { coilId: '', taskId: '' };
  #calls = 0;

  async start(): Promise<void> {
    await this.agent.start();
    const tasks = LOTS.map(({ coilId, taskId }) => ({
      taskId,
      taskState: 'InTransit' as const,
      selectedCoilId: coilId,
      userName: 'ann',
    }));
    const settings = `legacyAgent: { kind: http, url: "${this.agent.url}", timeoutSeconds: ${TIMEOUT_SECONDS} }\n`;
    this.program = await Program.start({ plant: warehousePlant(tasks, COIL_IDS), settings, atHand: true });
  }

  get running(): Program {
    if (this.program === null) throw new Error('not started');
    return this.program;
  }

  async restart(): Promise<void> {
    await this.running.kill();
    this.program = await Program.start({ dir: this.running.dir, atHand: true });
  }

  async stop(): Promise<void> {
    await this.program?.kill();
    this.program?.cleanUp();
    await this.agent.stop();
  }

  /** Gives null if the connection ended without an answer. */
  async api(method: string, place: string, body?: object): Promise<Told | null> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.running.httpPort}/api/v1${place}`, {
        method,
        headers: { authorization: `ApiKey ${keyOf(this.#calls++)}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
    } catch {
      return null;
    }
  }

  move(coilId: string, location: string): Promise<Told | null> {
    return this.api('POST', `/coils/${coilId}/location`, { location });
  }

  complete(): Promise<Told | null> {
    return this.api('POST', `/warehouseTasks/${this.lot.taskId}/complete`, { location: 'RF-01' });
  }

  /** The location of the coil here and there, and the state of its task. */
  async ledgers(): Promise<readonly unknown[]> {
    const { coilId, taskId } = this.lot;
    const coil = await this.api('GET', `/coils/${coilId}`);
    const task = await this.api('GET', `/warehouseTasks/${taskId}`);
    return [coil?.body.location, this.agent.locations.get(coilId), task?.body.taskState];
  }
}

const DONE = ['RF-01', 'RF-01', 'Complete'];
const UNTOUCHED = ['WH-A1', 'WH-A1', 'InTransit'];

let plant: Plant;

const lots = LOTS.values();

beforeAll(async () => {
  plant = new Plant();
  await plant.start();
});

afterAll(() => plant.stop());

beforeEach(() => {
  plant.agent.behave();
  const { value } = lots.next();
  if (value === undefined) throw new Error('more tests than lots');
  plant.lot = value;
});

/** Asks for the completion, and kills the gateway the moment the agent gets it. */
async function killWhileAsked(manner: Manner): Promise<void> {
  plant.agent.manner = manner;
  // The agent has not answered yet when it calls this, so its answer finds no gateway any more.
  plant.agent.onWrite = () => {
    plant.agent.onWrite = () => undefined;
    plant.running.process.kill('SIGKILL');
  };
  expect(await plant.complete()).toBe(null);
}

describe('the gateway dies while it writes through to the legacy agent', () => {
  it('D-16 before the intent is on disk: nothing is sent and nothing changes', async () => {
    await plant.running.ask({ kind: 'stallStore', forMs: 60_000 });
    const answer = plant.complete();
    await wait(300);
    await plant.restart();
    expect(await answer).toBe(null);
    expect(plant.agent.asked).toEqual([]);
    expect(await plant.ledgers()).toEqual(UNTOUCHED);
    expect((await plant.complete())?.status).toBe(202);
    expect(await plant.ledgers()).toEqual(DONE);
  });

  it.each<readonly [Manner, string]>([
    ['cuts', 'on the way to the agent, which never did it'],
    ['hangs', 'while the agent holds it, and never does it'],
    ['doesLate', 'while the agent is at it, and does it later'],
    ['doesThenHangs', 'when the agent has done it'],
    ['works', 'with the answer on its way'],
  ])('D-16 TASK-09 (%s) %s: asked after the restart, before the coil’s next write', async (manner) => {
    plant.agent.lateMs = 1_500;
    await killWhileAsked(manner);
    plant.agent.manner = 'works';
    await plant.restart();
    expect((await plant.move(plant.lot.coilId, 'WH-A3'))?.status).toBe(200);
    await wait(manner === 'doesLate' ? plant.agent.lateMs : 0);
    expect(await plant.ledgers()).toEqual(['WH-A3', 'WH-A3', 'Complete']);
    expect(plant.agent.looks).toContain(plant.lot.coilId);
    expect((await plant.complete())?.status).toBe(202);
    expect(await plant.ledgers()).toEqual(['WH-A3', 'WH-A3', 'Complete']);
  });

  it('D-16 after the agent’s answer, before the outcome is on disk: settled after the restart', async () => {
    plant.agent.manner = 'slow';
    plant.agent.slowMs = 200;
    const asked = Promise.withResolvers<void>();
    plant.agent.onWrite = () => asked.resolve();
    const answer = plant.complete();
    await asked.promise;
    await plant.running.ask({ kind: 'stallStore', forMs: 60_000 });
    await expect.poll(() => plant.agent.locations.get(plant.lot.coilId)).toBe('RF-01');
    await wait(200);
    await plant.restart();
    expect(await answer).toBe(null);
    await expect.poll(() => plant.ledgers(), { timeout: 20_000 }).toEqual(DONE);
    expect((await plant.complete())?.status).toBe(202);
  });

  it('D-16 UP-04 and the agent is away at the restart: unconfirmed, 503, nothing shown as done; later settled by itself', async () => {
    await killWhileAsked('doesThenHangs');
    await plant.agent.stop();
    await plant.restart();
    const unconfirmed = { status: 503, body: { errors: ['AgentNotAvailable', expect.stringContaining('is unknown')] } };
    expect(await plant.complete()).toEqual(unconfirmed);
    expect(await plant.move(plant.lot.coilId, 'WH-A3')).toEqual(unconfirmed);
    expect((await plant.ledgers()).slice(2)).toEqual(['InTransit']);
    expect(
      await plant.api('POST', `/warehouseTasks/${LOTS.at(-1)?.taskId}/unattainable`, { unattainableCode: 'UR-1' }),
    ).toMatchObject({
      status: 202,
    });
    plant.agent.manner = 'works';
    await plant.agent.start();
    await expect.poll(() => plant.ledgers(), { timeout: 20_000 }).toEqual(DONE);
  });

  it('D-16 at a normal stop in the middle of a write: the next start settles it', async () => {
    plant.agent.manner = 'hangs';
    const answer = plant.complete();
    await expect.poll(() => plant.agent.asked.length).toBe(1);
    const { dir } = plant.running;
    expect(await plant.running.stop()).toBe(0);
    expect((await answer)?.status ?? 503).toBe(503);
    plant.agent.manner = 'works';
    plant.program = await Program.start({ dir, atHand: true });
    await expect.poll(() => plant.ledgers(), { timeout: 20_000 }).toEqual(DONE);
  });
});

it('UP-04 D-16 a no to the second copy of a write counts for the first one, which the agent holds, as well', async () => {
  const { agent, lot } = plant;
  agent.lateMs = 2 * 1_000 * TIMEOUT_SECONDS;
  agent.next.push('doesLate', 'rejects');
  expect(await plant.move(lot.coilId, 'WH-A3')).toMatchObject({ status: 400 });
  await wait(agent.lateMs);
  expect(agent.asked).toHaveLength(2);
  expect(await plant.ledgers()).toEqual(UNTOUCHED);
});

const MOVED = COIL_IDS.slice(-2);
const KILLS = 4;
const LATE_MS = 700;
const MOVES_PER_LIFE = 40;
/** More than the longest pause before the gateway asks the agent about a write again, which is 30 s. */
const SETTLED_WITHIN_MS = 40_000;
const MANNERS: readonly Manner[] = [
  'works',
  'works',
  'works',
  'slow',
  'rejects',
  'fails',
  'doesThenFails',
  'cuts',
  'doesThenCuts',
  'hangs',
  'doesThenHangs',
  'doesLate',
];

it('UP-04 D-16 COIL-04 after random kills among moves of every outcome both ledgers are equal, and no write of a coil began while another was open', async () => {
  const random = seededRandom(announceSeed('write-through'));
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const { agent } = plant;
  agent.slowMs = 30;
  agent.lateMs = LATE_MS;
  const newest = new Map<string, string>();
  const overtaken: string[] = [];
  agent.onWrite = ({ coilId, operationId }) => {
    agent.next.push(pick(MANNERS));
    // Ids sort by their time: an older one after a newer one was open at the same time.
    if (operationId < (newest.get(coilId) ?? '')) overtaken.push(operationId);
    else newest.set(coilId, operationId);
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const moves = Array.from({ length: MOVES_PER_LIFE }, async () => {
      await wait(random() * 2_000);
      return plant.move(pick(MOVED), pick(PLACES));
    });
    await wait(500 + random() * 2_000);
    await plant.restart();
    await Promise.all(moves);
  }
  agent.behave();
  const here = () =>
    Promise.all(MOVED.map(async (coilId) => (await plant.api('GET', `/coils/${coilId}`))?.body.location));
  const there = () => MOVED.map((coilId) => agent.locations.get(coilId));
  const isSettled = async () => JSON.stringify(await here()) === JSON.stringify(there());
  await wait(LATE_MS);
  await expect.poll(isSettled, { timeout: SETTLED_WITHIN_MS }).toBe(true);
  for (const coilId of MOVED) {
    await expect
      .poll(async () => (await plant.move(coilId, 'WH-A2'))?.status, { timeout: SETTLED_WITHIN_MS })
      .toBe(200);
  }
  expect([await here(), there()]).toEqual([MOVED.map(() => 'WH-A2'), MOVED.map(() => 'WH-A2')]);
  expect(overtaken).toEqual([]);
}, 180_000);
