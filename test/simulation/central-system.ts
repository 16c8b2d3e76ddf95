import type { WarehouseTask } from '../../src/domain/warehouse/task.ts';
import type { LegacyLocation, LegacyRequest } from '../../src/flows/warehouse/warehouse-ports.ts';
import { LegacySystem } from './legacy-system.ts';

/** A central server that writes through, with its own tasks: it judges their states itself, and shows them. */
export class CentralSystem extends LegacySystem {
  /** A server that failed may have handed the write on. */
  protected override readonly saysThatItFailed = false;
  readonly taskStates = new Map<string, WarehouseTask['taskState']>();

  /** Takes over the task's state, because the operations of the task reached the server. */
  follow({ taskId, taskState }: WarehouseTask): void {
    this.taskStates.set(taskId, taskState);
  }

  protected override look(coilId: string, write: LegacyRequest): LegacyLocation {
    if (write.purpose.type === 'move') return super.look(coilId, write);
    const isDone = this.taskStates.get(write.purpose.taskId) === stateAfter(write.purpose.type);
    return isDone && this.locations.get(coilId) === write.location ? { kind: 'carriedOut' } : { kind: 'notSeen' };
  }

  protected override objection(write: LegacyRequest): string | null {
    if (write.purpose.type !== 'move') {
      const state = this.taskStates.get(write.purpose.taskId);
      const isAccepted = state === 'InTransit' || (state === 'InProcess' && write.purpose.type === 'cancel');
      if (!isAccepted) return `taskState: found ${state}`;
    }
    return super.objection(write);
  }

  protected override carryOut(write: LegacyRequest): void {
    super.carryOut(write);
    if (write.purpose.type !== 'move') this.taskStates.set(write.purpose.taskId, stateAfter(write.purpose.type));
  }
}

function stateAfter(type: 'complete' | 'cancel'): WarehouseTask['taskState'] {
  return type === 'complete' ? 'Complete' : 'Ready';
}
