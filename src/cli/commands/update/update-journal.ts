import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { LOCAL_ACCESS_FILE } from '../../../adapters/system/local-access.ts';
import type { Disk } from './disk.ts';

/**
 * The progress of an update. `prepared`: the program and its data are unchanged. `swapping`: the new program may be in
 * place and may run. `confirmed`: it serves and stays. `undoing`: it did not serve in time, and the previous one comes
 * back. If that fails, the new one may be in place and may run.
 */
export interface UpdateJournal {
  readonly step: 'prepared' | 'swapping' | 'confirmed' | 'undoing';
  readonly from: string;
  readonly to: string;
  /** The schema of the former database; null if there was none. */
  readonly schema: number | null;
  /** Whether the former database is kept as a whole, because the new program would change its schema. */
  readonly hasCopy: boolean;
  /**
   * The trace of the last start before this step. A different trace shows that a program has served since, which may have
   * acknowledged records.
   */
  readonly servedTrace: string | null;
}

/** The update that is under way or was interrupted, or null. */
export function readJournal(file: string): UpdateJournal | null {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null;
  // The file belongs to root and is written as a whole.
  return JSON.parse(readFileSync(file, 'utf8')) as UpdateJournal;
}

export function writeJournal(disk: Disk, file: string, journal: UpdateJournal): void {
  disk.write(file, `${JSON.stringify(journal)}\n`);
}

/** A gateway writes a new access for the command line each time it begins to serve. */
export function servedTrace(dataDir: string): string | null {
  const stats = statSync(path.join(dataDir, LOCAL_ACCESS_FILE), { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.ino}-${stats.mtimeMs}`;
}
