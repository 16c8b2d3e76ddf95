import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { SetAsideDatabase, TableLoss } from '../../../../flows/store-health-ports.ts';
import { makeDirectorySync } from '../../../../runtime/disk/make-directory.ts';
import { syncFile } from '../../../../runtime/disk/sync-file.ts';
import { StoreOpenError } from '../../store-open-error.ts';
import { type Connection, NotOurs, openConnection, openLock } from './connection.ts';
import { readableJson } from './damaged-records.ts';
import { backupCopyOf, DATABASE_FILE, isThere, LOCK_FILE, moveSideFiles, removeDatabase } from './database-files.ts';
import { diskFault, errorText } from './disk-fault.ts';
import { migrate } from './migrations.ts';
import { salvage } from './salvage.ts';
import { loadSqliteAddon } from './sqlite-addon.ts';

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
 * Throws StoreOpenError if the directory or its database is in use, newer than this program, or cannot be written at all.
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
    removeDatabase(backupCopyOf(path));
    settleExchange(path);
    setAsideIrregular(path);
    try {
      return { ...openSound(path, suspect, load), lock, setAside: setAsideBefore(path) };
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { ...openSalvaged(path, load), lock };
    }
  } catch (error) {
    lock.close();
    // The lock is held, so it is no other gateway.
    throw refusal(error, dataDir, `${path} is open in another program: end that one ("fuser -v ${path}" names it)`);
  }
}

function lockDirectory(dataDir: string): Connection {
  const path = join(dataDir, LOCK_FILE);
  try {
    makeDirectorySync(dataDir, DIRECTORY_MODE);
    // A link here could lead anywhere.
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
      renameSync(path, setAsidePath(path, new Date()));
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
    const busy = `${dataDir} is in use by another plantgate: stop that one, or choose another dataDir`;
    throw refusal(error, dataDir, busy);
  }
}

/**
 * Opens a fresh database with all that can be saved of the damaged one. The fresh one takes its place as a whole. If a
 * power cut interrupts the saving, the damaged database is still in its place, and is saved when its damage is met again.
 */
function openSalvaged<T>(path: string, load: (connection: Connection) => T): Omit<OpenDatabase<T>, 'lock'> {
  const losses = saveRows(path);
  const setAside = setAsideWith(path, losses);
  putSavedInPlace(path);
  return { ...openSound(path, false, load), setAside };
}

/** Saves what can be read of a database in `savedPath`. */
function saveRows(path: string): readonly TableLoss[] {
  const saving = savingPath(path);
  try {
    const { connection, loaded: losses } = openSound(saving, false, (opened) => {
      // One file, because it is renamed; from the beginning, so that a disk that becomes full only costs rows.
      opened.pragma('journal_mode = DELETE');
      return salvage(opened, path);
    });
    connection.close();
    renameSync(saving, savedPath(path));
    return losses;
  } finally {
    removeDatabase(saving);
  }
}

function savingPath(path: string): string {
  return `${path}.saving-under-way`;
}

/** The place of a whole database of saved rows, until the damaged one has been moved away. */
function savedPath(path: string): string {
  return `${path}.saved-rows`;
}

/** Goes on where a power cut interrupted the exchange of a damaged database. */
function settleExchange(path: string): void {
  removeDatabase(savingPath(path));
  if (!isThere(savedPath(path))) return;
  if (isThere(path)) {
    // The damaged database is still in its place, so its rows are saved again.
    rmSync(savedPath(path));
    return;
  }
  // Its log may not have been moved yet.
  moveSideFiles(path, setAsideBefore(path)?.file ?? setAsidePath(path, new Date()));
  putSavedInPlace(path);
}

function putSavedInPlace(path: string): void {
  renameSync(savedPath(path), path);
  syncFile(dirname(path));
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

/**
 * Reads the whole file, which takes 3 to 7 s a gigabyte. quick_check would be faster, but does not compare indexes with
 * their tables: the commit that met such damage would fail again after each restart.
 */
function checkWhole(connection: Connection): void {
  const finding = connection.pragma('integrity_check(1)', { simple: true });
  if (finding !== 'ok') throw new Database.SqliteError(String(finding), 'SQLITE_CORRUPT');
}

/** An error of SQLite that is not about the disk itself is about the content of the file. */
function isDamage(error: unknown): boolean {
  if (error instanceof NotOurs) return true;
  const fault = diskFault(error);
  return fault === 'corrupt' || (fault === 'none' && error instanceof Database.SqliteError);
}

/** Sets a damaged database aside. The note of its losses is written first, so no power cut leaves it without one. */
function setAsideWith(path: string, losses: readonly TableLoss[]): SetAsideDatabase {
  const now = new Date();
  const file = setAsidePath(path, now);
  const note = noteSetAside({ file, at: now.toISOString(), losses });
  renameSync(path, file);
  moveSideFiles(path, file);
  return note;
}

/** Sets aside anything at the path that is no file, for example a directory. */
function setAsideIrregular(path: string): void {
  if (isThere(path) && !statSync(path).isFile()) {
    setAsideWith(path, [{ table: null, reason: 'it is no file' }]);
  }
}

/** The error for the main thread; `busy` is its message if another program holds the file. */
function refusal(error: unknown, dataDir: string, busy: string): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const text = errorText(error);
  if (diskFault(error) === 'busy') return new StoreOpenError('locked', busy);
  if (['full', 'failing'].includes(diskFault(error))) return new StoreOpenError('disk', `${dataDir}: ${text}`);
  return new StoreOpenError('cannot-create', `${dataDir} cannot be used: ${text}`);
}

const NOTE = '.lost.json';
const FILE_MODE = 0o600;
const UNREADABLE = { at: null, losses: [{ table: null, reason: 'the note of it cannot be read' }] };

/** Where a damaged database is put: beside its old place, with the time in its name. */
export function setAsidePath(path: string, now: Date): string {
  return `${path}.damaged-${now.toISOString().replaceAll(':', '-')}`;
}

/**
 * Writes a note of the losses beside the file that was set aside, so that later starts can read it. Gives the note; if
 * it cannot be written, that is one more loss in it.
 */
export function noteSetAside(setAside: SetAsideDatabase): SetAsideDatabase {
  try {
    writeFileSync(`${setAside.file}${NOTE}`, JSON.stringify(setAside), { mode: FILE_MODE });
    return setAside;
  } catch (error) {
    const loss = { table: null, reason: `this note could not be written for later starts: ${errorText(error)}` };
    return { ...setAside, losses: [...setAside.losses, loss] };
  }
}

/** The newest database beside `path` that was set aside and still lies there; null: none. */
export function setAsideBefore(path: string): SetAsideDatabase | null {
  const notes = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(`${basename(path)}.damaged-`) && name.endsWith(NOTE),
  );
  for (const name of notes.sort().reverse()) {
    const note = join(dirname(path), name);
    const file = note.slice(0, -NOTE.length);
    if (existsSync(file)) return { file, ...contentOf(readableJson(readFileSync(note, 'utf8'))) };
  }
  return null;
}

/** Accepts any text: even a damaged note shows that a database was set aside. */
function contentOf(value: unknown): Omit<SetAsideDatabase, 'file'> {
  const isNote = typeof value === 'object' && value !== null && 'at' in value && 'losses' in value;
  if (!isNote || !Array.isArray(value.losses)) return UNREADABLE;
  return { at: typeof value.at === 'string' ? value.at : null, losses: value.losses.filter(isLoss) };
}

function isLoss(value: unknown): value is TableLoss {
  if (typeof value !== 'object' || value === null || !('table' in value) || !('reason' in value)) return false;
  return (value.table === null || typeof value.table === 'string') && typeof value.reason === 'string';
}
