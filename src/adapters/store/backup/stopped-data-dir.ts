import { existsSync, lchownSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { StoreOpenError } from '../store-open-error.ts';
import { type Connection, openLock } from '../thread/database/connection.ts';
import { DATABASE_FILE, LOCK_FILE } from '../thread/database/database-files.ts';
import { diskFault, errorText } from '../thread/database/disk-fault.ts';
import { finishBackup } from './verify-backup.ts';

/** Holds the data directory of a gateway that is stopped. Throws StoreOpenError `locked` while one runs there. */
export function lockStopped(dataDir: string): Connection {
  const file = path.join(dataDir, LOCK_FILE);
  try {
    const lock = openLock(file);
    giveToOwner(file, dataDir);
    return lock;
  } catch (error) {
    if (diskFault(error) !== 'busy') throw new StoreOpenError('cannot-create', `${dataDir}: ${errorText(error)}`);
    throw new StoreOpenError('locked', `a gateway runs on ${dataDir}: stop it first, as by "systemctl stop plantgate"`);
  }
}

/** Root acts for the service's user, who owns the directory. */
function giveToOwner(file: string, dataDir: string): void {
  const { uid, gid } = statSync(dataDir);
  if (process.getuid?.() === 0) lchownSync(file, uid, gid);
}

export interface StoppedDatabase {
  readonly file: string;
  readonly schema: number;
}

/**
 * Merges the write-ahead log of a stopped gateway into its database, so that one file can be copied. Null without a
 * database. Throws StoreOpenError: `locked` while a gateway runs there, `disk` if the file cannot be read or written.
 */
export function settleStopped(dataDir: string): StoppedDatabase | null {
  const file = path.join(dataDir, DATABASE_FILE);
  if (!existsSync(file)) return null;
  const lock = lockStopped(dataDir);
  try {
    finishBackup(file);
    return { file, schema: schemaOf(file) };
  } catch (error) {
    throw error instanceof StoreOpenError ? error : new StoreOpenError('disk', `${file}: ${errorText(error)}`);
  } finally {
    lock.close();
  }
}

function schemaOf(file: string): number {
  const connection = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return Number(connection.pragma('user_version', { simple: true }));
  } finally {
    connection.close();
  }
}
