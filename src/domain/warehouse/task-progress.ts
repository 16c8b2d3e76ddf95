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
  /** The operation that was accepted last, as one line of text, so that its repetition is known (D-14); null: none yet. */
  readonly lastOperation: string | null;
}

/** A task with all that transitions keep of it. */
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
