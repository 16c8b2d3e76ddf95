import { invalidInput } from '../../domain/error.ts';
import { type RequestReceipt, receiptsOf } from '../../domain/request-receipt.ts';
import { taskAct, taskEntity } from '../../domain/sync/operation.ts';
import { noSuchCoil, noSuchTask, taskNotDrained } from '../../domain/warehouse/refusals.ts';
import { doneBy, isWarehouseLicensed, type TaskOperation, type WarehouseTask } from '../../domain/warehouse/task.ts';
import {
  coilIdOf,
  coilMoveFaults,
  locationFaults,
  type TaskSurroundings,
  type TransitionOutcome,
  transition,
} from '../../domain/warehouse/transition.ts';
import { NO_OPERATIONS, type OperationQueue } from '../forward/operation-queue-flow.ts';
import { KeyedMutex } from '../keyed-mutex.ts';
import type { Plant } from '../plant/plant.ts';

import type { Clock } from '../ports.ts';
import type { LegacyWrites } from './legacy-writes.ts';
import type { AdoptedOperation, WarehouseStore } from './warehouse-ports.ts';

export interface WarehouseOperationsOptions {
  readonly store: WarehouseStore;
  readonly plant: Pick<Plant, 'machine' | 'reasonCodes' | 'locations'>;
  readonly legacyWrites: LegacyWrites;
  readonly clock: Clock;
  /** Called once a task's progress is on disk. */
  readonly onTaskChanged: (taskId: string) => void;
  /** Called once a coil that another gateway moved is on disk. */
  readonly onCoilChanged: (coilId: string) => void;
  /** Null: without a central server. */
  readonly upstream: UpstreamJudgement | null;
  /** Left out: without a central server. */
  readonly operations?: OperationQueue;
}

/** The part of the central server in operations on tasks. */
export interface UpstreamJudgement {
  /** False if the central server alone judges the source states of an operation (D-14). */
  readonly enforcesSourceStates: boolean;
  /**
   * Resolves with true once no record of an entity is queued for the server any more, and with false if that is not
   * possible at present (D-17). Null if write-through does not go to the server.
   */
  readonly drained: ((entity: string) => Promise<boolean>) | null;
}

/** Operations of one task that may wait behind one another. */
const MAX_WAITING_PER_TASK = 10;

/** Operations of people and machines on tasks and coils; operations of one task happen one after the other. */
export class WarehouseOperationsFlow {
  readonly #options: WarehouseOperationsOptions;
  readonly #turns = new KeyedMutex('task', MAX_WAITING_PER_TASK);

  constructor(options: WarehouseOperationsOptions) {
    this.#options = options;
  }

  /**
   * Takes a task one step on (TASK-06 to TASK-14); resolves once that is on disk, and if a coil moves, after the legacy
   * system has it. Refuses with `not-found`, `not-licensed`, `invalid-input`, `agent-unavailable`, `outcome-unknown`.
   * A receipt goes into the commit of the operation, here and below.
   */
  operate(
    taskId: string,
    operation: TaskOperation,
    principal: string,
    receipt: RequestReceipt | null = null,
  ): Promise<void> {
    return this.#turns.runExclusive(taskId, () => this.#operate(taskId, operation, principal, receipt));
  }

  /** Moves a coil in the legacy system and then here (COIL-04). Refuses with the same errors. */
  async moveCoil(
    coilId: string,
    location: string,
    principal: string,
    receipt: RequestReceipt | null = null,
  ): Promise<void> {
    const coil = await this.#options.store.coil(coilId);
    if (coil === null) throw noSuchCoil(coilId);
    const faults = coilMoveFaults(coil, location, this.#isLocation);
    if (faults.length > 0) throw invalidInput(faults);
    await this.#options.legacyWrites.write({ coilId, location, principal, purpose: { type: 'move' }, receipt });
  }

  adopt(taskId: string, operation: TaskOperation, { principal, at, receipt }: AdoptedOperation): Promise<void> {
    return this.#turns.runExclusive(taskId, async () => {
      const { store, legacyWrites, onTaskChanged, onCoilChanged } = this.#options;
      await legacyWrites.requireSettledTask(taskId);
      const outcome = await this.#outcomeOf(taskId, operation, principal, at);
      if (outcome.kind === 'unchanged') return store.write([receipt]);
      const { progress, move } = outcome;
      const records = [{ kind: 'taskProgress', taskId, progress }, receipt] as const;
      if (move === null) {
        await store.write(records);
      } else {
        const { coilId, location } = move;
        await legacyWrites.adopt(coilId, [...records, { kind: 'coilLocation', coilId, location }]);
        onCoilChanged(coilId);
      }
      onTaskChanged(taskId);
    });
  }

  async adoptMove(coilId: string, location: string, { receipt }: AdoptedOperation): Promise<void> {
    const coil = await this.#options.store.coil(coilId);
    if (coil === null) throw noSuchCoil(coilId);
    const faults = locationFaults(location, this.#isLocation);
    if (faults.length > 0) throw invalidInput(faults);
    await this.#options.legacyWrites.adopt(coilId, [receipt, { kind: 'coilLocation', coilId, location }]);
    this.#options.onCoilChanged(coilId);
  }

  async #operate(
    taskId: string,
    operation: TaskOperation,
    principal: string,
    receipt: RequestReceipt | null,
  ): Promise<void> {
    const { store, legacyWrites, clock, onTaskChanged, operations = NO_OPERATIONS } = this.#options;
    await legacyWrites.requireSettledTask(taskId);
    const drained = this.#options.upstream?.drained ?? null;
    const at = clock.now().wallMs;
    let outcome = await this.#outcomeOf(taskId, operation, principal, at);
    if (outcome.kind === 'changed' && outcome.move !== null && drained !== null) {
      if (!(await drained(taskEntity(taskId)))) throw taskNotDrained(taskId);
      // The central server may have changed the task (D-18).
      outcome = await this.#outcomeOf(taskId, operation, principal, at);
    }
    if (outcome.kind === 'unchanged') return store.write(receiptsOf(receipt));
    const { progress, move, operatorBefore } = outcome;
    if (move === null) {
      const done = taskAct(taskId, doneBy(operation, progress.userName), operatorBefore);
      const queued = operations.recordsOf(done, principal, { at });
      await store.write([{ kind: 'taskProgress', taskId, progress }, ...queued, ...receiptsOf(receipt)]);
      onTaskChanged(taskId);
      return;
    }
    const { type, coilId, location } = move;
    await legacyWrites.write({
      coilId,
      location,
      principal,
      purpose: { type, taskId, progress, operatorBefore },
      receipt,
    });
  }

  async #outcomeOf(
    taskId: string,
    operation: TaskOperation,
    principal: string,
    wallMs: number = this.#options.clock.now().wallMs,
  ): Promise<Exclude<TransitionOutcome, { kind: 'refused' }> & { readonly operatorBefore: string | null }> {
    const task = await this.#options.store.task(taskId);
    if (task === null) throw noSuchTask(taskId);
    const surroundings = await this.#surroundingsOf(task, operation);
    const outcome = transition(task, operation, { ...surroundings, principal, wallMs });
    if (outcome.kind === 'refused') throw outcome.error;
    return { ...outcome, operatorBefore: task.userName };
  }

  async #surroundingsOf(
    task: WarehouseTask,
    operation: TaskOperation,
  ): Promise<Omit<TaskSurroundings, 'principal' | 'wallMs'>> {
    const { store, plant, upstream } = this.#options;
    const coilId = coilIdOf(task, operation);
    const coil = coilId === null ? null : await store.coil(coilId);
    const machine = plant.machine(task.machineId);
    return {
      isLicensed: machine !== undefined && isWarehouseLicensed(machine),
      reasonCodes: plant.reasonCodes(),
      isLocation: this.#isLocation,
      coil,
      enforcesSourceStates: upstream?.enforcesSourceStates ?? true,
    };
  }

  readonly #isLocation = (code: string): boolean =>
    this.#options.plant.locations().some((location) => location.code === code);
}
