import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packSettings, unpackSettings } from '../../../src/adapters/store/backup/packed-settings.ts';
import { restoreBackup, restoreDatabase } from '../../../src/adapters/store/backup/restore-backup.ts';
import { settleStopped } from '../../../src/adapters/store/backup/stopped-data-dir.ts';
import { openConnection, openLock } from '../../../src/adapters/store/thread/database/connection.ts';
import { migrate, NEWEST_SCHEMA } from '../../../src/adapters/store/thread/database/migrations.ts';

let dir: string;
let database: string;
let settingsFile: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'plantgate-restore-'));
  database = path.join(dir, 'plantgate.db');
  settingsFile = path.join(dir, 'settings.json');
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
  expect(restoreBackup(backup, { dataDir: dir, settingsFile }, new Date(0)).keptFile).toBe(null);
  expect(existsSync(`${database}-wal`)).toBe(false);
  const kept = readdirSync(dir).find((name) => name.includes('before-restore')) ?? '';
  expect(readFileSync(path.join(dir, kept), 'utf8')).toContain('moved away');
});

it('a restore makes missing parents for others to pass, and the data directory for its owner alone', () => {
  makeDatabase();
  const place = path.join(dir, 'disk');
  mkdirSync(place);
  const owner = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);
  if (process.getuid?.() === 0) chownSync(place, owner, owner);
  const dataDir = path.join(place, 'plants', 'one', 'data');
  restoreBackup(database, { dataDir, settingsFile: path.join(dataDir, 'settings.json') }, new Date(0));
  const made = [
    path.join(place, 'plants'),
    path.join(place, 'plants', 'one'),
    dataDir,
    path.join(dataDir, 'plantgate.db'),
  ];
  expect(made.map((one) => statSync(one)).map(({ mode, uid }) => [(mode & 0o777).toString(8), uid])).toEqual([
    ['755', owner],
    ['755', owner],
    ['700', owner],
    ['600', owner],
  ]);
});

it.runIf(process.getuid?.() === 0)('a restore makes a data directory below one of root for the service', () => {
  makeDatabase();
  const dataDir = path.join(dir, 'lib', 'plantgate');
  const place = { dataDir, settingsFile: path.join(dataDir, 'settings.json'), serviceUser: { uid: 4_242, gid: 4_243 } };
  restoreBackup(database, place, new Date(0));
  const made = [path.join(dir, 'lib'), dataDir, path.join(dataDir, 'plantgate.db')].map((one) => statSync(one));
  expect(made.map(({ uid, gid }) => [uid, gid])).toEqual([
    [0, 0],
    [4_242, 4_243],
    [4_242, 4_243],
  ]);
});

const KEPT = 'settings.json.before-restore-1970-01-01T00-00-00.000Z';
const restore = (backup: string) => restoreBackup(backup, { dataDir: dir, settingsFile }, new Date(0));

/** A backup with these settings, or with none of its own (undefined). */
function backupWith(text: string | null | undefined): string {
  makeDatabase();
  const backup = path.join(dir, 'backup.db');
  copyFileSync(database, backup);
  putSettings(text ?? null);
  if (text !== undefined) packSettings(backup, settingsFile);
  return backup;
}

function putSettings(text: string | null): void {
  rmSync(settingsFile, { force: true });
  if (text !== null) writeFileSync(settingsFile, text);
}

function settingsFiles(): Readonly<Record<string, string>> {
  const names = readdirSync(dir).filter((name) => name.startsWith('settings.json'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(dir, name), 'utf8')]));
}

it.each<readonly [string, string | null | undefined, string | null, Record<string, string>]>([
  ['that differ replace the present ones, which are kept', 'old', 'new', { 'settings.json': 'old', [KEPT]: 'new' }],
  ['are put where none are', 'old', null, { 'settings.json': 'old' }],
  ['that are equal change nothing', 'old', 'old', { 'settings.json': 'old' }],
  ['that did not exist are none afterwards, and the present ones are kept', null, 'new', { [KEPT]: 'new' }],
  ['of a backup of an earlier version leave the present ones alone', undefined, 'new', { 'settings.json': 'new' }],
])('D-48 settings of a backup %s', (_, packed, present, expected) => {
  const backup = backupWith(packed);
  putSettings(present);
  restore(backup);
  expect(settingsFiles()).toEqual(expected);
  expect(unpackSettings(database)).toBe(null);
});

it('D-48 settings that cannot be replaced leave the database as it is', () => {
  const backup = backupWith('old');
  rmSync(settingsFile);
  mkdirSync(settingsFile);
  expect(() => restore(backup)).toThrow(`${settingsFile}: found EISDIR`);
  expect(readdirSync(dir).filter((name) => name.includes('restor'))).toEqual([]);
});

it('D-48 a table of settings without a row is refused, and nothing changes', () => {
  const backup = backupWith('old');
  const connection = openConnection(backup);
  connection.exec('DELETE FROM chosen_settings');
  connection.close();
  putSettings('new');
  expect(() => restore(backup)).toThrow('chosen_settings: found no row, expected one');
  expect(settingsFiles()).toEqual({ 'settings.json': 'new' });
});

it('D-48 a roll-back of an update leaves the settings alone', () => {
  const copy = backupWith('old');
  putSettings('new');
  restoreDatabase(copy, dir, new Date(0));
  expect(settingsFiles()).toEqual({ 'settings.json': 'new' });
  expect(unpackSettings(database)).toBe(null);
});

it('a restore follows no link that lies in the place of its files, and takes a backup from a read-only medium', () => {
  const backup = backupWith('old');
  chmodSync(backup, 0o444);
  putSettings('new');
  const foreign = path.join(dir, 'foreign');
  writeFileSync(foreign, 'of root');
  const names = ['plantgate.db.restoring', 'settings.json.restoring'];
  for (const name of names) symlinkSync(foreign, path.join(dir, name));
  restore(backup);
  expect(readFileSync(foreign, 'utf8')).toBe('of root');
  rmSync(path.join(dir, 'plantgate.lock'));
  symlinkSync(foreign, path.join(dir, 'plantgate.lock'));
  expect(() => restore(backup)).toThrow('ELOOP');
  for (const file of [database, settingsFile]) expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a restore has the newest records of a database whose computer failed: they are in its write-ahead log', () => {
  const failed = path.join(dir, 'failed');
  mkdirSync(failed);
  makeDatabase();
  const connection = openConnection(database);
  connection.exec("INSERT INTO machine_state VALUES ('RF-01', '{}')");
  for (const part of ['', '-wal']) copyFileSync(`${database}${part}`, path.join(failed, `plantgate.db${part}`));
  connection.exec('DELETE FROM machine_state');
  connection.close();
  restore(path.join(failed, 'plantgate.db'));
  const restored = new Database(database);
  expect(restored.prepare('SELECT machine_id FROM machine_state').pluck().all()).toEqual(['RF-01']);
  restored.close();
  expect(readdirSync(failed)).toEqual(['plantgate.db', 'plantgate.db-wal']);
});

it('a restore writes nothing beside its file, although that is a database that its gateway left', () => {
  const old = path.join(dir, 'old');
  mkdirSync(old);
  makeDatabase();
  copyFileSync(database, path.join(old, 'plantgate.db'));
  restore(path.join(old, 'plantgate.db'));
  expect(readdirSync(old)).toEqual(['plantgate.db']);
});

it('a part that an interrupted restore left is not played into the next backup', () => {
  const backup = backupWith('old');
  for (const part of ['-journal', '-wal', '-shm']) {
    writeFileSync(`${database}.restoring${part}`, 'of another backup');
  }
  restore(backup);
  expect(readdirSync(dir).filter((name) => name.includes('.restoring'))).toEqual([]);
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
