import {
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../domain/error-code.ts';
import { makeDirectorySync } from '../../../runtime/disk/make-directory.ts';
import { syncFile } from '../../../runtime/disk/sync-file.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { DATABASE_FILE, isThere, moveSideFiles, removeDatabase } from '../thread/database/database-files.ts';
import { errorText } from '../thread/database/disk-fault.ts';
import { type PackedSettings, settingsText, unpackSettings } from './packed-settings.ts';
import { lockStopped } from './stopped-data-dir.ts';
import { finishBackup, verifyBackup } from './verify-backup.ts';

/** `keptFile` is the database that was there before, under its new name; null: there was none. */
export interface Restored {
  readonly keptFile: string | null;
  readonly settings: RestoredSettings;
}

/** `kept` is the file of settings that was there before, under its new name; null: there was none. */
export type RestoredSettings = 'notInBackup' | 'unchanged' | { readonly kept: string | null };

export interface RestorePlace {
  readonly dataDir: string;
  /** The settings chosen at the page. */
  readonly settingsFile: string;
  /** The user of the service, if it is installed on this computer. */
  readonly serviceUser?: Owner | undefined;
}

/**
 * Puts a backup in the place of the database of a gateway that does not run, and its settings in the place of the
 * present ones (D-48). What was there is renamed, never deleted. Throws StoreOpenError: `locked` while a gateway runs
 * there, `disk` if the disk fails, or the error of `verifyBackup`.
 */
export function restoreBackup(backup: string, place: RestorePlace, now: Date): Restored {
  makeDataDir(place);
  return replaceWith(backup, place.dataDir, (packed, swapDatabase) => {
    const suffix = suffixAt(now);
    // The settings first, because writing them may fail. If a rename fails, the whole can be repeated.
    const settings = packed === null ? 'notInBackup' : replaceSettings(packed.text, place, suffix);
    return { keptFile: swapDatabase(suffix), settings };
  });
}

/**
 * Puts a copy of the database back, without settings; gives the database that was there, under its new name. Throws
 * like `restoreBackup`.
 */
export function restoreDatabase(copy: string, dataDir: string, now: Date): string | null {
  return replaceWith(copy, dataDir, (_, swapDatabase) => swapDatabase(suffixAt(now)));
}

/** Prepares a verified copy without settings, and lets `swap` put it in its place. */
function replaceWith<Result>(
  backup: string,
  dataDir: string,
  swap: (packed: PackedSettings | null, swapDatabase: (suffix: string) => string | null) => Result,
): Result {
  const lock = lockStopped(dataDir);
  const target = path.join(dataDir, DATABASE_FILE);
  const arriving = `${target}.restoring`;
  try {
    if (!isThere(backup)) throw new StoreOpenError('disk', `${backup} does not exist`);
    // SQLite would apply the log of an earlier copy, which an interrupted restore left, to this copy.
    removeDatabase(arriving);
    copyFor(dataDir, backup, arriving);
    // If the computer failed while the database was in use, its newest records are in these files.
    for (const part of ['-wal', '-journal']) {
      if (isThere(`${backup}${part}`)) copyFor(dataDir, `${backup}${part}`, `${arriving}${part}`);
    }
    // Only the copy is opened: SQLite writes files beside a database, and the disk of the original may be read-only.
    finishBackup(arriving, backup);
    verifyBackup(arriving, backup);
    const packed = unpackSettings(arriving);
    const result = swap(packed, (suffix) => {
      const keptFile = keepPresent(target, suffix);
      renameSync(arriving, target);
      return keptFile;
    });
    syncFile(dataDir);
    return result;
  } catch (error) {
    throw error instanceof StoreOpenError ? error : new StoreOpenError('disk', `${dataDir}: ${errorText(error)}`);
  } finally {
    removeDatabase(arriving);
    lock.close();
  }
}

/**
 * Makes the data directory and missing parents, for the owner of the nearest directory that is there. Where that is
 * root, as in `/var/lib`, the data directory is for the service.
 */
function makeDataDir({ dataDir, serviceUser }: RestorePlace): void {
  const missing: string[] = [];
  for (let place = path.resolve(dataDir); !isThere(place); place = path.dirname(place)) missing.unshift(place);
  const [first] = missing;
  if (first === undefined) return;
  const around = statSync(path.dirname(first));
  for (const place of missing) {
    const isDataDir = place === missing.at(-1);
    makeDirectorySync(place, isDataDir ? 0o700 : 0o755);
    const owner = isDataDir && around.uid === 0 ? (serviceUser ?? around) : around;
    if (process.getuid?.() === 0) chownSync(place, owner.uid, owner.gid);
  }
}

function suffixAt(now: Date): string {
  return `.before-restore-${now.toISOString().replaceAll(':', '-')}`;
}

/**
 * Gives the former database a second name, so that a power cut before it is replaced leaves no empty gateway, and moves
 * its write-ahead log, which belongs to it by name. A log that a power cut left alone is moved too, because SQLite would
 * take it for the log of the backup.
 */
function keepPresent(target: string, suffix: string): string | null {
  const wasThere = isThere(target);
  const kept = freeName(`${target}${suffix}`);
  if (wasThere) giveSecondName(target, kept);
  moveSideFiles(target, kept);
  return wasThere ? kept : null;
}

/** Some file systems have no second names, and no directory has one. Then the file is renamed. */
function giveSecondName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP'].includes(errorCode(error) ?? '')) throw error;
    renameSync(file, name);
  }
}

/** A clock that was put back may give a name for the second time. */
function freeName(name: string): string {
  let free = name;
  for (let number = 2; isThere(free); number += 1) free = `${name}-${number}`;
  return free;
}

/** At each moment a file of settings is in place, unless the backup was taken without one. */
function replaceSettings(
  text: string | null,
  { dataDir, settingsFile }: RestorePlace,
  suffix: string,
): RestoredSettings {
  if (text === settingsText(settingsFile)) return 'unchanged';
  const kept = isThere(settingsFile) ? `${settingsFile}${suffix}` : null;
  if (text === null) {
    renameSync(settingsFile, `${settingsFile}${suffix}`);
    return { kept };
  }
  const arriving = `${settingsFile}.restoring`;
  try {
    writeFor(dataDir, arriving, text);
    if (kept !== null) linkSync(settingsFile, kept);
    renameSync(arriving, settingsFile);
    return { kept };
  } finally {
    rmSync(arriving, { force: true });
  }
}

/**
 * Files that root writes for the owner of a data directory. The owner may have put a link in their place: it is removed,
 * not followed.
 */

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const OWNER_ONLY = 0o600;

/** Writes a new file with mode 0600, whole on the disk. */
export function writeFor(dataDir: string, file: string, text: string): void {
  rmSync(file, { force: true });
  finish(dataDir, openSync(file, 'wx', OWNER_ONLY), text);
}

/** Copies a file of any mode to a new one with mode 0600, whole on the disk. */
export function copyFor(dataDir: string, from: string, file: string): void {
  rmSync(file, { force: true });
  copyFileSync(from, file, constants.COPYFILE_EXCL);
  finish(dataDir, openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW));
}

function finish(dataDir: string, handle: number, text = ''): void {
  const { uid, gid } = statSync(dataDir);
  try {
    if (text !== '') writeFileSync(handle, text);
    fchmodSync(handle, OWNER_ONLY);
    if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
