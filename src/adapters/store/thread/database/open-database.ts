import { renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { SetAsideDatabase } from '../../../../flows/store-health-ports.ts';
import { makeDirectorySync } from '../../../../runtime/make-directory.ts';
import { StoreOpenError } from '../../store-open-error.ts';
import { type Connection, NotOurs, openConnection, openLock } from './connection.ts';
import { diskFault, errorText } from './disk-fault.ts';
import { migrate } from './migrations.ts';
import { salvage } from './salvage.ts';
import { noteSetAside, setAsideBefore, setAsidePath } from './set-aside-note.ts';
import { loadSqliteAddon } from './sqlite-addon.ts';

export const DATABASE_FILE = 'plantgate.db';
export const LOCK_FILE = 'plantgate.lock';
const DIRECTORY_MODE = 0o700;

export interface OpenDatabase<T> {
  readonly connection: Connection;
  /** Held as long as the database is open. */
  readonly lock: Connection;
  /** A database that was damaged, now or at an earlier start; null: none lies here. */
  readonly setAside: SetAsideDatabase | null;
  /** The result of `load`. */
  readonly loaded: T;
}

/**
 * Locks the data directory, opens its database at the newest schema and reads it with `load`. An unreadable file is set
 * aside and the store begins again with everything that can be saved, so the gateway starts with any disk content.
 * Throws StoreOpenError if the directory is in use, newer than this program, or cannot be written at all.
 */
export function openDatabase<T>(
  dataDir: string,
  suspect: boolean,
  load: (connection: Connection) => T,
): OpenDatabase<T> {
  const path = join(dataDir, DATABASE_FILE);
  loadSqliteAddon();
  const lock = lockDirectory(dataDir);
  try {
    const irregular = setAsideIrregular(path);
    if (irregular !== null) noteSetAside({ ...irregular, losses: [{ table: null, reason: 'it is no file' }] });
    try {
      return { ...openSound(path, suspect, load), lock, setAside: setAsideBefore(path) };
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { ...openSalvaged(path, load), lock };
    }
  } catch (error) {
    lock.close();
    throw refusal(error, dataDir);
  }
}

function lockDirectory(dataDir: string): Connection {
  const path = join(dataDir, LOCK_FILE);
  try {
    makeDirectorySync(dataDir, DIRECTORY_MODE);
    setAsideIrregular(path);
    try {
      return openLock(path);
    } catch (error) {
      if (diskFault(error) !== 'corrupt') throw error;
      // The lock is free, because a held lock is noticed before its file is read. The file is emptied in place, so that
      // it stays the same lock for all processes.
      truncateSync(path);
      return openLock(path);
    }
  } catch (error) {
    throw refusal(error, dataDir);
  }
}

/** Opens a fresh database with all that can be saved of the damaged one. */
function openSalvaged<T>(path: string, load: (connection: Connection) => T): Omit<OpenDatabase<T>, 'lock'> {
  const { file, at } = setAside(path);
  // This note is written first, so that it exists even if a power cut interrupts the saving.
  noteSetAside({
    file,
    at,
    losses: [{ table: null, reason: 'saving the rows of the damaged database was interrupted' }],
  });
  const { connection, loaded } = openSound(path, false, (opened) => {
    const losses = salvage(opened, file);
    return { losses, state: load(opened) };
  });
  return { connection, loaded: loaded.state, setAside: noteSetAside({ file, at, losses: loaded.losses }) };
}

function openSound<T>(path: string, suspect: boolean, load: (connection: Connection) => T) {
  const connection = openConnection(path);
  try {
    if (suspect) checkWhole(connection);
    migrate(connection);
    return { connection, loaded: load(connection) };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function checkWhole(connection: Connection): void {
  const finding = connection.pragma('quick_check(1)', { simple: true });
  if (finding !== 'ok') throw new Database.SqliteError(String(finding), 'SQLITE_CORRUPT');
}

/** An error of SQLite that is not about the disk itself is about the content of the file. */
function isDamage(error: unknown): boolean {
  if (error instanceof NotOurs) return true;
  const fault = diskFault(error);
  return fault === 'corrupt' || (fault === 'none' && error instanceof Database.SqliteError);
}

/** Renames the database with its WAL, which belongs to it by name. */
function setAside(path: string): Omit<SetAsideDatabase, 'losses'> {
  const now = new Date();
  const target = setAsidePath(path, now);
  renameSync(path, target);
  for (const suffix of ['-wal', '-shm', '-journal']) {
    if (statSync(`${path}${suffix}`, { throwIfNoEntry: false }) !== undefined) {
      renameSync(`${path}${suffix}`, `${target}${suffix}`);
    }
  }
  return { file: target, at: now.toISOString() };
}

/** Sets aside anything at the path that is no file, for example a directory; null if there is nothing to set aside. */
function setAsideIrregular(path: string): Omit<SetAsideDatabase, 'losses'> | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || found.isFile() ? null : setAside(path);
}

function refusal(error: unknown, dataDir: string): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const text = errorText(error);
  if (diskFault(error) === 'busy') {
    return new StoreOpenError(
      'locked',
      `${dataDir} is in use by another plantgate: stop that one, or choose another dataDir`,
    );
  }
  if (['full', 'failing'].includes(diskFault(error))) return new StoreOpenError('disk', `${dataDir}: ${text}`);
  return new StoreOpenError('cannot-create', `${dataDir} cannot be used: ${text}`);
}
