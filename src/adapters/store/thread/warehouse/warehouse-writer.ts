import { coilEntity, taskEntity } from '../../../../domain/sync/operation.ts';
import type {
  WarehousePlantRecord,
  WarehouseRecord,
  WarehouseSeed,
} from '../../../../flows/warehouse/warehouse-ports.ts';
import { seededTask } from './seeding.ts';
import type { Warehouse } from './warehouse.ts';

/** Writes facts about the warehouse. To be called within a transaction. */
export class WarehouseWriter {
  readonly #warehouse: Warehouse;

  constructor(warehouse: Warehouse) {
    this.#warehouse = warehouse;
  }

  write(record: WarehouseRecord | WarehousePlantRecord): void {
    const { coils, tasks, coilQueries, taskQueries, legacyWrites, localChanges } = this.#warehouse;
    switch (record.kind) {
      case 'taskProgress':
        tasks.progress(record.taskId, record.progress);
        taskQueries.noteChange(record.taskId);
        localChanges.note(taskEntity(record.taskId));
        return;
      case 'coilLocation':
        coils.move(record.coilId, record.location);
        coilQueries.noteChange(record.coilId);
        localChanges.note(coilEntity(record.coilId));
        return;
      case 'legacyWrite':
        legacyWrites.begin(record.write);
        return;
      case 'legacyWriteSettled':
        legacyWrites.settle(record.operationId);
        return;
      case 'warehouseSeed':
        this.#seed(record.seed);
        return;
      case 'warehouseRemoval':
        this.#remove(record.of, record.id);
    }
  }

  /** Made from the record as it is stored now, so that no transition before it is undone. */
  #seed(seed: WarehouseSeed): void {
    const { coils, tasks, coilQueries, taskQueries, localChanges, preparedSeeds } = this.#warehouse;
    if (seed.of === 'coils') {
      localChanges.note(coilEntity(seed.entry.coilId));
      coils.putJson(seed.entry.coilId, preparedSeeds.row(seed));
      coilQueries.noteChange(seed.entry.coilId);
      return;
    }
    localChanges.note(taskEntity(seed.entry.taskId));
    tasks.seed(seededTask(seed, tasks.find(seed.entry.taskId) ?? undefined));
    taskQueries.noteChange(seed.entry.taskId);
  }

  #remove(of: WarehouseSeed['of'], id: string): void {
    const { coils, tasks, coilQueries, taskQueries, localChanges } = this.#warehouse;
    localChanges.note(of === 'coils' ? coilEntity(id) : taskEntity(id));
    const slot = of === 'coils' ? coils.findNumbered(id)?.slot : tasks.findNumbered(id)?.slot;
    if (slot === undefined) return;
    if (of === 'coils') {
      coils.remove(id);
      coilQueries.noteRemoval(id, slot);
      return;
    }
    tasks.remove(id);
    taskQueries.noteRemoval(id, slot);
  }
}
