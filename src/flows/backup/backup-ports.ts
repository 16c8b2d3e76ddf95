/** A backup on disk. `file` is its path, and `takenAt` is ISO 8601. */
export interface BackupView {
  readonly file: string;
  readonly takenAt: string;
  readonly bytes: number;
}

/** Backups of all state, taken while the gateway runs (contract.md, `backup`). */
export interface BackupApi {
  /** Takes one and verifies it. Rejects with `conflict` while another is being taken, `store-unavailable` if it fails. */
  take(): Promise<BackupView>;
  /** The newest first. */
  list(): Promise<readonly BackupView[]>;
}

/** The directory of backups. Each call rejects if the disk fails. */
export interface BackupFiles {
  /**
   * Gives the path to which the database is to be copied: on its own disk, so that a slow medium of the backups does not
   * hold up the store. Rejects if either disk has too little room.
   */
  begin(): Promise<string>;
  /**
   * Completes the copy, checks every page of it, off the main thread, and puts it among the backups. It gets its name
   * only then, so that a half copy never counts as a backup.
   */
  finish(takenAtMs: number): Promise<BackupView>;
  /** Removes what an interrupted backup left. */
  abandon(): Promise<void>;
  list(): Promise<readonly BackupView[]>;
  remove(file: string): Promise<void>;
}
