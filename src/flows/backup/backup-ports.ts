/** A backup on disk. `file` is its path, and `takenAt` is ISO 8601. */
export interface BackupView {
  readonly file: string;
  readonly takenAt: string;
  readonly bytes: number;
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
