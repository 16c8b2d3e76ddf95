import { constants, copyFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { errorCode } from '../../../domain/error-code.ts';
import { requireRoomSync } from '../../../runtime/disk/room.ts';
import { syncFile } from '../../../runtime/disk/sync-file.ts';
import { ARRIVING } from '../thread/database/database-files.ts';
import { packSettings } from './packed-settings.ts';
import { finishBackup, verifyBackup } from './verify-backup.ts';

export interface VerifyThreadData {
  /** A fresh copy of the database, on its disk. */
  readonly copy: string;
  /** The settings chosen at the page. */
  readonly settingsFile: string;
  /** The place of the backup, perhaps on another disk. */
  readonly file: string;
}

/**
 * Completes and verifies one backup, puts it in its place, and ends; a fault ends it with an error. For a worker with
 * VerifyThreadData.
 */
function runVerifyThread(): void {
  const { copy, settingsFile, file } = workerData as VerifyThreadData;
  finishBackup(copy);
  dropSessions(copy);
  packSettings(copy, settingsFile);
  const arriving = `${file}${ARRIVING}`;
  carry(copy, arriving);
  verifyBackup(arriving);
  renameSync(arriving, file);
  syncFile(path.dirname(file));
}

/** Leaves the signed-in people out of a backup (D-96): a session that has ended since must not come back with it. */
function dropSessions(copy: string): void {
  const connection = new Database(copy, { fileMustExist: true });
  try {
    const hasTable =
      connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'person_session'").get() !== undefined;
    if (hasTable) connection.exec('DELETE FROM person_session');
  } finally {
    connection.close();
  }
}

/** Moves a file, to another disk if necessary. */
function carry(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    // Two mounts of one disk give EXDEV, too. Then that disk needs room for both copies.
    requireRoomSync(path.dirname(to), statSync(from).size, 'a backup');
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    syncFile(to);
    rmSync(from);
  }
}

runVerifyThread();
