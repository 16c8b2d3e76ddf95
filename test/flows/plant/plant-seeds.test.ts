import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { PLANT_ENTRY_SHAPES } from '../../../src/config/plant-file/plant-entry-checks.ts';
import type { Task } from '../../../src/domain/plant/plant.ts';
import { MAX_RECORDS } from '../../../src/domain/plant/plant-entry.ts';
import { progressOf, type WarehouseTask } from '../../../src/domain/warehouse/task.ts';
import { Plant } from '../../../src/flows/plant/plant.ts';
import { newDataDir, openTestStore, quietLog } from '../../adapters/store/open-test-store.ts';
import { parsed, taskEntryOf } from '../../adapters/store/thread/warehouse/warehouse-under-test.ts';
import { plantFile, plantTools } from '../plant-under-test.ts';

const secrets = { hash: async () => 'hash', verify: async () => true };

async function openPlantIn(dataDir = newDataDir()) {
  const { store, restored } = await openTestStore({ dataDir });
  const plant = new Plant(restored.plant, { store, secrets, log: quietLog, shapes: PLANT_ENTRY_SHAPES, ...plantTools });
  return { plant, store, restored, dataDir };
}

const TASK = taskEntryOf({ taskId: 'T-1', preferredCoilIds: ['C-9'] });

function lineOf(records: object = {}) {
  const line = {
    locations: [
      { code: 'WH-A1', name: 'Rack A1', category: 'Warehouse' },
      { code: 'RF-01', name: 'Rollformer 1', category: 'Machine' },
    ],
    machines: [{ machineId: 'RF-01', topicRoot: 'plant1/rf-1' }],
    reasonCodes: [{ id: 'OR-1', codeSet: 'OverrideReasons', reason: 'Damaged' }],
    coils: [{ coilId: 'C-1', location: 'WH-A1', lengthRemainingFt: 500 }],
    tasks: [TASK],
    ...records,
  };
  return plantFile(stringify(line));
}

async function openLine() {
  const opened = await openPlantIn();
  await opened.plant.applyFile(lineOf());
  return opened;
}

const LIVE = {
  taskState: 'InTransit',
  availableDate: null,
  startedDate: '2026-03-04T09:00:00.000Z',
  completedDate: null,
  selectedCoilId: 'C-1',
  userName: 'kim',
  overrideReason: 'OR-1',
  unattainableReason: null,
  lastOperation: '{"type":"inTransit"}',
} as const;

describe('coils and tasks of the plant file', () => {
  it('are seeded with their defaults, and are there after a restart', async () => {
    const { plant, store, dataDir } = await openPlantIn();
    const difference = await plant.applyFile(lineOf());
    expect(difference.slice(-2)).toMatchObject([
      { kind: 'coils', id: 'C-1', change: 'create' },
      { kind: 'tasks', id: 'T-1', change: 'create', fields: expect.arrayContaining(['taskId', 'taskState']) },
    ]);
    const task = await plant.get('tasks', 'T-1');
    expect(task).toEqual({ ...LIVE_NULL, ...TASK });
    await store.close();
    const again = await openPlantIn(dataDir);
    expect(again.restored.plant.map(({ kind }) => kind)).not.toContain('tasks');
    expect(await again.plant.get('tasks', 'T-1')).toEqual(task);
    expect(await again.plant.get('coils', 'C-1')).toMatchObject({ lengthRemainingFt: 500, isComplete: false });
  });

  it('change nothing when the same file comes again, or the exported records are sent back', async () => {
    const { plant, store } = await openLine();
    const { records } = store.counters();
    expect(await plant.applyFile(lineOf())).toEqual([]);
    for (const [kind, id] of [
      ['coils', 'C-1'],
      ['tasks', 'T-1'],
    ] as const) {
      const record = await plant.get(kind, id);
      expect(await plant.put(kind, id, record)).toEqual(record);
    }
    expect(store.counters().records).toBe(records);
  });

  it('TASK-01 COIL-01 never lose live state to a file or a put', async () => {
    const { plant, store } = await openLine();
    await store.write([
      { kind: 'taskProgress', taskId: 'T-1', progress: LIVE },
      { kind: 'coilLocation', coilId: 'C-1', location: 'RF-01' },
    ]);
    const file = lineOf({
      coils: [{ coilId: 'C-1', location: 'WH-A1', lengthRemainingFt: 9, color: 'Red' }],
      tasks: [{ ...TASK, requiredFt: 20 }],
    });
    expect(await plant.diff(file)).toEqual([
      { kind: 'coils', id: 'C-1', change: 'update', fields: ['color'] },
      { kind: 'tasks', id: 'T-1', change: 'update', fields: ['requiredFt'] },
    ]);
    expect(await store.task('T-1')).toMatchObject({ requiredFt: 1_200.5 });
    await plant.applyFile(file);
    expect(await store.task('T-1')).toMatchObject({ ...LIVE, requiredFt: 20 });
    expect(await store.coil('C-1')).toMatchObject({ location: 'RF-01', lengthRemainingFt: 500, color: 'Red' });
    await plant.put('tasks', 'T-1', { ...TASK, taskState: 'Ready', userName: null, requiredFt: 30 });
    expect(await store.task('T-1')).toMatchObject({ ...LIVE, requiredFt: 30, preferredCoilIds: ['C-9'] });
  });

  it('keep the result of a transition that came while the file was applied', async () => {
    const { plant, store } = await openLine();
    for (let round = 0; round < 20; round += 1) {
      const applied = plant.applyFile(lineOf({ tasks: [{ ...TASK, requiredFt: round }] }));
      const moved = store.write([{ kind: 'taskProgress', taskId: 'T-1', progress: { ...LIVE, userName: `${round}` } }]);
      await Promise.all([applied, moved]);
      expect(await store.task('T-1')).toMatchObject({
        requiredFt: round,
        userName: `${round}`,
        taskState: 'InTransit',
      });
    }
  });

  it('keep the fields that the file does not name', async () => {
    const { plant } = await openLine();
    await plant.applyFile(lineOf({ coils: [{ coilId: 'C-1', location: 'WH-A1', color: 'Red' }] }));
    await plant.applyFile(lineOf({ coils: [{ coilId: 'C-1', location: 'WH-A1', gauge: 26 }], tasks: [] }));
    expect(await plant.get('coils', 'C-1')).toMatchObject({ color: 'Red', gauge: 26 });
    expect(await plant.get('tasks', 'T-1')).toMatchObject({ preferredCoilIds: ['C-9'] });
  });

  it.each([
    ['a coil at no location', { coils: [{ coilId: 'C-2', location: 'X' }] }, 'coils[0].location'],
    ['a coil twice', { coils: [1, 2].map(() => ({ coilId: 'C-2', location: 'WH-A1' })) }, 'coils[1].coilId'],
    ['a task of no machine', { tasks: [{ ...TASK, machineId: 'X' }] }, 'tasks[0].machineId'],
    ['a task from nowhere', { tasks: [{ ...TASK, sourceLocation: 'X' }] }, 'tasks[0].sourceLocation'],
    ['a task of no coil', { coils: [], tasks: [{ ...TASK, selectedCoilId: 'X' }] }, 'tasks[0].selectedCoilId'],
    ['a task of no reason', { tasks: [{ ...TASK, overrideReason: 'X' }] }, 'tasks[0].overrideReason'],
  ])('refuse %s, and change nothing of the rest of the file', async (_what, records, path) => {
    const { plant, store } = await openLine();
    const file = lineOf({ parts: [{ partId: 'P-1' }], ...records });
    const { records: before } = store.counters();
    await expect(plant.applyFile(file)).rejects.toMatchObject({ code: 'invalid-input', faults: [{ path }] });
    expect([plant.part('P-1'), store.counters().records]).toEqual([undefined, before]);
  });

  it('may name a coil that is only in the store', async () => {
    const { plant } = await openLine();
    await plant.applyFile(lineOf({ coils: [], tasks: [{ ...TASK, taskId: 'T-2', selectedCoilId: 'C-1' }] }));
    expect(await plant.get('tasks', 'T-2')).toMatchObject({ selectedCoilId: 'C-1' });
  });

  it('are limited in number', async () => {
    expect([MAX_RECORDS.coils, MAX_RECORDS.tasks]).toEqual([1_000_000, 200_000]);
    const { store } = await openTestStore();
    const full = { ...storeOf(store), warehouseCounts: async () => ({ coils: 1_000_000, tasks: 199_999 }) };
    const plant = new Plant([], { store: full, secrets, log: quietLog, shapes: PLANT_ENTRY_SHAPES, ...plantTools });
    await expect(plant.applyFile(lineOf())).rejects.toMatchObject({
      faults: [{ path: 'coils', found: '1000001 records', expected: 'at most 1000000' }],
    });
    await plant.applyFile(lineOf({ coils: [] }));
  });
});

const LIVE_NULL = Object.fromEntries(
  Object.keys(LIVE)
    .filter((field) => field !== 'lastOperation')
    .map((field) => [field, null]),
);

/** The store's answers one by one, so that a test can replace one of them. */
function storeOf(store: Awaited<ReturnType<typeof openTestStore>>['store']) {
  return {
    write: store.write.bind(store),
    record: store.record.bind(store),
    coil: store.coil.bind(store),
    task: store.task.bind(store),
    profilesIn: store.profilesIn.bind(store),
    profile: store.profile.bind(store),
    profileRecords: store.profileRecords.bind(store),
    seedOrders: store.seedOrders.bind(store),
    orderRecords: store.orderRecords.bind(store),
    idsInAnyCase: store.idsInAnyCase.bind(store),
    coilsOf: store.coilsOf.bind(store),
    seedChanges: store.seedChanges.bind(store),
    warehouseCounts: store.warehouseCounts.bind(store),
    warehouseReferrers: store.warehouseReferrers.bind(store),
    warehouseRecords: store.warehouseRecords.bind(store),
  };
}

describe('coils and tasks, one at a time', () => {
  it('are created once, listed by pages, and removed', async () => {
    const { plant, store } = await openLine();
    await expect(plant.create('coils', { coilId: 'C-1', location: 'WH-A1' })).rejects.toMatchObject({
      code: 'conflict',
    });
    const names = ['a/b %', 'ä', 'z'];
    for (const coilId of names) await plant.create('coils', { coilId, location: 'WH-A1' });
    const ids = async (after: string, limit: number) =>
      parsed<readonly { readonly coilId: string }[]>(await plant.page('coils', after, limit)).map(
        ({ coilId }) => coilId,
      );
    expect(await ids('', 2)).toEqual(['C-1', 'a/b %']);
    expect(await ids('a/b %', 9)).toEqual(['z', 'ä']);
    expect(parsed<readonly Task[]>(await plant.page('tasks', '', 9))).toEqual([await plant.get('tasks', 'T-1')]);
    await plant.remove('coils', 'z');
    await plant.remove('tasks', 'T-1');
    expect([await plant.get('coils', 'z'), await store.task('T-1')]).toEqual([undefined, null]);
    await expect(plant.remove('tasks', 'T-1')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('keep the records that they refer to from removal', async () => {
    const { plant, store } = await openLine();
    await store.write([{ kind: 'taskProgress', taskId: 'T-1', progress: LIVE }]);
    for (const [kind, id, message] of [
      ['locations', 'WH-A1', 'location WH-A1 is referred to by coil C-1, task T-1'],
      ['machines', 'RF-01', 'machine RF-01 is referred to by task T-1'],
      ['reasonCodes', 'OR-1', 'reason code OR-1 is referred to by task T-1'],
      ['coils', 'C-1', 'coil C-1 is referred to by task T-1'],
    ] as const) {
      await expect(plant.remove(kind, id)).rejects.toMatchObject({ code: 'conflict', message });
    }
  });
});

describe('facts of the warehouse', () => {
  it('D-16 are kept across a restart: progress, locations, and unsettled writes, oldest first', async () => {
    const { store, dataDir } = await openLine();
    const write = (operationId: string, startedAt: number) =>
      ({
        operationId,
        coilId: 'C-1',
        location: 'RF-01',
        previousLocation: 'WH-A1',
        startedAt,
        principal: 'erp',
        purpose: { type: 'complete', taskId: 'T-1', progress: LIVE, operatorBefore: null },
      }) as const;
    await store.write(
      [write('o-2', 20), write('o-1', 10), write('o-3', 5)].map((begun) => ({ kind: 'legacyWrite', write: begun })),
    );
    await store.write([
      { kind: 'taskProgress', taskId: 'T-1', progress: LIVE },
      { kind: 'coilLocation', coilId: 'C-1', location: 'RF-01' },
      { kind: 'legacyWriteSettled', operationId: 'o-3' },
    ]);
    await store.close();
    const { store: again } = await openTestStore({ dataDir });
    expect(await again.openLegacyWrites()).toEqual([write('o-1', 10), write('o-2', 20)]);
    expect(progressOf((await again.task('T-1')) as WarehouseTask)).toEqual(LIVE);
    expect(await again.coil('C-1')).toMatchObject({ location: 'RF-01' });
  });
});
