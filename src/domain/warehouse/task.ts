import type { Machine, Task } from '../plant/plant.ts';

/** The operations on a task, with the fields of their bodies (interface.md, Warehouse tasks); null if left out. */
export type TaskOperation =
  | { readonly type: 'ready' }
  | { readonly type: 'inProcess'; readonly userName: string | null }
  | {
      readonly type: 'inTransit';
      readonly coilId: string;
      readonly overrideReason: string | null;
      readonly userName: string | null;
    }
  | { readonly type: 'complete'; readonly location: string; readonly userName: string | null }
  | { readonly type: 'unattainable'; readonly unattainableCode: string; readonly userName: string | null }
  | { readonly type: 'cancel'; readonly coilId: string; readonly location: string };

/** The operation with the operator that was resolved for it (TASK-13, D-31). */
export function doneBy(operation: TaskOperation, userName: string | null): TaskOperation {
  return 'userName' in operation ? { ...operation, userName } : operation;
}

export type TaskOperationType = TaskOperation['type'];

const WAREHOUSE_CLAIM = 'service.machine.warehouse';

/** Whether business clients may see a machine's warehouse tasks (TASK-03). */
export function isWarehouseLicensed({ claims }: Machine): boolean {
  return claims.includes(WAREHOUSE_CLAIM);
}

/** A task as clients see it (interface.md, Warehouse tasks), without its machine, which is internal to the gateway. */
export type TaskView = Omit<Task, 'machineId'>;

export function taskView({ machineId, lastOperation, ...view }: WarehouseTask): TaskView {
  return view;
}

/** A task as the plant file writes it. */
export function taskRecord({ lastOperation, ...record }: WarehouseTask): Task {
  return record;
}

/** The fields of a task that operations change. The plant and the central server own all others. */
export interface TaskProgress
  extends Pick<
    Task,
    | 'taskState'
    | 'availableDate'
    | 'startedDate'
    | 'completedDate'
    | 'selectedCoilId'
    | 'userName'
    | 'overrideReason'
    | 'unattainableReason'
  > {
  /**
   * The last accepted operation as one line of text, so that its repetition is recognised (D-14); null if there was
   * none.
   */
  readonly lastOperation: string | null;
}

/** A task with the fields that transitions keep. */
export type WarehouseTask = Task & TaskProgress;

/** The part of a task that transitions change. */
export function progressOf(task: WarehouseTask): TaskProgress {
  const { taskState, availableDate, startedDate, completedDate } = task;
  const { selectedCoilId, userName, overrideReason, unattainableReason, lastOperation } = task;
  return {
    taskState,
    availableDate,
    startedDate,
    completedDate,
    selectedCoilId,
    userName,
    overrideReason,
    unattainableReason,
    lastOperation,
  };
}

const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text as they are searched for: letters and digits, in lower case, each once (D-19). */
export function searchWords(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(WORD) ?? [])];
}
