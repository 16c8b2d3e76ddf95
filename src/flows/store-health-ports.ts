/** The condition of the store, as `/readyz` and `/metrics` show it. */

/**
 * `full`: no room on the disk; `failing`: another fault of the disk; `restarting`: the store thread died and is being
 * restarted.
 */
export type StoreHealth =
  | { readonly state: 'ok' }
  | { readonly state: 'full' | 'failing' | 'restarting'; readonly since: number; readonly detail: string };

/**
 * The slots of shared memory in which the store thread shows the watchdog its life: a count of beats, the kernel's number
 * of the thread, and 1 while it opens its database.
 */
export const STORE_PULSE = { beat: 0, threadId: 1, opening: 2 } as const;

/** A table that could not be saved out of a damaged database, and why; `table` null: all of it. */
export interface TableLoss {
  readonly table: string | null;
  readonly reason: string;
}

/** A damaged database that still lies where it was set aside. */
export interface SetAsideDatabase {
  readonly file: string;
  /** ISO 8601; null: not known. */
  readonly at: string | null;
  /** Empty: everything was saved. */
  readonly losses: readonly TableLoss[];
}

export interface StoreCounters {
  readonly pendingRecords: number;
  readonly pendingBytes: number;
  readonly oldestPendingMs: number;
  readonly commits: number;
  readonly records: number;
  readonly shedRecords: number;
  readonly databaseBytes: number;
  readonly walBytes: number;
  /** The duration of the newest commit; null before the first. */
  readonly commitMs: number | null;
  readonly threadRestarts: number;
  readonly health: StoreHealth;
  /** Writes that were refused because the disk took nothing. */
  readonly refusedWrites: number;
  /** The damaged stored records with the reasons; empty if all are sound. */
  readonly damagedRecords: readonly string[];
  /** Settings of a shared database by which acknowledged records may be lost, and a clock here that is not that of the database. */
  readonly risks: readonly string[];
  /** Null in health. */
  readonly setAside: SetAsideDatabase | null;
}
