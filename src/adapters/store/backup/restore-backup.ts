import { closeSync, copyFileSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../../runtime/make-directory.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { errorText } from '../thread/database/disk-fault.ts';
import { DATABASE_FILE } from '../thread/database/open-database.ts';
import { giveToOwner, lockStopped } from './stopped-data-dir.ts';
import { verifyBackup } from './verify-backup.ts';

/** The files after a restore; null: there was no database before. */
export interface Restored {
  readonly keptFile: string | null;
}

/**
 * Puts a backup in the place of the database of a gateway that does not run. The database that was there is renamed,
 * never deleted. Throws StoreOpenError: `locked` while a gateway runs there, `disk` if the disk fails, or the error of
 * `verifyBackup`.
 */
export function restoreBackup(backup: string, dataDir: string, now: Date): Restored {
  verifyBackup(backup);
  makeDirectorySync(dataDir, 0o700);
  const lock = lockStopped(dataDir);
  try {
    const target = path.join(dataDir, DATABASE_FILE);
    const arriving = `${target}.restoring`;
    copyFileSync(backup, arriving);
    giveToOwner(arriving, dataDir);
    sync(arriving);
    verifyBackup(arriving);
    const keptFile = keepPresent(target, now);
    renameSync(arriving, target);
    sync(dataDir);
    return { keptFile };
  } catch (error) {
    throw error instanceof StoreOpenError ? error : new StoreOpenError('disk', `${dataDir}: ${errorText(error)}`);
  } finally {
    rmSync(path.join(dataDir, `${DATABASE_FILE}.restoring`), { force: true });
    lock.close();
  }
}

/**
 * Moves the former database with its write-ahead log, which belongs to it by name. A log that a power cut left alone is
 * moved too, because SQLite would take it for the log of the backup.
 */
function keepPresent(target: string, now: Date): string | null {
  const kept = `${target}.before-restore-${now.toISOString().replaceAll(':', '-')}`;
  const isThere = (file: string) => statSync(file, { throwIfNoEntry: false }) !== undefined;
  const hadDatabase = isThere(target);
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    if (isThere(`${target}${suffix}`)) renameSync(`${target}${suffix}`, `${kept}${suffix}`);
  }
  return hadDatabase ? kept : null;
}

function sync(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
