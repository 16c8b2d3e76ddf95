import type { Task } from '../plant/plant.ts';
import type { TaskOperationType } from './task-operation.ts';
import type { TaskProgress } from './task-progress.ts';

type TaskState = Task['taskState'];

/** One row of the task's state machine. */
export interface TaskTransition {
  /** The states from which it is accepted (D-14). */
  readonly from: readonly TaskState[];
  /** Null if it leaves the state unchanged. */
  readonly to: TaskState | null;
  /** Whether the operator is kept as the task's userName (TASK-13). */
  readonly recordsOperator: boolean;
  /** Fields that take a value of the operation's body. */
  readonly records: readonly ('selectedCoilId' | 'overrideReason' | 'unattainableReason')[];
  /** The date that becomes now, unless it is set. */
  readonly stamps: 'availableDate' | 'startedDate' | 'completedDate' | null;
  readonly clears: readonly Exclude<keyof TaskProgress, 'taskState' | 'lastOperation'>[];
  /** Whether the legacy system gets the coil's location before anything changes here (UP-04). */
  readonly movesCoil: boolean;
}

/** The fields that are cleared when work on a task ends, so that it can begin anew. */
const IN_PROGRESS = ['startedDate', 'selectedCoilId', 'overrideReason', 'unattainableReason', 'userName'] as const;

/** The state machine of warehouse tasks (interface.md, Warehouse tasks; TASK-06 to TASK-11, D-14, D-15). */
export const TASK_TRANSITIONS: Readonly<Record<TaskOperationType, TaskTransition>> = {
  ready: {
    from: ['Pending', 'Ready', 'InProcess'],
    to: 'Ready',
    recordsOperator: false,
    records: [],
    stamps: 'availableDate',
    clears: IN_PROGRESS,
    movesCoil: false,
  },
  inProcess: {
    from: ['Ready', 'InProcess'],
    to: 'InProcess',
    recordsOperator: true,
    records: [],
    stamps: 'startedDate',
    clears: ['unattainableReason'],
    movesCoil: false,
  },
  inTransit: {
    from: ['InProcess', 'InTransit'],
    to: 'InTransit',
    recordsOperator: true,
    records: ['selectedCoilId', 'overrideReason'],
    stamps: null,
    clears: [],
    movesCoil: false,
  },
  complete: {
    from: ['InTransit'],
    to: 'Complete',
    recordsOperator: true,
    records: [],
    stamps: 'completedDate',
    clears: [],
    movesCoil: true,
  },
  unattainable: {
    from: ['Pending', 'Ready', 'InProcess', 'InTransit'],
    to: null,
    recordsOperator: true,
    records: ['unattainableReason'],
    stamps: null,
    clears: [],
    movesCoil: false,
  },
  cancel: {
    from: ['InProcess', 'InTransit'],
    to: 'Ready',
    recordsOperator: false,
    records: [],
    stamps: 'availableDate',
    clears: IN_PROGRESS,
    movesCoil: true,
  },
};
