/** What may be asked of a task, with the fields of its body (interface.md, Warehouse tasks); null: left out. */
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

export type TaskOperationType = TaskOperation['type'];
