import { closeSync, constants, existsSync, fchmodSync, fstatSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { folded } from './letter-case.ts';

export type Connection = Database.Database;

/** Marks a database file as this product's (SQLite application_id). */
export const APPLICATION_ID = 0x50_4c_47_54;
const FILE_MODE = 0o600;
/** A larger WAL file is cut back to this size after a checkpoint. */
const JOURNAL_BYTES = 16 * 1024 * 1024;
/** If checkpoints ever fall behind (checkpoint.ts), SQLite makes one within a commit at this many pages. */
const CHECKPOINT_BACKSTOP_PAGES = 16_384;
/** The pages of the file that SQLite keeps by itself. The system caches the file as well, in memory that others may claim. */
const CACHE_KIB = 8 * 1024;

/** Makes sure that the file exists and only its owner reads it; SQLite gives its WAL the same mode. */
export function createPrivateFile(path: string, moreFlags = 0): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | moreFlags, FILE_MODE);
  try {
    if ((fstatSync(file).mode & 0o777) !== FILE_MODE) fchmodSync(file, FILE_MODE);
  } finally {
    closeSync(file);
  }
}

/**
 * Opens the database so that commits survive a power cut (synchronous=FULL), for this process alone: the exclusive mode
 * needs no shared-memory file, so that a full disk can still be read. Throws SqliteError if the file is no sound
 * database, and NotOurs if it belongs to another program.
 */
export function openConnection(path: string): Connection {
  const isNew = !existsSync(path);
  createPrivateFile(path);
  const connection = new Database(path, { timeout: 0 });
  try {
    connection.pragma('locking_mode = EXCLUSIVE');
    const applicationId = connection.pragma('application_id', { simple: true });
    const isEmpty = isNew || connection.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
    if (!isEmpty && applicationId !== APPLICATION_ID) throw new NotOurs(path);
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.pragma(`journal_size_limit = ${JOURNAL_BYTES}`);
    connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_BACKSTOP_PAGES}`);
    connection.pragma(`cache_size = -${CACHE_KIB}`);
    connection.function('folded', { deterministic: true }, (text) => folded(String(text)));
    if (isEmpty) connection.pragma(`application_id = ${APPLICATION_ID}`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The file is a sound database, but not one that this program wrote. */
export class NotOurs extends Error {
  constructor(path: string) {
    super(`${path} is a database of another program`);
    this.name = 'NotOurs';
  }
}

/** Holds the data directory for this process until it ends in any way, because the lock is the operating system's. */
export function openLock(path: string): Connection {
  // Root also opens the lock, in a directory where the user of the service may have put a link in its place.
  createPrivateFile(path, constants.O_NOFOLLOW);
  const lock = new Database(path, { timeout: 0 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

/**
 * Runs `work` as one transaction: committed when it returns, rolled back when it throws; inside another transaction it is
 * a savepoint of that one. `work` is synchronous: a promise is refused by type, because its later work would lie outside.
 */
export function transact<T>(
  connection: Connection,
  work: () => T,
  ..._noPromises: T extends PromiseLike<unknown> ? [error: 'a transaction cannot wait for a promise'] : []
): T {
  return connection.transaction(work)();
}
