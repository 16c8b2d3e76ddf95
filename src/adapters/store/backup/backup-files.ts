import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { BackupFiles, BackupView } from '../../../flows/backup/backup-ports.ts';
import { makeDirectory } from '../../../runtime/make-directory.ts';
import { startThread } from '../../../runtime/start-thread.ts';
import type { VerifyThreadData } from './run-verify-thread.ts';

const NAME = /^plantgate-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.db$/;
const DIRECTORY_MODE = 0o700;

export interface BackupFilesOptions {
  readonly directory: string;
  /** The settings chosen at the page, which a backup has, too (D-48). */
  readonly settingsFile: string;
  /** The file of `src/threads` from which the verifying thread starts. */
  readonly threadEntry: URL | string;
}

/** Backups in a directory, named by their time in UTC. */
export function backupFiles({ directory, settingsFile, threadEntry }: BackupFilesOptions): BackupFiles {
  return {
    place: async (takenAtMs) => {
      await makeDirectory(directory, DIRECTORY_MODE);
      const time = new Date(takenAtMs).toISOString().replace(/\.\d+/, '').replaceAll(/[:-]/g, '');
      return path.join(directory, `plantgate-${time}.db`);
    },
    verify: (file) => verifyApart({ file, settingsFile }, threadEntry),
    list: () => listBackups(directory),
    remove: async (file) => {
      for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
    },
  };
}

/** The backups in a directory, the newest first. */
export async function listBackups(directory: string): Promise<readonly BackupView[]> {
  const names = await readdir(directory).catch(noneWhereAbsent);
  const found = await Promise.all(
    names
      .sort()
      .reverse()
      .map((name) => view(directory, name)),
  );
  return found.filter((backup) => backup !== null);
}

async function view(directory: string, name: string): Promise<BackupView | null> {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (year === undefined) return null;
  const file = path.join(directory, name);
  const { size: bytes } = await stat(file);
  return { file, takenAt: `${year}-${month}-${day}T${hour}:${minute}:${second}Z`, bytes };
}

function noneWhereAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

function verifyApart(workerData: VerifyThreadData, threadEntry: URL | string): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = startThread(threadEntry, { workerData });
    worker.once('error', reject);
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`verifying ended with ${code}`))));
  });
}
