import { CodedError } from '../../src/domain/error.ts';
import type { Coil } from '../../src/domain/plant/plant.ts';
import type { TaskOperation, TaskProgress, WarehouseTask } from '../../src/domain/warehouse/task.ts';
import { TASK_TRANSITIONS } from '../../src/domain/warehouse/transition.ts';
import type { LegacyWrite, WarehouseRecord, WarehouseStore } from '../../src/flows/warehouse/warehouse-ports.ts';
import type { Random } from '../../src/simulator/random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The warehouse on disk, which outlives the gateway. */
export class WarehouseDisk {
  readonly tasks: Map<string, WarehouseTask>;
  readonly coils: Map<string, Coil>;
  readonly open = new Map<string, LegacyWrite>();
  /** Every write that ever began. */
  readonly begun: LegacyWrite[] = [];
  /** Steps of tasks from an outdated state, or during an open write of the task. */
  readonly brokenSteps: string[] = [];
  isHealthy = false;

  constructor(tasks: readonly WarehouseTask[], coils: readonly Coil[]) {
    this.tasks = new Map(tasks.map((task) => [task.taskId, task]));
    this.coils = new Map(coils.map((coil) => [coil.coilId, coil]));
  }

  commit(records: readonly WarehouseRecord[]): void {
    for (const record of records) {
      if (record.kind === 'legacyWrite') {
        this.open.set(record.write.operationId, record.write);
        this.begun.push(record.write);
      } else if (record.kind === 'legacyWriteSettled') {
        this.open.delete(record.operationId);
      } else if (record.kind === 'coilLocation') {
        const coil = this.coils.get(record.coilId);
        if (coil !== undefined) this.coils.set(record.coilId, { ...coil, location: record.location });
      } else {
        this.#commitProgress(record.taskId, record.progress, records);
      }
    }
  }

  #commitProgress(taskId: string, progress: TaskProgress, records: readonly WarehouseRecord[]): void {
    const task = this.tasks.get(taskId);
    if (task === undefined) return;
    const { type }: TaskOperation = JSON.parse(progress.lastOperation ?? '');
    const settles = records.some(({ kind }) => kind === 'legacyWriteSettled');
    const isOpen = [...this.open.values()].some(({ purpose }) => 'taskId' in purpose && purpose.taskId === taskId);
    if (!TASK_TRANSITIONS[type].from.includes(task.taskState) || (isOpen && !settles)) {
      this.brokenSteps.push(`${type} of ${taskId} from ${task.taskState}, a write open: ${isOpen}`);
    }
    this.tasks.set(taskId, { ...task, ...progress });
  }
}

/** The disk of one run of the gateway: once the gateway is killed, no record of it is written any more. */
export class StoreOfOneLife implements WarehouseStore {
  isKilled = false;
  readonly #disk: WarehouseDisk;
  readonly #time: VirtualTime;
  readonly #random: Random;

  constructor(disk: WarehouseDisk, time: VirtualTime, random: Random) {
    this.#disk = disk;
    this.#time = time;
    this.#random = random;
  }

  async task(taskId: string): Promise<WarehouseTask | null> {
    await this.#time.sleep(this.#random() * 5);
    return this.#disk.tasks.get(taskId) ?? null;
  }

  async coil(coilId: string): Promise<Coil | null> {
    await this.#time.sleep(this.#random() * 5);
    return this.#disk.coils.get(coilId) ?? null;
  }

  async write(records: readonly WarehouseRecord[]): Promise<void> {
    await this.#time.sleep(this.#random() * 20);
    if (this.isKilled) return new Promise(() => undefined);
    if (!this.#disk.isHealthy && this.#random() < 0.05) {
      throw new CodedError('store-unavailable', 'the disk takes nothing at the moment');
    }
    this.#disk.commit(records);
    await this.#time.sleep(this.#random() * 20);
    if (this.isKilled) return new Promise(() => undefined);
  }
}
