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
