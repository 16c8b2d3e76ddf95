import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { backupFiles } from '../../../src/adapters/store/backup/backup-files.ts';
import { APPLICATION_ID } from '../../../src/adapters/store/thread/database/connection.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { Backups } from '../../../src/flows/backup/take-backups.ts';
import { openBackups } from '../../../src/gateway/backups.ts';
import { threadEntry } from '../../../src/threads/thread-entry.ts';
import { newDataDir, quietLog, START_AT } from '../../adapters/store/open-test-store.ts';

const HOUR_MS = 3_600_000;

function backUp(file: string): Promise<void> {
  new Database(file).exec(`PRAGMA application_id = ${APPLICATION_ID}; CREATE TABLE kept (at)`).close();
  return Promise.resolve();
}

/** Each backup is taken an hour after the one before. */
function base() {
  let hours = 0;
  const now = () => {
    hours += 1;
    return { monotonicMs: 0, wallMs: START_AT + hours * HOUR_MS };
  };
  return { clock: { now }, incidents: { report: () => undefined }, log: quietLog };
}

it('without a schedule the newest seven backups stay, and other files are left alone', async () => {
  const dataDir = newDataDir();
  const { config } = loadConfig({ environment: {}, cwd: dataDir, hostName: 'here', timeZone: 'UTC' });
  const backups = openBackups({ config: { ...config, dataDir }, store: { backUp }, ...base() });
  const files = [(await backups.take()).file];
  const foreign = path.join(dataDir, 'backups/plantgate-mine.db');
  writeFileSync(foreign, 'mine');
  for (let number = 0; number < 8; number++) files.unshift((await backups.take()).file);
  expect((await backups.list()).map(({ file }) => file)).toEqual(files.slice(0, 7));
  expect(existsSync(foreign)).toBe(true);
});

it('a scheduled backup deletes the oldest ones beyond storage.backups.keep, also manual ones', async () => {
  const directory = newDataDir();
  const settingsFile = path.join(directory, 'settings.json');
  const files = backupFiles({ directory, settingsFile, threadEntry: threadEntry('verify-thread') });
  const backups = new Backups({ copy: backUp, files, keep: 2, ...base() });
  const byHand = [await backups.take(), await backups.take(), await backups.take()];
  expect(await backups.list()).toHaveLength(3);
  const scheduled = await backups.takeAndRotate();
  expect(await backups.list()).toEqual([scheduled, byHand[2]]);
});
