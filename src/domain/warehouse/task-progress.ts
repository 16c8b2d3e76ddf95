import type { Task } from '../plant/plant.ts';

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
