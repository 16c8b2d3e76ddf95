export type ChangedKind = 'task' | 'coil' | 'order' | 'profile';

/** A point in the feed of changes: a number, and the epoch in which it was given. */
export interface ChangePoint {
  readonly epoch: string;
  readonly number: number;
}

/** The newest change of a record. `id` is null if many records of the kind changed at once. */
export interface Change {
  readonly kind: ChangedKind;
  readonly id: string | null;
  readonly isRemoved: boolean;
  readonly at: number;
}

/** `isReset`: the point is unknown or forgotten, and the feed begins at `next`. */
export interface ChangePage {
  readonly next: ChangePoint;
  readonly more: boolean;
  readonly isReset: boolean;
  readonly changes: readonly Change[];
}

export interface ChangeQueries {
  changes(after: ChangePoint | null, take: number, licensedMachineIds: readonly string[]): Promise<ChangePage>;
}

/** The changes behind a cursor. At `reset` the reader reads all lists anew, and goes on from the cursor. */
export interface ChangesView {
  readonly cursor: string;
  readonly more: boolean;
  readonly reset?: true;
  readonly changes: readonly {
    readonly kind: Change['kind'];
    readonly id: string | null;
    readonly change: 'upsert' | 'remove';
    readonly at: string;
  }[];
}
