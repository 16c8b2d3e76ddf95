import { workerData } from 'node:worker_threads';
import { finishBackup, verifyBackup } from './verify-backup.ts';

export interface VerifyThreadData {
  readonly file: string;
}

/** Verifies one backup, then ends; a fault ends it with an error. For a worker with VerifyThreadData. */
export function runVerifyThread(): void {
  const { file } = workerData as VerifyThreadData;
  finishBackup(file);
  verifyBackup(file);
}
