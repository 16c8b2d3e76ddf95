import { invalidInput } from '../domain/error.ts';
import { coilMoveFaults } from '../domain/warehouse/coil-rules.ts';
import { isWarehouseLicensed } from '../domain/warehouse/licence.ts';
import { noSuchCoil, noSuchTask } from '../domain/warehouse/refusals.ts';
import type { TaskOperation } from '../domain/warehouse/task-operation.ts';
import type { WarehouseTask } from '../domain/warehouse/task-progress.ts';
import { coilIdOf, type TaskSurroundings, transition } from '../domain/warehouse/transition.ts';
import { KeyedTurns } from './keyed-turns.ts';
import type { LegacyWrites } from './legacy-writes.ts';
import type { PlantView } from './plant-view.ts';
import type { Clock } from './ports.ts';
import type { WarehouseOperations, WarehouseStore } from './warehouse-ports.ts';

export interface WarehouseOperationsOptions {
  readonly store: WarehouseStore;
  readonly plant: Pick<PlantView, 'machine' | 'reasonCodes' | 'locations'>;
  readonly legacyWrites: LegacyWrites;
  readonly clock: Clock;
  /** Called once a task's progress is on disk. */
  readonly onTaskChanged: (taskId: string) => void;
}

/** Operations of one task that may wait behind one another. */
const MAX_WAITING_PER_TASK = 10;

/** What people and machines do with tasks and coils; operations of one task happen one behind the other. */
export class WarehouseOperationsFlow implements WarehouseOperations {
  readonly #options: WarehouseOperationsOptions;
  readonly #turns = new KeyedTurns('task', MAX_WAITING_PER_TASK);

  constructor(options: WarehouseOperationsOptions) {
    this.#options = options;
  }

  operate(taskId: string, operation: TaskOperation, principal: string): Promise<void> {
    return this.#turns.inTurn(taskId, () => this.#operate(taskId, operation, principal));
  }

  async moveCoil(coilId: string, location: string, principal: string): Promise<void> {
    const coil = await this.#options.store.coil(coilId);
    if (coil === null) throw noSuchCoil(coilId);
    const faults = coilMoveFaults(coil, location, this.#isLocation);
    if (faults.length > 0) throw invalidInput(faults);
    await this.#options.legacyWrites.write({ coilId, location, principal, purpose: { type: 'move' } });
  }

  async #operate(taskId: string, operation: TaskOperation, principal: string): Promise<void> {
    const { store, legacyWrites, onTaskChanged } = this.#options;
    await legacyWrites.requireSettledTask(taskId);
    const task = await store.task(taskId);
    if (task === null) throw noSuchTask(taskId);
    const outcome = transition(task, operation, await this.#surroundingsOf(task, operation, principal));
    if (outcome.kind === 'refused') throw outcome.error;
    if (outcome.kind === 'unchanged') return;
    const { progress, move } = outcome;
    if (move === null) {
      await store.write([{ kind: 'taskProgress', taskId, progress }]);
      onTaskChanged(taskId);
      return;
    }
    const { type, coilId, location } = move;
    await legacyWrites.write({ coilId, location, principal, purpose: { type, taskId, progress } });
  }

  async #surroundingsOf(task: WarehouseTask, operation: TaskOperation, principal: string): Promise<TaskSurroundings> {
    const { store, plant, clock } = this.#options;
    const coilId = coilIdOf(task, operation);
    const coil = coilId === null ? null : await store.coil(coilId);
    const machine = plant.machine(task.machineId);
    return {
      isLicensed: machine !== undefined && isWarehouseLicensed(machine),
      principal,
      wallMs: clock.now().wallMs,
      reasonCodes: plant.reasonCodes(),
      isLocation: this.#isLocation,
      coil,
    };
  }

  readonly #isLocation = (code: string): boolean =>
    this.#options.plant.locations().some((location) => location.code === code);
}
