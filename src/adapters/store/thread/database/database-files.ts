import { renameSync, rmSync, statSync } from 'node:fs';

export const DATABASE_FILE = 'plantgate.db';
export const LOCK_FILE = 'plantgate.lock';

/** SQLite takes a file with one of these ends for a part of the database beside it. */
export const SIDE_FILES = ['-wal', '-shm', '-journal'] as const;

/** The place of a copy of the database until it is a backup. */
export function backupCopyOf(database: string): string {
  return `${database}.backup-under-way`;
}

export function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Removes a database and its side files, as far as they are there. */
export function removeDatabase(file: string): void {
  for (const end of ['', ...SIDE_FILES]) rmSync(`${file}${end}`, { force: true });
}

/** Gives the side files of a database the name of another one, because they belong to it by name. */
export function moveSideFiles(file: string, target: string): void {
  for (const end of SIDE_FILES) {
    if (isThere(`${file}${end}`)) renameSync(`${file}${end}`, `${target}${end}`);
  }
}

/** The end of a backup's name until it is whole. */
export const ARRIVING = '.part';
