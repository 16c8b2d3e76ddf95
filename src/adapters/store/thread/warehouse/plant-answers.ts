import { changedFields } from '../../../../domain/plant/plant-merge.ts';
import { KIND_NAMES } from '../../../../domain/plant/plant-references.ts';
import { taskRecord } from '../../../../domain/warehouse/task-view.ts';
import type {
  JsonText,
  SeedChange,
  WarehousePlantQueries,
  WarehouseSeed,
  WarehouseTarget,
} from '../../../../flows/warehouse/warehouse-ports.ts';
import { jsonTextOf } from './json-text.ts';
import { seededCoil, seededTask } from './seeding.ts';
import type { Warehouse } from './warehouse.ts';

type Answer<Question extends keyof WarehousePlantQueries> = Awaited<ReturnType<WarehousePlantQueries[Question]>>;

type Answers = {
  readonly [Question in keyof WarehousePlantQueries]: (
    ...args: Parameters<WarehousePlantQueries[Question]>
  ) => Answer<Question> | Promise<Answer<Question>>;
};

/** Questions of the plant about its coils and tasks. */
export function plantAnswers(warehouse: Warehouse): Answers {
  const { coils, tasks, coilQueries, taskQueries } = warehouse;
  return {
    seedChanges: (seeds) => seeds.map((seed) => changeOf(seed, warehouse)),
    warehouseCounts: () => ({ coils: coils.count(), tasks: tasks.count() }),
    coilsOf: (coilIds) => coilIds.flatMap((coilId) => coils.find(coilId) ?? []),
    idsInAnyCase: async (id, limit) => [
      ...(await coilQueries.idsInAnyCase(id, limit)),
      ...(await taskQueries.idsInAnyCase(id, limit)),
    ],
    warehouseReferrers: (target, id, limit) => referrersOf(warehouse, target, id, limit),
    warehouseRecords: (of, after, limit): JsonText => {
      const records =
        of === 'coils'
          ? coils.after(after, limit).map(({ coil }) => coil)
          : tasks.after(after, limit).map(({ task }) => taskRecord(task));
      return jsonTextOf(JSON.stringify(records));
    },
  };
}

function changeOf(seed: WarehouseSeed, { coils, tasks }: Warehouse): SeedChange | null {
  const before = seed.of === 'coils' ? coils.find(seed.entry.coilId) : tasks.find(seed.entry.taskId);
  const after =
    seed.of === 'coils'
      ? seededCoil(seed, coils.find(seed.entry.coilId) ?? undefined)
      : seededTask(seed, tasks.find(seed.entry.taskId) ?? undefined);
  const fields = changedFields(before ?? undefined, after);
  return fields.length === 0 ? null : { change: before === null ? 'create' : 'update', fields };
}

async function referrersOf(
  { coilQueries, taskQueries }: Warehouse,
  target: WarehouseTarget,
  id: string,
  limit: number,
): Promise<readonly string[]> {
  const ofCoils = target === 'locations' ? await coilQueries.idsAt(id, limit) : [];
  const ofTasks = await taskQueries.idsReferringTo(target, id, limit);
  return [
    ...ofCoils.map((coilId) => `${KIND_NAMES.coils} ${coilId}`),
    ...ofTasks.map((taskId) => `${KIND_NAMES.tasks} ${taskId}`),
  ].slice(0, limit);
}
