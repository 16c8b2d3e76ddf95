import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CentralManner, CentralServer } from '../fakes/central-server.ts';
import { type Json, Program } from './program.ts';
import { keyOf, stockCentral, warehousePlant } from './warehouse-plant.ts';

/** Each test takes the next coil and its task. */
const LOTS = Array.from({ length: 16 }, (_, index) => ({ coilId: `C-${index}`, taskId: `T-${index}` }));
const COIL_IDS = LOTS.map(({ coilId }) => coilId);
const SETTLED_WITHIN_MS = 10_000;
/** Longer than an answer takes, or a write without a delay in the store. */
const MOMENT_MS = 200;

const WRITES = {
  complete: { path: '/complete', body: { location: 'RF-01' }, done: ['RF-01', 'Complete'] },
  cancel: { path: '/cancel', body: { location: 'WH-A2' }, done: ['WH-A2', 'Ready'] },
  move: { path: '/location', body: { location: 'WH-A3' }, done: ['WH-A3', 'InTransit'] },
} as const;
type Write = keyof typeof WRITES;
const UNTOUCHED = ['WH-A1', 'InTransit'];

interface Told {
  readonly status: number;
  readonly body: Json;
}

const central = new CentralServer();
const lots = LOTS.values();
let running: Program;
let lot = { coilId: '', taskId: '' };
let calls = 0;

/** Gives null if the connection ended without an answer. */
async function api(method: string, place: string, body?: object): Promise<Told | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${running.httpPort}/api/v1${place}`, {
      method,
      headers: { authorization: `ApiKey ${keyOf(calls++)}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  } catch {
    return null;
  }
}

function placeOf(write: Write): string {
  const { path } = WRITES[write];
  return `${write === 'move' ? `/coils/${lot.coilId}` : `/warehouseTasks/${lot.taskId}`}${path}`;
}

function ask(write: Write): Promise<Told | null> {
  const { body } = WRITES[write];
  return api('POST', placeOf(write), write === 'cancel' ? { coilId: lot.coilId, ...body } : body);
}

/** The location of the coil and the state of its task, here and there. */
async function ledgers(): Promise<readonly unknown[]> {
  const coil = await api('GET', `/coils/${lot.coilId}`);
  const task = await api('GET', `/warehouseTasks/${lot.taskId}`);
  return [coil?.body.location, task?.body.taskState, ...there()];
}

function there(): readonly unknown[] {
  return [central.plant.coils.get(lot.coilId)?.location, central.plant.tasks.get(lot.taskId)?.taskState];
}

function both(ledger: readonly unknown[]): readonly unknown[] {
  return [...ledger, ...ledger];
}

/** The number of executions there: with the interface alone a request that is sent twice may be done twice. */
function timesDone(write: Write): number {
  return central.writes.filter(({ path, isDone }) => path === `/api/v1${placeOf(write)}` && isDone).length;
}

async function restart(): Promise<void> {
  await running.kill();
  running = await Program.start({ dir: running.dir, atHand: true });
}

/** Asks for the write, and kills the gateway the moment the central server gets it. */
async function killWhileAsked(write: Write, manner: CentralManner): Promise<void> {
  central.manner = (method) => {
    if (method !== 'POST') return 'works';
    // The answer comes after this.
    running.process.kill('SIGKILL');
    return manner;
  };
  expect(await ask(write)).toBe(null);
  central.behave();
}

beforeAll(async () => {
  const tasks = LOTS.map(({ coilId, taskId }) => ({
    taskId,
    taskState: 'InTransit' as const,
    selectedCoilId: coilId,
    userName: 'ann',
  }));
  stockCentral(central.plant, tasks, COIL_IDS);
  await central.start();
  const upstream = `{ url: "${central.url}", apiKey: ${central.apiKey}, pollSeconds: 1, timeoutSeconds: 1 }`;
  const settings = `upstream: ${upstream}\nlegacyAgent: { kind: upstream }\n`;
  running = await Program.start({ plant: warehousePlant([], []), settings, atHand: true });
  const mirrored = async (place: string) => (await api('GET', place))?.body.length;
  await vi.waitFor(
    async () =>
      expect([await mirrored('/warehouseTasks'), await mirrored('/coils')]).toEqual([LOTS.length, LOTS.length + 1]),
    SETTLED_WITHIN_MS,
  );
});

afterAll(async () => {
  await running?.kill();
  running?.cleanUp();
  await central.stop();
});

beforeEach(() => {
  central.behave();
  const { value } = lots.next();
  if (value === undefined) throw new Error('more tests than lots');
  lot = value;
});

describe('the gateway dies while it writes through to its central server', () => {
  it('D-16 UP-04 before the intent is on disk: nothing is sent and nothing changes', async () => {
    await running.ask({ kind: 'stallStore', forMs: 60_000 });
    const answer = ask('complete');
    await wait(MOMENT_MS);
    await restart();
    expect(await answer).toBe(null);
    expect(central.writes).toEqual([]);
    expect(await ledgers()).toEqual(both(UNTOUCHED));
    expect((await ask('complete'))?.status).toBe(202);
    expect(await ledgers()).toEqual(both(WRITES.complete.done));
  });

  it.each<readonly [Write, CentralManner, string]>([
    ['complete', 'cuts', 'on the way, and it was never done'],
    ['complete', 'hangs', 'while the server holds it, and never does it'],
    ['complete', 'fails', 'when the server could not do it'],
    ['complete', 'doesThenHangs', 'when the server has done it'],
    ['complete', 'works', 'with the answer on its way'],
    ['cancel', 'hangs', 'while the server holds it, and never does it'],
    ['cancel', 'doesThenHangs', 'when the server has done it'],
    ['move', 'hangs', 'while the server holds it, and never does it'],
    ['move', 'doesThenHangs', 'when the server has done it'],
  ])('D-16 UP-04 (%s, %s) %s: done once, in both systems, after the restart', async (write, manner) => {
    await killWhileAsked(write, manner);
    await restart();
    await expect.poll(ledgers, { timeout: SETTLED_WITHIN_MS }).toEqual(both(WRITES[write].done));
    expect(timesDone(write)).toBe(1);
    // Nothing is unconfirmed any more.
    expect((await ask('move'))?.status).toBe(200);
    expect(await ledgers()).toEqual(both(['WH-A3', WRITES[write].done[1]]));
  });

  it('D-16 UP-04 after the server’s answer, before the outcome is on disk: settled after the restart', async () => {
    central.beforeSaying = () => running.ask({ kind: 'stallStore', forMs: 60_000 });
    const answer = ask('complete');
    await expect.poll(there).toEqual(WRITES.complete.done);
    await wait(MOMENT_MS);
    await restart();
    expect(await answer).toBe(null);
    central.behave();
    await expect.poll(ledgers, { timeout: SETTLED_WITHIN_MS }).toEqual(both(WRITES.complete.done));
    expect(timesDone('complete')).toBe(1);
    expect((await ask('complete'))?.status).toBe(202);
  });

  it('D-16 UP-04 UP-07 and the server is away at the restart: unconfirmed, 503, nothing shown as done; later settled by itself', async () => {
    await killWhileAsked('complete', 'doesThenHangs');
    await central.stop();
    await restart();
    const unconfirmed = { status: 503, body: { errors: ['AgentNotAvailable', expect.stringContaining('is unknown')] } };
    expect(await ask('complete')).toEqual(unconfirmed);
    expect(await ask('move')).toEqual(unconfirmed);
    expect((await ledgers()).slice(0, 2)).toEqual(UNTOUCHED);
    await central.start();
    await expect.poll(ledgers, { timeout: SETTLED_WITHIN_MS }).toEqual(both(WRITES.complete.done));
    expect(timesDone('complete')).toBe(1);
  });
});
