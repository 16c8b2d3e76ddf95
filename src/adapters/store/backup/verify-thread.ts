import { isMainThread, workerData } from 'node:worker_threads';
import { finishBackup, verifyBackup } from './verify-backup.ts';

export interface VerifyThreadData {
  readonly role: 'verifyBackup';
  readonly file: string;
}

/** Verifies one backup, then ends; a fault ends it with an error. For a worker with VerifyThreadData. */
export function runVerifyThread(): void {
  const { file } = workerData as VerifyThreadData;
  finishBackup(file);
  verifyBackup(file);
}

// Bundled into one file, the program starts the thread itself.
if (!isMainThread && process.argv[1] === import.meta.filename) runVerifyThread();
