import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { taskView } from '../../../../src/domain/warehouse/task.ts';
import { coilOf, taskOf } from '../../../domain/warehouse/warehouse-samples.ts';
import { type CentralManner, CentralServer } from '../../../fakes/central-server.ts';
import { WarehouseUnderTest } from './warehouse-under-test.ts';

/** Coils at WH-A1, each with the task that has it in transit; each test takes the next. */
const LOTS = Array.from({ length: 60 }, (_, index) => ({ coilId: `C-${index}`, taskId: `T-${index}` }));
type Lot = (typeof LOTS)[number];

const WRITES = {
  move: { ask: ({ coilId }: Lot) => warehouse.move(coilId, 'WH-A2'), ok: 200, to: 'WH-A2', state: 'InTransit' },
  complete: {
    ask: ({ taskId }: Lot) => warehouse.operate(taskId, 'complete', { location: 'RF-01' }),
    ok: 202,
    to: 'RF-01',
    state: 'Complete',
  },
  cancel: {
    ask: ({ coilId, taskId }: Lot) => warehouse.operate(taskId, 'cancel', { coilId, location: 'WH-A3' }),
    ok: 202,
    to: 'WH-A3',
    state: 'Ready',
  },
} as const;
type WriteName = keyof typeof WRITES;
const NAMES = ['move', 'complete', 'cancel'] as const satisfies readonly WriteName[];

let central: CentralServer;
let warehouse: WarehouseUnderTest;
let lot: Lot;
const lots = LOTS.values();

beforeAll(async () => {
  central = new CentralServer();
  for (const { coilId, taskId } of LOTS) {
    central.plant.coils.set(coilId, { ...coilOf(coilId) });
    central.plant.tasks.set(taskId, {
      ...taskView(taskOf({ taskId, taskState: 'InTransit', selectedCoilId: coilId })),
    });
  }
  await central.start();
  warehouse = await WarehouseUnderTest.start({
    coilIds: LOTS.map(({ coilId }) => coilId),
    tasks: LOTS.map(({ coilId, taskId }) => ({
      taskId,
      taskState: 'InTransit',
      selectedCoilId: coilId,
      userName: 'ann',
    })),
    agentUrl: null,
    upstream: { url: central.url, apiKey: central.apiKey, timeoutSeconds: 0.3, pollSeconds: 86_400 },
  });
});

afterAll(async () => {
  await warehouse.close();
  await central.stop();
});

beforeEach(() => {
  central.behave();
  const { value } = lots.next();
  if (value === undefined) throw new Error('more tests than lots');
  lot = value;
});

async function expectBoth(location: string, taskState: string): Promise<void> {
  const { coilId, taskId } = lot;
  expect({
    here: await warehouse.locationOf(coilId),
    there: central.plant.coils.get(coilId)?.location,
    stateHere: (await warehouse.task(taskId)).taskState,
    stateThere: central.plant.tasks.get(taskId)?.taskState,
  }).toEqual({ here: location, there: location, stateHere: taskState, stateThere: taskState });
}

const expectDone = (name: WriteName) => expectBoth(WRITES[name].to, WRITES[name].state);
const expectUntouched = () => expectBoth('WH-A1', 'InTransit');

describe('write-through by the central server', () => {
  it.each(NAMES)('UP-04 %s is done there first, and then here', async (write) => {
    expect((await WRITES[write].ask(lot)).status).toBe(WRITES[write].ok);
    await expectDone(write);
  });

  it.each(NAMES)('UP-04 %s that the server refuses is 400 in its words, and nothing changes', async (write) => {
    central.next.push('rejects');
    const { status, body } = await WRITES[write].ask(lot);
    expect([status, body]).toEqual([400, { errors: ['the central server says 400'] }]);
    await expectUntouched();
  });

  it.each(NAMES.flatMap((write) => (['locksOut', 'throttles'] as const).map((manner) => [write, manner] as const)))(
    'UP-04 D-55 %s to a server that %s: 503, nothing changes',
    async (write, manner) => {
      central.next.push(manner);
      const { status, body, headers } = await WRITES[write].ask(lot);
      expect([status, body, headers['plantgate-outcome']]).toEqual([
        503,
        { errors: ['AgentNotAvailable'] },
        'unchanged',
      ]);
      await expectUntouched();
    },
  );

  it.each(NAMES)(
    'UP-04 D-18 %s that the server refuses because of its own record: the record here follows',
    async (write) => {
      const [location, taskState] = ['WH-A4', 'Ready'];
      Object.assign(central.plant.coils.get(lot.coilId) ?? {}, { location });
      Object.assign(central.plant.tasks.get(lot.taskId) ?? {}, { taskState, selectedCoilId: null });
      if (write === 'move') central.next.push('rejects');
      expect((await WRITES[write].ask(lot)).status).toBe(400);
      // A move does not change a task.
      const stateHere = write === 'move' ? 'InTransit' : taskState;
      const here = async () => [await warehouse.locationOf(lot.coilId), (await warehouse.task(lot.taskId)).taskState];
      await expect.poll(here, { timeout: 20_000, interval: 20 }).toEqual([location, stateHere]);
    },
  );

  it('UP-04 TASK-04 a task that the server does not have any more is 404', async () => {
    const task = central.plant.tasks.get(lot.taskId);
    central.plant.tasks.delete(lot.taskId);
    const { status, body } = await WRITES.complete.ask(lot);
    expect([status, body]).toEqual([404, { errors: [`No warehouse task with id ${lot.taskId}`] }]);
    if (task !== undefined) central.plant.tasks.set(lot.taskId, task);
    await expectUntouched();
  });

  it.each(NAMES)('UP-04 ERR-01 %s while the server is away: 503 AgentNotAvailable, nothing changes', async (write) => {
    await central.stop();
    const { status, body, headers } = await WRITES[write].ask(lot);
    expect([status, body, headers['plantgate-outcome']]).toEqual([503, { errors: ['AgentNotAvailable'] }, 'unchanged']);
    await central.start();
    await expectUntouched();
    expect((await WRITES[write].ask(lot)).status).toBe(WRITES[write].ok);
    await expectDone(write);
  });

  const lost: readonly CentralManner[] = ['fails', 'doesThenFails', 'cuts', 'doesThenCuts', 'hangs', 'doesThenHangs'];
  it.each(NAMES.flatMap((write) => lost.map((manner) => [write, manner] as const)))(
    'UP-04 D-16 %s to a server that %s: settled before it is answered, done in both systems',
    async (write, manner) => {
      central.next.push(manner);
      const before = central.writes.length;
      expect((await WRITES[write].ask(lot)).status).toBe(WRITES[write].ok);
      await expectDone(write);
      const keys = central.writes.slice(before).map(({ operationId }) => operationId);
      expect(new Set(keys).size).toBe(1);
      // An operation that the server had visibly done was not sent again, because the server knows no keys.
      expect(keys).toHaveLength(manner.startsWith('does') ? 1 : 2);
    },
  );

  it('D-16 D-55 a write unconfirmed while the server is away: 503 names it; it settles by itself when the server is back', async () => {
    central.next.push('doesThenHangs');
    central.manner = () => 'hangs';
    const { status, body, headers } = await WRITES.complete.ask(lot);
    const errors = ['AgentNotAvailable', expect.stringContaining('is unknown')];
    expect([status, body, headers['plantgate-outcome']]).toEqual([503, { errors }, 'unknown']);
    expect((await warehouse.task(lot.taskId)).taskState).toBe('InTransit');
    central.behave();
    await expect.poll(() => warehouse.locationOf(lot.coilId), { timeout: 20_000 }).toBe('RF-01');
    await expectDone('complete');
  });
});
