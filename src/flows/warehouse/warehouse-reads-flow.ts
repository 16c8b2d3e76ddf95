import type { Coil, Location, Machine, ReasonCode } from '../../domain/plant/plant.ts';
import { noSuchCoil, noSuchTask, notLicensed } from '../../domain/warehouse/refusals.ts';
import { isWarehouseLicensed, type TaskView, taskView } from '../../domain/warehouse/task.ts';
import type { Plant } from '../plant/plant.ts';

import type { CoilFilter, CoilSearch, JsonText, TaskFilter, WarehouseQueries } from './warehouse-ports.ts';

export interface WarehouseReadsPorts {
  readonly plant: Pick<Plant, 'machines' | 'machine' | 'reasonCodes' | 'locations'>;
  readonly store: Omit<WarehouseQueries, 'openLegacyWrites'>;
}

/** The business clients' reads of the warehouse, within the licence (TASK-01 to TASK-05, COIL-01 to COIL-03, COIL-05). */
export class WarehouseReadsFlow {
  readonly #ports: WarehouseReadsPorts;

  constructor(ports: WarehouseReadsPorts) {
    this.#ports = ports;
  }

  /** Tasks of licensed machines (TASK-02, TASK-03). */
  tasks(filter: Omit<TaskFilter, 'machineIds'>): Promise<JsonText> {
    const machineIds = this.#licensedMachines().map(({ machineId }) => machineId);
    return this.#ports.store.taskList({ ...filter, machineIds });
  }

  /** Refuses with `not-found`, and with `not-licensed` if its machine has no licence (TASK-03, TASK-04). */
  async task(taskId: string): Promise<TaskView> {
    const task = await this.#ports.store.task(taskId);
    if (task === null) throw noSuchTask(taskId);
    const machine = this.#ports.plant.machine(task.machineId);
    if (machine === undefined || !isWarehouseLicensed(machine)) throw notLicensed();
    return taskView(task);
  }

  /** Empty if no machine is licensed, like the locations (TASK-05). */
  reasonCodes(): readonly ReasonCode[] {
    return this.#licensedMachines().length === 0 ? [] : this.#ports.plant.reasonCodes();
  }

  locations(category: Location['category'] | null): readonly Location[] {
    if (this.#licensedMachines().length === 0) return [];
    const locations = this.#ports.plant.locations();
    return category === null ? locations : locations.filter((location) => location.category === category);
  }

  coils(filter: CoilFilter): Promise<JsonText> {
    return this.#ports.store.coilList(filter);
  }

  /** Refuses with `not-found` (COIL-03). */
  async coil(coilId: string): Promise<Coil> {
    const coil = await this.#ports.store.coil(coilId);
    if (coil === null) throw noSuchCoil(coilId);
    return coil;
  }

  searchCoils(search: CoilSearch): Promise<JsonText> {
    return this.#ports.store.coilSearch(search);
  }

  #licensedMachines(): readonly Machine[] {
    return this.#ports.plant.machines().filter(isWarehouseLicensed);
  }
}
