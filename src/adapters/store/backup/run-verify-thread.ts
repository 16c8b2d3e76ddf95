import { workerData } from 'node:worker_threads';
import { packSettings } from './packed-settings.ts';
import { finishBackup, verifyBackup } from './verify-backup.ts';

export interface VerifyThreadData {
  /** A fresh copy of the database. */
  readonly file: string;
  /** The settings chosen at the page. */
  readonly settingsFile: string;
}

/** Completes and verifies one backup, then ends; a fault ends it with an error. For a worker with VerifyThreadData. */
export function runVerifyThread(): void {
  const { file, settingsFile } = workerData as VerifyThreadData;
  finishBackup(file);
  packSettings(file, settingsFile);
  verifyBackup(file);
}
