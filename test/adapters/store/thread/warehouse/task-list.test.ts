import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TASK_STATES, TASK_TYPES, type Task } from '../../../../../src/domain/plant/plant.ts';
import { PLANT_CODECS } from '../../../../../src/domain/plant/plant-codecs.ts';
import type { TaskProgress } from '../../../../../src/domain/warehouse/task.ts';
import type { TaskFilter } from '../../../../../src/flows/warehouse/warehouse-ports.ts';
import { rounds } from '../../../../rounds.ts';
import { newDataDir, openTestCore } from '../../open-test-store.ts';
import { ANY_COIL, ANY_TASK, coilOf, parsed, taskEntryOf } from './warehouse-under-test.ts';

const MACHINES = ['RF-01', 'RF-02', 'RF-03'];
const HOURS = [8, 9, 10].map((hour) => Date.parse(`2026-03-04T${String(hour).padStart(2, '0')}:00:00Z`));

const task = fc
  .record({
    taskId: fc.constantFrom(...Array.from({ length: 12 }, (_, place) => `T-${place}`)),
    machineId: fc.constantFrom(...MACHINES),
    taskType: fc.constantFrom(...TASK_TYPES),
    taskState: fc.constantFrom(...TASK_STATES),
    destinationLocation: fc.constantFrom('RF-01', 'rf-01', 'WH-A1'),
    requiredDate: fc.constantFrom(...HOURS.map((at) => new Date(at).toISOString()), '2026-03-04T09:00:00Z'),
  })
  .map((entry): Task => PLANT_CODECS.tasks.record(taskEntryOf(entry), undefined));

const filter: fc.Arbitrary<TaskFilter> = fc.record({
  machineIds: fc.subarray([...MACHINES, 'RF-99']),
  onlyIncomplete: fc.boolean(),
  taskState: fc.constantFrom(...TASK_STATES, null),
  taskType: fc.constantFrom(...TASK_TYPES, null),
  destinationLocation: fc.constantFrom('RF-01', 'rf-01', 'nowhere', null),
  requiredAfter: fc.constantFrom(...HOURS, null),
  requiredBefore: fc.constantFrom(...HOURS, null),
  skip: fc.constantFrom(0, 2, 99),
  take: fc.constantFrom(1, 3, 1_000),
});

function expectedOf(tasks: readonly Task[], asked: TaskFilter): readonly string[] {
  const { machineIds, onlyIncomplete, taskState, taskType, destinationLocation, requiredAfter, requiredBefore } = asked;
  const isWanted = (one: Task) => {
    const at = Date.parse(one.requiredDate);
    return (
      machineIds.includes(one.machineId) &&
      !(onlyIncomplete && one.taskState === 'Complete') &&
      (taskState === null || one.taskState === taskState) &&
      (taskType === null || one.taskType === taskType) &&
      (destinationLocation === null || one.destinationLocation === destinationLocation) &&
      (requiredAfter === null || at >= requiredAfter) &&
      (requiredBefore === null || at <= requiredBefore)
    );
  };
  return tasks
    .filter(isWanted)
    .sort(
      (one, other) => Date.parse(one.requiredDate) - Date.parse(other.requiredDate) || byText(one.taskId, other.taskId),
    )
    .slice(asked.skip, asked.skip + asked.take)
    .map(({ taskId }) => taskId);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

async function listed(core: ReturnType<typeof openTestCore>, asked: TaskFilter): Promise<readonly string[]> {
  return parsed<readonly Task[]>(await core.warehouse.taskQueries.list(asked)).map(({ taskId }) => taskId);
}

it('TASK-02 TASK-03 the list has the same tasks as a plain scan, for any filters, seeds and transitions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ seeds: fc.array(task, { maxLength: 6 }), asked: filter, progressed: fc.nat(15) }), {
        minLength: 1,
        maxLength: 5,
      }),
      async (steps) => {
        const core = openTestCore(newDataDir());
        const { tasks: rows, taskQueries } = core.warehouse;
        const tasks = new Map<string, Task>();
        for (const { seeds, asked, progressed } of steps) {
          for (const seed of seeds) {
            rows.seed(seed);
            tasks.set(seed.taskId, seed);
            taskQueries.noteChange(seed.taskId);
          }
          const chosen = [...tasks.values()][progressed];
          if (chosen !== undefined) {
            const progress: TaskProgress = { ...chosen, taskState: 'Complete', lastOperation: 'complete' };
            rows.progress(chosen.taskId, progress);
            tasks.set(chosen.taskId, { ...chosen, taskState: 'Complete' });
            taskQueries.noteChange(chosen.taskId);
          }
          expect(await listed(core, asked)).toEqual(expectedOf([...tasks.values()], asked));
        }
        core.close();
      },
    ),
    { numRuns: rounds(40) },
  );
});

it('TASK-02 the list finds no task by a number that another task had before', async () => {
  const core = openTestCore(newDataDir());
  const { tasks: rows, taskQueries } = core.warehouse;
  const put = (taskId: string) => {
    rows.seed(PLANT_CODECS.tasks.record(taskEntryOf({ taskId }), undefined));
    taskQueries.noteChange(taskId);
  };
  put('T-1');
  put('T-2');
  expect(await listed(core, ANY_TASK)).toEqual(['T-1', 'T-2']);
  const slot = rows.findNumbered('T-2')?.slot ?? 0;
  taskQueries.noteChange('T-3');
  rows.remove('T-2');
  taskQueries.noteRemoval('T-2', slot);
  put('T-3');
  expect(rows.findNumbered('T-3')?.slot).toBe(slot);
  expect(await listed(core, ANY_TASK)).toEqual(['T-1', 'T-3']);
});

it('TASK-02 the list has no trace of a task that was removed, added and removed again in one go', async () => {
  const core = openTestCore(newDataDir());
  const { tasks: rows, taskQueries } = core.warehouse;
  const put = (taskId: string) => {
    rows.seed(PLANT_CODECS.tasks.record(taskEntryOf({ taskId }), undefined));
    taskQueries.noteChange(taskId);
  };
  const remove = (taskId: string) => {
    taskQueries.noteRemoval(taskId, rows.findNumbered(taskId)?.slot ?? -1);
    rows.remove(taskId);
  };
  for (const taskId of ['T-1', 'T-2']) put(taskId);
  expect(await listed(core, ANY_TASK)).toEqual(['T-1', 'T-2']);
  remove('T-1');
  put('T-1');
  expect(rows.findNumbered('T-1')?.slot).toBe(3);
  remove('T-1');
  expect(await listed(core, ANY_TASK)).toEqual(['T-2']);
  expect(await listed(core, { ...ANY_TASK, take: 1 })).toEqual(['T-2']);
});

it('COIL-05 ids that come between two others again and again keep their order', async () => {
  const core = openTestCore(newDataDir());
  const { coils, coilQueries } = core.warehouse;
  const ids = ['a', 'b'];
  const put = (coilId: string) => {
    coils.put(coilOf({ coilId }));
    coilQueries.noteChange(coilId);
  };
  for (const coilId of ids) put(coilId);
  await coilQueries.prepare();
  // Each id lies between the one before and the last: after some fifty there is no number left in between.
  for (let length = 1; length <= 80; length += 1) {
    const coilId = `a${'z'.repeat(length)}`;
    ids.splice(-1, 0, coilId);
    put(coilId);
    if (length % 10 > 0) continue;
    const { items } = parsed<{ items: readonly { readonly coilId: string }[] }>(await coilQueries.search(ANY_COIL));
    expect(items.map((item) => item.coilId)).toEqual(ids);
  }
});
