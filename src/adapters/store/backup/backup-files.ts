import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../../domain/error-code.ts';
import type { BackupFiles, BackupView } from '../../../flows/backup/backup-ports.ts';
import { makeDirectory } from '../../../runtime/disk/make-directory.ts';
import { namesIn } from '../../../runtime/disk/names-in.ts';
import { requireRoom } from '../../../runtime/disk/room.ts';
import { startThread } from '../../../runtime/start-thread.ts';
import { ARRIVING, backupCopyOf, DATABASE_FILE, SIDE_FILES } from '../thread/database/database-files.ts';
import type { VerifyThreadData } from './run-verify-thread.ts';

const NAME = /^plantgate-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.db$/;
/** A backup that is not whole, and the files that SQLite has beside it. */
const UNFINISHED = new RegExp(`${NAME.source.slice(0, -1)}\\${ARRIVING}(${SIDE_FILES.join('|')})?$`);
const DIRECTORY_MODE = 0o700;

export interface BackupFilesOptions {
  readonly dataDir: string;
  readonly directory: string;
  /** The settings chosen at the page, which a backup has, too (D-48). */
  readonly settingsFile: string;
  /** The file (src/threads.ts) from which the verifying thread starts. */
  readonly threadEntry: URL | string;
}

/** Backups in a directory, named by their time in UTC. */
export function backupFiles({ dataDir, directory, settingsFile, threadEntry }: BackupFilesOptions): BackupFiles {
  const database = path.join(dataDir, DATABASE_FILE);
  const copy = backupCopyOf(database);
  const abandon = async () => {
    for (const end of ['', ...SIDE_FILES]) await rm(`${copy}${end}`, { force: true });
    const names = await namesIn(directory);
    for (const name of names) if (UNFINISHED.test(name)) await rm(path.join(directory, name), { force: true });
  };
  return {
    begin: async () => {
      await makeDirectory(directory, DIRECTORY_MODE);
      await abandon();
      const bytes = (await sizeOf(database)) + (await sizeOf(`${database}-wal`));
      for (const place of [dataDir, directory]) await requireRoom(place, bytes, 'a backup');
      return copy;
    },
    finish: async (takenAtMs) => {
      const time = new Date(takenAtMs).toISOString().replace(/\.\d+/, '').replaceAll(/[:-]/g, '');
      const name = `plantgate-${time}.db`;
      await verifyApart({ copy, settingsFile, file: path.join(directory, name) }, threadEntry);
      return view(directory, name);
    },
    abandon,
    list: () => listBackups(directory),
    remove: async (file) => {
      // An earlier version could leave side files after a power cut.
      for (const end of ['', ...SIDE_FILES]) await rm(`${file}${end}`, { force: true });
    },
  };
}

/** Whether a file is named like a backup. */
export function isBackupName(name: string): boolean {
  return NAME.test(name);
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** The backups in a directory, the newest first. */
export async function listBackups(directory: string): Promise<readonly BackupView[]> {
  const names = (await namesIn(directory)).filter(isBackupName);
  return Promise.all(
    names
      .sort()
      .reverse()
      .map((name) => view(directory, name)),
  );
}

async function view(directory: string, name: string): Promise<BackupView> {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  const file = path.join(directory, name);
  const { size: bytes } = await stat(file);
  return { file, takenAt: `${year}-${month}-${day}T${hour}:${minute}:${second}Z`, bytes };
}

function verifyApart(workerData: VerifyThreadData, threadEntry: URL | string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = startThread(threadEntry, { workerData });
    worker.once('error', reject);
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`verifying ended with ${code}`))));
  });
}
