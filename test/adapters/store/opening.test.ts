import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openStore } from '../../../src/adapters/store/client/sqlite-store.ts';
import { APPLICATION_ID } from '../../../src/adapters/store/thread/database/connection.ts';
import { migrate } from '../../../src/adapters/store/thread/database/migrations.ts';
import { STORE_PULSE } from '../../../src/flows/store-health-ports.ts';
import {
  machine,
  machineState,
  newDataDir,
  openTestCore,
  openTestStore,
  point,
  quietLog,
  RF1,
  SHIFT_DATE,
  START_AT,
  threadEntry,
  variables,
  withoutIndex,
} from './open-test-store.ts';

const DATABASE = 'plantgate.db';

/** A data directory with one machine state and one plant record in it. */
async function usedDataDir(): Promise<string> {
  const dataDir = newDataDir();
  const { store } = await openTestStore({ dataDir });
  await store.write([
    machineState('{"cycle":7}'),
    { kind: 'plant', row: { kind: 'machines', id: 'RF-01', json: '{}' } },
  ]);
  await store.close();
  return dataDir;
}

const options = {
  threadEntry,
  retention: { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 },
  forwarding: null,
  monotonicMs: () => performance.now(),
  wallMs: () => START_AT,
  log: quietLog,
};

it('the store refuses a data directory that is in use, and takes it once it is free', async () => {
  const dataDir = newDataDir();
  const first = await openTestStore({ dataDir });
  await expect(openStore({ ...options, dataDir })).rejects.toMatchObject({ refusal: 'locked', exitCode: 73 });
  await first.store.close();
  await openTestStore({ dataDir });
});

it('the store says so if another program, not another gateway, has its database open', async () => {
  const dataDir = await usedDataDir();
  const path = join(dataDir, DATABASE);
  const other = new Database(path);
  other.prepare('SELECT count(*) FROM plant').get();
  const message = `${path} is open in another program: end that one ("fuser -v ${path}" names it)`;
  expect(() => openTestCore(dataDir)).toThrow(expect.objectContaining({ refusal: 'locked', exitCode: 73, message }));
  other.close();
  expect(openTestCore(dataDir).restored.plant).toHaveLength(1);
});

it('the store thread shows the watchdog who it is, and whether it opens its database', async () => {
  const dataDir = newDataDir();
  const newPulse = () =>
    new Int32Array(new SharedArrayBuffer(Object.keys(STORE_PULSE).length * Int32Array.BYTES_PER_ELEMENT));
  const [pulse, pulseOfRefused] = [newPulse(), newPulse()];
  await openTestStore({ dataDir, pulse });
  expect(pulse[STORE_PULSE.opening]).toBe(0);
  await expect(openStore({ ...options, dataDir, pulse: pulseOfRefused })).rejects.toMatchObject({ refusal: 'locked' });
  expect(pulseOfRefused[STORE_PULSE.opening]).toBe(1);
  expect(pulseOfRefused[STORE_PULSE.threadId]).not.toBe(pulse[STORE_PULSE.threadId]);
});

it('the store keeps its files private: 0600 in a directory of 0700', async () => {
  const dataDir = join(newDataDir(), 'data');
  const { store } = await openTestStore({ dataDir });
  await store.write([machineState('{}')]);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  for (const file of readdirSync(dataDir)) expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
});

it('the store refuses a schema newer than its own, and does not set the file aside', async () => {
  const dataDir = await usedDataDir();
  const database = new Database(join(dataDir, DATABASE));
  database.pragma('user_version = 99');
  database.close();
  await expect(openStore({ ...options, dataDir })).rejects.toMatchObject({ refusal: 'newer-schema', exitCode: 78 });
  expect(readdirSync(dataDir).filter((file) => file.includes('damaged'))).toEqual([]);
});

it('the store creates a data directory with its parent directories', async () => {
  const dataDir = join(newDataDir(), 'one', 'two');
  const { store } = await openStore({ ...options, dataDir });
  await store.close();
  expect(readdirSync(dataDir)).toContain(DATABASE);
});

it.each([
  ['in a file’s place', (dir: string) => join(dir, 'file')],
  ['below a file', (dir: string) => join(dir, 'file', 'data')],
  ['where the system has no directories', () => '/proc/plantgate/data'],
])('the store reports that a data directory cannot be created %s', async (_, within) => {
  const dir = newDataDir();
  writeFileSync(join(dir, 'file'), 'in the way');
  const dataDir = within(dir);
  await expect(openStore({ ...options, dataDir })).rejects.toMatchObject({ refusal: 'cannot-create', exitCode: 73 });
});

it.each([
  ['garbage', (path: string) => writeFileSync(path, 'not a database at all'.repeat(1_000))],
  ['a torn file', (path: string) => writeFileSync(path, 'SQLite format 3\0'.padEnd(5_000, '\x07'))],
  ['a directory', (path: string) => mkdirSync(path)],
  ['a database of another program', (path: string) => void new Database(path).exec('CREATE TABLE span (a)').close()],
])('the store starts on %s: it sets the file aside, reports it, and works', async (_, spoil) => {
  const dataDir = newDataDir();
  spoil(join(dataDir, DATABASE));
  const { store, restored } = await openTestStore({ dataDir });
  expect(restored.setAside?.file).toContain('damaged');
  await store.write([variables([point(1)])]);
  expect((await store.variablePoints(RF1, 'lineSpeed', { from: 0, to: START_AT + 1 })).points).toHaveLength(1);
});

const SET_ASIDE = `${DATABASE}.damaged-2026-03-02T08-00-00.000Z`;

it.each<readonly [string, (path: string, saved: string) => void]>([
  ['when nothing interrupts it', () => undefined],
  [
    'although a power cut interrupted it while rows are saved',
    (path) => {
      for (const end of ['.saving-under-way', '.saving-under-way-journal'])
        writeFileSync(`${path}${end}`, 'half of the rows');
    },
  ],
  [
    'although a power cut interrupted it before the damaged database is moved',
    (path) => copyFileSync(emptyDatabase(), `${path}.saved-rows`),
  ],
  [
    'although a power cut interrupted it between the note of the losses and the move',
    (path) => {
      copyFileSync(emptyDatabase(), `${path}.saved-rows`);
      writeFileSync(`${path}.damaged-2026-03-02T08-00-00.000Z.lost.json`, '{"at":null,"losses":[]}');
    },
  ],
  [
    'although a power cut interrupted it before the log of the damaged database is moved',
    (path, saved) => {
      copyFileSync(saved, `${path}.saved-rows`);
      renameSync(path, join(path, '..', SET_ASIDE));
      writeFileSync(join(path, '..', `${SET_ASIDE}.lost.json`), '{"at":null,"losses":[]}');
      writeFileSync(`${path}-wal`, 'the log of the damaged database');
    },
  ],
])('the store saves the plant and live state out of a damaged database %s', async (_, interrupt) => {
  const [sound, dataDir] = [await usedDataDir(), await usedDataDir()];
  const path = join(dataDir, DATABASE);
  const database = new Database(path);
  // A missing table of the schema makes the file unusable.
  database.exec('DROP TABLE variable_block');
  database.close();
  interrupt(path, join(sound, DATABASE));
  const isLogLeft = existsSync(`${path}-wal`);
  const { restored } = await openTestStore({ dataDir });
  expect(restored.plant).toEqual([{ kind: 'machines', id: 'RF-01', json: '{}' }]);
  expect(restored.machineStates).toEqual([{ machineId: RF1, json: '{"cycle":7}' }]);
  const names = readdirSync(dataDir);
  expect(names.filter((name) => /\.sav(ing|ed)/.test(name))).toEqual([]);
  expect(names.filter((name) => /damaged-[-.0-9TZ]+$/.test(name))).toHaveLength(1);
  expect(existsSync(restored.setAside?.file ?? '')).toBe(true);
  expect(existsSync(join(dataDir, `${SET_ASIDE}-wal`))).toBe(isLogLeft);
});

/** A database of this program without any row. */
function emptyDatabase(): string {
  const file = join(newDataDir(), DATABASE);
  const connection = new Database(file);
  migrate(connection);
  connection.close();
  return file;
}

it('the store lists the losses of a damaged database, also at later starts, until its file is removed', async () => {
  const dataDir = newDataDir();
  const first = openTestCore(dataDir);
  first.store([point(1)]);
  first.close();
  const database = new Database(join(dataDir, DATABASE));
  database.exec('DROP TABLE task; DROP TABLE variable_series');
  database.close();
  const second = await openTestStore({ dataDir });
  const { setAside } = second.restored;
  expect(setAside?.losses).toEqual([
    { table: 'task', reason: 'no such table' },
    { table: 'variable_recent', reason: 'stays in the old file' },
  ]);
  expect(second.store.counters().setAside).toEqual(setAside);
  await second.store.close();
  const third = await openTestStore({ dataDir });
  expect(third.restored.setAside).toEqual(setAside);
  await third.store.close();
  rmSync(String(setAside?.file));
  expect((await openTestStore({ dataDir })).restored.setAside).toBeNull();
});

it('the store saves orders and the audit log out of a damaged database', async () => {
  const dataDir = newDataDir();
  await (await openTestStore({ dataDir })).store.close();
  const database = new Database(join(dataDir, DATABASE));
  database.exec(`
    INSERT INTO customer_order VALUES ('d:DOC-1', 'DOC-1', 'SO-1', '{}', 1, 'erp');
    INSERT INTO audit VALUES (7, 'e-7', 1, 'pat', 'admin', '::1', 'selectPart', 'RF-01', NULL, NULL, '', 'h');
    DROP TABLE variable_block;
  `);
  database.close();
  const { store, restored } = await openTestStore({ dataDir });
  expect(restored.setAside?.losses).toEqual([{ table: 'variable_block', reason: expect.stringContaining('no such') }]);
  expect(await store.auditPage({ before: null, take: 5, texts: [], range: null })).toMatchObject({
    entries: [{ number: 7 }],
  });
});

const ALL_COILS = { materialCode: null, location: null, includeComplete: true, skip: 0, take: 10 };
const MANY_ROWS = 2_000;
const COUNTED = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY_ROWS})`;

/** Overwrites a page of rows in the middle of a table. */
function damagePage(path: string, table: string): void {
  const database = new Database(path);
  database.exec(`
    ${COUNTED} INSERT INTO coil SELECT i, 'C-' || i, '{"coilId":"C-' || i || '","filler":"${'x'.repeat(80)}"}' FROM n;
    ${COUNTED} INSERT INTO plant SELECT 'parts', 'P-' || i, '{"partId":"P-' || i || '","filler":"${'x'.repeat(80)}"}' FROM n;
  `);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const leaves = database
    .prepare<[string], number>(`SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path`)
    .pluck()
    .all(table);
  database.close();
  const page = leaves[Math.floor(leaves.length / 2)] ?? 0;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 7), 0, 4_096, (page - 1) * 4_096);
  closeSync(file);
}

it.each(['coil', 'plant'])('a damaged page of the table %s costs its rows and no others', async (table) => {
  const dataDir = newDataDir();
  await (await openTestStore({ dataDir })).store.close();
  damagePage(join(dataDir, DATABASE), table);
  const core = openTestCore(dataDir, 'second run', true);
  const [loss, ...others] = core.restored.setAside?.losses ?? [];
  expect(others).toEqual([]);
  expect(loss?.table).toBe(table);
  const [, saved] = /malformed.*; (\d+) rows were saved$/.exec(loss?.reason ?? '') ?? [];
  expect(Number(saved)).toBeGreaterThan(MANY_ROWS - 60);
  expect(Number(saved)).toBeLessThan(MANY_ROWS);
  const rows = (of: string) => core.connection.prepare(`SELECT count(*) FROM ${of}`).pluck().get();
  expect(rows(table)).toBe(Number(saved));
  expect(rows(table === 'coil' ? 'plant' : 'coil')).toBe(MANY_ROWS);
});

it('a question that meets a damaged page leads to a new database with the other rows', async () => {
  const dataDir = newDataDir();
  await (await openTestStore({ dataDir })).store.close();
  damagePage(join(dataDir, DATABASE), 'coil');
  const { store } = await openTestStore({ dataDir });
  await expect(store.coilList(ALL_COILS)).rejects.toMatchObject({ code: 'store-unavailable' });
  await expect.poll(() => store.counters().setAside?.losses).toMatchObject([{ table: 'coil' }]);
  expect(store.counters().health).toEqual({ state: 'ok' });
  expect(await store.coil('C-1')).toMatchObject({ coilId: 'C-1' });
  expect(await store.coil(`C-${MANY_ROWS}`)).toMatchObject({ coilId: `C-${MANY_ROWS}` });
});

it('a commit that meets a damaged index leads to a new database with all rows', async () => {
  const dataDir = newDataDir();
  const open = { machineId: RF1, startedAt: 1, endedAt: null, reasonId: null, note: null, userName: null };
  const { store: first } = await openTestStore({ dataDir });
  await first.write(['D-1', 'D-2'].map((downtimeId) => ({ kind: 'downtime', downtime: { ...open, downtimeId } })));
  await first.close();
  const database = new Database(join(dataDir, DATABASE)).unsafeMode();
  database.exec(withoutIndex('downtime_by_machine', 'UPDATE downtime SET started_at = 2'));
  expect(database.pragma('quick_check', { simple: true })).toBe('ok');
  database.close();
  const { store } = await openTestStore({ dataDir });
  const ended = { ...open, downtimeId: 'D-2', startedAt: 2, endedAt: 3 };
  const written = store.write([{ kind: 'downtime', downtime: ended }]);
  await expect.poll(() => store.counters().setAside?.losses).toEqual([]);
  await written;
  expect(store.counters()).toMatchObject({ threadRestarts: 1, health: { state: 'ok' } });
  const downtimes = await store.downtimes(RF1, { uncategorizedOnly: false, limit: 10 });
  expect(downtimes).toHaveLength(2);
  expect(downtimes).toContainEqual(ended);
});

it('the store saves the records of an older program out of a database that cannot be migrated', async () => {
  const dataDir = newDataDir();
  const database = new Database(join(dataDir, DATABASE));
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.exec(`
    CREATE TABLE shift_totals (
      machine_id TEXT, shift_date TEXT, shift_name TEXT, good_parts, bad_parts, cycles, running_ms, stopped_ms, down_ms,
      fault_ms, override_ms, offline_ms, PRIMARY KEY (machine_id, shift_date, shift_name)
    ) WITHOUT ROWID;
    INSERT INTO shift_totals VALUES ('RF-01', '${SHIFT_DATE}', 'Day', 7, 0, 9, 1, 2, 3, 4, 5, 6);
    CREATE TABLE machine_state (machine_id TEXT PRIMARY KEY, json TEXT) WITHOUT ROWID;
    INSERT INTO machine_state VALUES ('RF-01', '{"cycle":7}');
  `);
  database.close();
  const { restored, store } = await openTestStore({ dataDir });
  expect(restored.setAside?.file).toContain('damaged');
  expect(restored.machineStates).toEqual([{ machineId: RF1, json: '{"cycle":7}' }]);
  expect(await store.shifts(RF1, SHIFT_DATE)).toMatchObject([
    { shiftName: 'Day', totals: { goodParts: 7, offlineMs: 6 } },
  ]);
});

it('the store starts on a lock file of garbage', async () => {
  const dataDir = newDataDir();
  writeFileSync(join(dataDir, 'plantgate.lock'), 'garbage'.repeat(1_000));
  await openTestStore({ dataDir });
  await expect(openStore({ ...options, dataDir })).rejects.toMatchObject({ refusal: 'locked' });
});

it('the store finds damage in the middle of the file if the thread before it met damage', () => {
  const dataDir = newDataDir();
  const first = openTestCore(dataDir);
  const points = Array.from({ length: 5_000 }, (_, index) => point(index, START_AT + index));
  first.store([...points, point(1, START_AT, 'lineSpeed', machine('RF-02'))]);
  first.close();
  const pageOfPoints = 40 * 4_096;
  writeSync(openSync(join(dataDir, DATABASE), 'r+'), Buffer.alloc(4_096, 7), 0, 4_096, pageOfPoints);
  const second = openTestCore(dataDir, 'second run', true);
  expect(second.restored.setAside?.file).toContain('damaged');
  expect(second.restored.lastWrittenAt).toBe(START_AT);
});
