import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { backupFiles } from '../../../src/adapters/store/backup/backup-files.ts';
import { APPLICATION_ID } from '../../../src/adapters/store/thread/database/connection.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { BackupFiles } from '../../../src/flows/backup/backup-ports.ts';
import { Backups } from '../../../src/flows/backup/backups.ts';
import type { Clock, Incident, Incidents } from '../../../src/flows/ports.ts';
import { openBackups } from '../../../src/gateway/backups.ts';
import { threadEntry } from '../../../src/threads.ts';
import { newDataDir, quietLog, START_AT } from '../../adapters/store/open-test-store.ts';

const HOUR_MS = 3_600_000;

function backUp(file: string): Promise<void> {
  new Database(file).exec(`PRAGMA application_id = ${APPLICATION_ID}; CREATE TABLE kept (at)`).close();
  return Promise.resolve();
}

function filesIn(directory: string, dataDir = newDataDir()) {
  const settingsFile = path.join(dataDir, 'settings.json');
  return backupFiles({ dataDir, directory, settingsFile, threadEntry: threadEntry('verify-thread') });
}

/** Each backup is taken an hour after the one before. */
function base(afterHours = 0) {
  let hours = afterHours;
  const now = () => {
    hours += 1;
    return { monotonicMs: 0, wallMs: START_AT + hours * HOUR_MS };
  };
  return { clock: { now }, incidents: { report: () => undefined }, log: quietLog, isScheduled: true };
}

it('without a schedule the newest seven backups stay, and other files are left alone', async () => {
  const dataDir = newDataDir();
  const { config } = loadConfig({ environment: {}, cwd: dataDir, hostName: 'here', timeZone: 'UTC' });
  const { backups } = openBackups({ config: { ...config, dataDir }, store: { backUp }, ...base() });
  const files = [(await backups.take()).file];
  const foreign = path.join(dataDir, 'backups/plantgate-mine.db');
  writeFileSync(foreign, 'mine');
  for (let number = 0; number < 8; number++) files.unshift((await backups.take()).file);
  expect((await backups.list()).map(({ file }) => file)).toEqual(files.slice(0, 7));
  expect(existsSync(foreign)).toBe(true);
});

it('a scheduled backup deletes the oldest ones beyond storage.backups.keep, also manual ones', async () => {
  const backups = new Backups({ copy: backUp, files: filesIn(newDataDir()), keep: 2, ...base() });
  const byHand = [await backups.take(), await backups.take(), await backups.take()];
  expect(await backups.list()).toHaveLength(3);
  const scheduled = await backups.takeAndRotate();
  expect(await backups.list()).toEqual([scheduled, byHand[2]]);
});

it('D-49 a backup that an interrupted one left half written is no backup, and is removed by the next', async () => {
  const [dataDir, directory] = [newDataDir(), newDataDir()];
  const half = 'plantgate-20260302T070000Z.db.part';
  for (const name of [half, `${half}-journal`, 'mine.part']) writeFileSync(path.join(directory, name), 'half');
  for (const end of ['', '-journal']) writeFileSync(path.join(dataDir, `plantgate.db.backup-under-way${end}`), 'half');
  const backups = new Backups({ copy: backUp, files: filesIn(directory, dataDir), keep: 2, ...base() });
  expect(await backups.list()).toEqual([]);
  const { file } = await backups.take();
  expect(readdirSync(directory).toSorted()).toEqual(['mine.part', path.basename(file)]);
  expect(readdirSync(dataDir)).toEqual([]);
});

it('a backup that fails leaves nothing', async () => {
  const [dataDir, directory] = [newDataDir(), newDataDir()];
  const copy = async (file: string) => writeFileSync(file, 'no database');
  const backups = new Backups({ copy, files: filesIn(directory, dataDir), keep: 2, ...base() });
  await expect(backups.take()).rejects.toThrow('the backup was not taken');
  expect([...readdirSync(directory), ...readdirSync(dataDir)]).toEqual([]);
});

it.each(['/dev/shm', tmpdir()])(
  'D-49 the database is copied on its own disk first, and the backup arrives in %s',
  async (place) => {
    const [dataDir, directory] = [newDataDir(), mkdtempSync(path.join(place, 'plantgate-backups-'))];
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const copies: string[] = [];
    const copy = (file: string) => {
      copies.push(path.dirname(file));
      return backUp(file);
    };
    const backups = new Backups({ copy, files: filesIn(directory, dataDir), keep: 2, ...base() });
    const { file, bytes } = await backups.take();
    expect(copies).toEqual([dataDir]);
    expect(bytes).toBeGreaterThan(4_096);
    expect(readdirSync(directory)).toEqual([path.basename(file)]);
    expect(readdirSync(dataDir)).toEqual([]);
  },
);

it('D-49 a backup without room on the disk is refused before anything is written', async () => {
  const dataDir = newDataDir();
  // A sparse file takes no room itself.
  const database = path.join(dataDir, 'plantgate.db');
  writeFileSync(database, '');
  truncateSync(database, 2 ** 42);
  const directory = newDataDir();
  const backups = new Backups({ copy: backUp, files: filesIn(directory, dataDir), keep: 2, ...base() });
  await expect(backups.take()).rejects.toThrow(/needs 4194368 MiB for a backup, and \d+ MiB are free/);
  expect([readdirSync(dataDir), readdirSync(directory)]).toEqual([['plantgate.db'], []]);
});

it('D-49 after the clock was put back, new backups stay and those with a later time are deleted', async () => {
  const directory = newDataDir();
  const before = new Backups({ copy: backUp, files: filesIn(directory), keep: 3, ...base(1_000) });
  for (let number = 0; number < 3; number++) await before.takeAndRotate();
  const after = new Backups({ copy: backUp, files: filesIn(directory), keep: 3, ...base() });
  const taken: string[] = [];
  for (let number = 0; number < 4; number++) {
    taken.unshift((await after.takeAndRotate()).file);
    expect((await after.list()).map(({ file }) => file)).toEqual(expect.arrayContaining(taken.slice(0, 3)));
    expect(await after.list()).toHaveLength(3);
  }
});

/** A disk whose calls all fail but those that are given. */
function failingDisk(calls: Partial<BackupFiles>): BackupFiles {
  const failing = (call: string) => () => Promise.reject(new Error(`EIO: i/o error, ${call}`));
  return {
    begin: failing('begin'),
    finish: failing('finish'),
    abandon: failing('abandon'),
    list: failing('list'),
    remove: failing('remove'),
    ...calls,
  };
}

function reporting(files: BackupFiles) {
  const incidents: Incident[] = [];
  const lines: object[] = [];
  const report: Incidents = { report: (incident) => void incidents.push(incident) };
  const clock: Clock = { now: () => ({ monotonicMs: 0, wallMs: START_AT }) };
  const log = { ...quietLog, warn: (fields: object) => void lines.push(fields) };
  const copy = () => Promise.resolve();
  const backups = new Backups({ copy, files, keep: 1, isScheduled: true, clock, incidents: report, log });
  return { backups, incidents, lines };
}

it('a backup that the disk refuses is told with the first fault, and the one that cannot be cleared away is logged', async () => {
  const { backups, incidents, lines } = reporting(failingDisk({}));
  const refusal = { code: 'store-unavailable', message: 'the backup was not taken: EIO: i/o error, begin' };
  await expect(backups.take()).rejects.toMatchObject(refusal);
  expect(incidents).toEqual([{ kind: 'store', subject: 'backup', detail: 'EIO: i/o error, begin' }]);
  expect(lines).toEqual([{ error: 'EIO: i/o error, abandon' }]);
});

it('while a backup is taken another is refused; when it has failed the next is taken', async () => {
  const disk = Promise.withResolvers<string>();
  const begin = () => disk.promise;
  const { backups, incidents } = reporting(failingDisk({ begin, abandon: () => Promise.resolve() }));
  const first = backups.take();
  await expect(backups.take()).rejects.toMatchObject({ code: 'conflict' });
  expect(incidents).toEqual([]);
  disk.reject(new Error('EIO: i/o error'));
  await expect(first).rejects.toMatchObject({ code: 'store-unavailable' });
  await expect(backups.take()).rejects.toMatchObject({ code: 'store-unavailable' });
});
