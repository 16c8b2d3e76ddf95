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
  /** The path of a new backup; its directory exists afterwards. */
  place(takenAtMs: number): Promise<string>;
  /** Checks every page of a backup, off the main thread, and makes it one file. */
  verify(file: string): Promise<void>;
  list(): Promise<readonly BackupView[]>;
  remove(file: string): Promise<void>;
}
