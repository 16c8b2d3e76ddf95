import {
  chownSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { StoreOpenError } from '../store-open-error.ts';
import { openLock } from '../thread/database/connection.ts';
import { diskFault, errorText } from '../thread/database/disk-fault.ts';
import { DATABASE_FILE, LOCK_FILE } from '../thread/database/open-database.ts';
import { verifyBackup } from './verify-backup.ts';

/** The files after a restore; null: there was no database before. */
export interface Restored {
  readonly keptFile: string | null;
}

/**
 * Puts a backup in the place of the database of a gateway that does not run. The database that was there is renamed, never
 * deleted. Throws StoreOpenError: `locked` while a gateway runs there; as `verifyBackup` does; `disk` where the disk fails.
 */
export function restoreBackup(backup: string, dataDir: string, now: Date): Restored {
  verifyBackup(backup);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(dataDir);
  try {
    const target = path.join(dataDir, DATABASE_FILE);
    const arriving = `${target}.restoring`;
    copyFileSync(backup, arriving);
    giveTo(arriving, dataDir);
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

function lockDirectory(dataDir: string) {
  const file = path.join(dataDir, LOCK_FILE);
  try {
    const lock = openLock(file);
    giveTo(file, dataDir);
    return lock;
  } catch (error) {
    if (diskFault(error) !== 'busy') throw new StoreOpenError('cannot-create', `${dataDir}: ${errorText(error)}`);
    throw new StoreOpenError('locked', `a gateway runs on ${dataDir}: stop it first, as by "systemctl stop plantgate"`);
  }
}

/** The database before, with its write-ahead log, which belongs to it by name. */
function keepPresent(target: string, now: Date): string | null {
  if (statSync(target, { throwIfNoEntry: false }) === undefined) return null;
  const kept = `${target}.before-restore-${now.toISOString().replaceAll(':', '-')}`;
  renameSync(target, kept);
  for (const suffix of ['-wal', '-shm', '-journal']) {
    if (statSync(`${target}${suffix}`, { throwIfNoEntry: false }) !== undefined)
      renameSync(`${target}${suffix}`, `${kept}${suffix}`);
  }
  return kept;
}

/** Root restores for the service's user, who owns the directory. */
function giveTo(file: string, dataDir: string): void {
  const { uid, gid } = statSync(dataDir);
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

function sync(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
