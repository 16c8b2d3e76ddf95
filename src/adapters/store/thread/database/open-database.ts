import { mkdirSync, renameSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { StoreOpenError } from '../../store-open-error.ts';
import { type Connection, NotOurs, openConnection, openLock } from './connection.ts';
import { diskFault, errorText } from './disk-fault.ts';
import { migrate } from './migrations.ts';
import { salvage } from './salvage.ts';
import { loadSqliteAddon } from './sqlite-addon.ts';

export const DATABASE_FILE = 'plantgate.db';
export const LOCK_FILE = 'plantgate.lock';
const DIRECTORY_MODE = 0o700;

export interface OpenDatabase<T> {
  readonly connection: Connection;
  /** Held as long as the database is open. */
  readonly lock: Connection;
  readonly setAsideFile: string | null;
  /** Contents that could not be saved, with the reasons. */
  readonly losses: readonly string[];
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
    const irregularFile = setAsideIrregular(path);
    try {
      return { ...openSound(path, suspect, load), lock, setAsideFile: irregularFile, losses: [] };
    } catch (error) {
      if (!isDamage(error)) throw error;
      const setAsideFile = setAside(path);
      const opened = openSound(path, false, (connection) => {
        const losses = salvage(connection, setAsideFile);
        return { losses, state: load(connection) };
      });
      const { losses, state } = opened.loaded;
      return { connection: opened.connection, loaded: state, lock, setAsideFile, losses };
    }
  } catch (error) {
    lock.close();
    throw refusal(error, dataDir);
  }
}

function lockDirectory(dataDir: string): Connection {
  const path = join(dataDir, LOCK_FILE);
  try {
    makeDirectory(dataDir);
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

/**
 * Creates a directory level by level, because Node's own way never ends if the system denies that a parent directory
 * exists (/proc).
 */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  mkdirSync(path, { mode: DIRECTORY_MODE });
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
function setAside(path: string): string {
  const target = `${path}.damaged-${new Date().toISOString().replaceAll(':', '-')}`;
  renameSync(path, target);
  for (const suffix of ['-wal', '-shm', '-journal']) {
    if (statSync(`${path}${suffix}`, { throwIfNoEntry: false }) !== undefined) {
      renameSync(`${path}${suffix}`, `${target}${suffix}`);
    }
  }
  return target;
}

/** Sets aside something that is no file, for example a directory in its place. */
function setAsideIrregular(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined || found.isFile() ? null : setAside(path);
}

function refusal(error: unknown, dataDir: string): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const text = errorText(error);
  if (diskFault(error) === 'busy') {
    return new StoreOpenError('locked', `${dataDir} is in use by another process of plantgate`);
  }
  if (['full', 'failing'].includes(diskFault(error))) return new StoreOpenError('disk', `${dataDir}: ${text}`);
  return new StoreOpenError('cannot-create', `${dataDir} cannot be used: ${text}`);
}
