import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { restoreBackup } from '../../../src/adapters/store/backup/restore-backup.ts';
import { settleStopped } from '../../../src/adapters/store/backup/stopped-data-dir.ts';
import { openConnection, openLock } from '../../../src/adapters/store/thread/database/connection.ts';
import { migrate, NEWEST_SCHEMA } from '../../../src/adapters/store/thread/database/migrations.ts';

let dir: string;
let database: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'plantgate-restore-'));
  database = path.join(dir, 'plantgate.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function makeDatabase(): void {
  const connection = openConnection(database);
  migrate(connection);
  connection.close();
}

it('a restore after an interrupted one does not take a foreign log for the log of the backup', () => {
  makeDatabase();
  const backup = path.join(dir, 'backup.db');
  copyFileSync(database, backup);
  // The database was moved away, and its log was not yet.
  rmSync(database);
  writeFileSync(`${database}-wal`, 'the log of the database that was moved away');
  expect(restoreBackup(backup, dir, new Date(0)).keptFile).toBe(null);
  expect(existsSync(`${database}-wal`)).toBe(false);
  const kept = readdirSync(dir).find((name) => name.includes('before-restore')) ?? '';
  expect(readFileSync(path.join(dir, kept), 'utf8')).toContain('moved away');
});

it('the database of a stopped gateway becomes one file that includes the content of its log', () => {
  expect(settleStopped(dir)).toBe(null);
  const connection = openConnection(database);
  migrate(connection);
  connection.close();
  const lock = openLock(path.join(dir, 'plantgate.lock'));
  expect(() => settleStopped(dir)).toThrow('a gateway runs on');
  lock.close();
  expect(settleStopped(dir)).toEqual({ file: database, schema: NEWEST_SCHEMA });
  expect(readdirSync(dir).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([]);
  writeFileSync(database, 'no database');
  expect(() => settleStopped(dir)).toThrow('plantgate.db');
});
