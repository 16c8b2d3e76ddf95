import { changedFields } from '../../../../domain/plant/plant-merge.ts';
import { KIND_NAMES } from '../../../../domain/plant/plant-references.ts';
import { taskRecord } from '../../../../domain/warehouse/task.ts';
import type {
  JsonText,
  SeedChange,
  WarehouseKind,
  WarehouseSeed,
  WarehouseTarget,
} from '../../../../flows/warehouse/warehouse-ports.ts';
import { jsonTextOf } from './json-text.ts';
import { seededCoil, seededTask } from './seeding.ts';
import type { Warehouse } from './warehouse.ts';

/** Questions of the plant about its coils and tasks. */
export class PlantQueries {
  readonly #warehouse: Warehouse;

  constructor(warehouse: Warehouse) {
    this.#warehouse = warehouse;
  }

  seedChanges(seeds: readonly WarehouseSeed[]): readonly (SeedChange | null)[] {
    return seeds.map((seed) => changeOf(seed, this.#warehouse));
  }

  async idsInAnyCase(id: string, limit: number): Promise<readonly string[]> {
    const { coilQueries, taskQueries } = this.#warehouse;
    return [...(await coilQueries.idsInAnyCase(id, limit)), ...(await taskQueries.idsInAnyCase(id, limit))];
  }

  records(of: WarehouseKind, after: string, limit: number): JsonText {
    const { coils, tasks } = this.#warehouse;
    const records =
      of === 'coils'
        ? coils.after(after, limit).map(({ coil }) => coil)
        : tasks.after(after, limit).map(({ task }) => taskRecord(task));
    return jsonTextOf(JSON.stringify(records));
  }

  async referrers(target: WarehouseTarget, id: string, limit: number): Promise<readonly string[]> {
    const { coilQueries, taskQueries } = this.#warehouse;
    const ofCoils = target === 'locations' ? await coilQueries.idsAt(id, limit) : [];
    const ofTasks = await taskQueries.idsReferringTo(target, id, limit);
    return [
      ...ofCoils.map((coilId) => `${KIND_NAMES.coils} ${coilId}`),
      ...ofTasks.map((taskId) => `${KIND_NAMES.tasks} ${taskId}`),
    ].slice(0, limit);
  }
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
