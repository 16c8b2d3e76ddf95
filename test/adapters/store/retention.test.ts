import { expect, it } from 'vitest';
import { ClockEpochs } from '../../../src/adapters/store/thread/clock-epochs.ts';
import { RetentionRun } from '../../../src/adapters/store/thread/retention.ts';
import type { RetentionResult, StoreRecord } from '../../../src/flows/store-ports.ts';
import {
  correction,
  newDataDir,
  openTestCore,
  openTestStore,
  point,
  RF1,
  START_AT,
  type TestCore,
} from './open-test-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

it('retention deletes the blocks that are too old and keeps the younger ones', async () => {
  const dataDir = newDataDir();
  const core = openTestCore(dataDir);
  const ages = [0, 10, 89, 91, 120, 365];
  core.store(ages.map((days) => point(days, START_AT - days * DAY_MS)));
  pack(core);
  const result = await core.retention.run(START_AT, 0);
  expect(result).toEqual({ state: 'done', deletedBlocks: 3, deletedPoints: 3, deletedRows: 0 });
  const { value } = await core.variables.points(RF1, 'lineSpeed', { from: 0, to: START_AT + 1 });
  expect([...value]).toEqual([89, 10, 0]);
});

/** Moves all points into blocks. */
function pack({ packer }: TestCore): void {
  packer.begin();
  while (packer.isPacking) packer.slice();
}

const YEAR_MS = 365 * DAY_MS;

/** One boot of a computer whose clock was `wrongMs` off until it was corrected: a point before it, and one behind it. */
function boot(dataDir: string, at: number, wrongMs: number): void {
  const core = openTestCore(dataDir, `boot of ${at}`);
  core.store([point(1, at + wrongMs)], at + wrongMs);
  core.write([{ kind: 'clockCorrected', ...correction(-wrongMs) }], at);
  core.store([point(2, at + 1)], at + 1);
  pack(core);
  // The next run of this test is one of another boot.
  core.connection.exec("UPDATE clock_epoch SET boot_id = 'earlier'");
  core.close();
}

const allTimes = async ({ variables }: TestCore) => [
  ...(await variables.points(RF1, 'lineSpeed', { from: 0, to: 2 * START_AT })).at,
];

it.each([
  ['years behind', -6 * YEAR_MS],
  ['a year ahead', YEAR_MS],
])('D-04 retention goes by corrected times after boots with a clock that was %s', async (_, wrongMs) => {
  const dataDir = newDataDir();
  const ages = [120, 95, 85, 40];
  for (const days of ages) boot(dataDir, START_AT - days * DAY_MS, wrongMs);
  const young = [85, 40].flatMap((days) => [START_AT - days * DAY_MS, START_AT - days * DAY_MS + 1]);
  const core = openTestCore(dataDir, 'last');
  expect(await core.retention.run(START_AT, 40 * DAY_MS)).toMatchObject({
    state: 'done',
    deletedBlocks: 4,
    deletedPoints: 4,
  });
  core.close();
  const later = openTestCore(dataDir, 'later');
  expect(await allTimes(later)).toEqual(young);
  expect(await later.retention.run(START_AT + DAY_MS, DAY_MS)).toMatchObject({ state: 'done', deletedBlocks: 0 });
  expect(await allTimes(later)).toEqual(young);
  expect(epochCount(later)).toBe(5);
});

const epochCount = ({ connection }: TestCore) => connection.prepare('SELECT count(*) FROM clock_epoch').pluck().get();

it('D-04 a boot whose clock was never corrected costs no correction of an earlier boot', async () => {
  const dataDir = newDataDir();
  const at = START_AT - 40 * DAY_MS;
  boot(dataDir, at, -6 * YEAR_MS);
  const uncorrected = openTestCore(dataDir, 'uncorrected');
  uncorrected.store([point(3, at + DAY_MS - 6 * YEAR_MS)], at + DAY_MS - 6 * YEAR_MS);
  pack(uncorrected);
  uncorrected.close();
  const core = openTestCore(dataDir, 'last');
  core.store([point(4)]);
  expect(await core.retention.run(START_AT, 400 * DAY_MS)).toMatchObject({ state: 'done', deletedBlocks: 1 });
  core.close();
  expect(await allTimes(openTestCore(dataDir, 'later'))).toEqual([at, at + 1, START_AT]);
});

it('D-04 corrections are kept as long as the queue needs them, also if points are deleted earlier', async () => {
  const dataDir = newDataDir();
  for (const days of [40, 35]) boot(dataDir, START_AT - days * DAY_MS, -6 * YEAR_MS);
  const core = openTestCore(dataDir, 'last');
  const retention = { variableDays: 30, statusDays: 90, productionDays: 90, auditDays: 730 };
  const epochs = new ClockEpochs(core.connection, 'last');
  const { expired } = core.forwarding;
  const { changeFeed } = core.warehouse;
  const parts = { epochs, expired, changeFeed, lastWrittenAt: null };
  const result = await new RetentionRun(core.connection, retention, parts).run(START_AT, 40 * DAY_MS);
  expect(result).toMatchObject({ state: 'done', deletedBlocks: 4 });
  expect(epochCount(core)).toBe(4);
});

it('retention deletes old history, but no downtime that waits for its category', async () => {
  const { store } = await openTestStore();
  const old = START_AT - 31 * DAY_MS;
  const downtime = { downtimeId: 'done', machineId: RF1, startedAt: old, endedAt: old, note: null, userName: null };
  const records: StoreRecord[] = [
    { kind: 'span', span: { spanId: 'old', machineId: RF1, activity: 'down', startedAt: old - 1, endedAt: old } },
    { kind: 'span', span: { spanId: 'lasting', machineId: RF1, activity: 'down', startedAt: old, endedAt: null } },
    { kind: 'downtime', downtime: { ...downtime, reasonId: 'DT-01' } },
    { kind: 'downtime', downtime: { ...downtime, downtimeId: 'waits', reasonId: null } },
    { kind: 'anomaly', anomaly: { machineId: RF1, at: old, counter: 'cycle', from: 2, to: 1 } },
  ];
  await store.write(records);
  expect(await store.retain()).toMatchObject({ state: 'done', deletedRows: 3 });
  expect((await store.spans(RF1, { from: 0, to: START_AT })).map(({ spanId }) => spanId)).toEqual(['lasting']);
  const downtimes = await store.downtimes(RF1, { uncategorizedOnly: false, limit: 10 });
  expect(downtimes.map(({ downtimeId }) => downtimeId)).toEqual(['waits']);
});

const OLD_AT = START_AT - 31 * DAY_MS;
const OLD_DATE = new Date(OLD_AT - DAY_MS).toISOString().slice(0, 10);
const YOUNG_DATE = new Date(START_AT).toISOString().slice(0, 10);
const SIX_TIMES = '0, 0, 0, 0, 0, 0';

/** The values of row `number`, in SQL. */
const ROWS: Readonly<Record<string, string>> = {
  span: "'S-' || number, 'RF-01', 'running', @old - 1, @at, 1",
  work_session: "'W-' || number, 'RF-01', NULL, NULL, NULL, @old - 1, @old, @at, 1, 0, 1, 1",
  anomaly: "'RF-' || number, @at, 'cycle', 2, 1, 1",
  shift_totals: `'RF-' || number, @date, 'Day', 1, 0, 1, ${SIX_TIMES}, NULL`,
  override_span: "'RF-' || number, @old - 1, @at, 1",
  production_quarter: `'RF-' || number, @date, 'Day', 1, 1, 0, 1, 0, 1, ${SIX_TIMES}`,
  received_session: "'gate', 'W-' || number, 'stream', @at, 1, 0, 1",
  received_catch_up: "'gate', 'RF-' || number, 'stream', 1, @date, 'Day', '', NULL, NULL, ''",
  received_shift: `'gate', 'stream', 'RF-' || number, @date, 'Day', 1, 0, 1, ${SIX_TIMES}, NULL`,
};

/** Fills a table with rows, some of them old. Row numbers have gaps, as after rows were replaced. */
function fill({ connection }: TestCore, table: string, rows: number, isOld = 'number % 3 > 0'): void {
  const values = (ROWS[table] ?? '')
    .replaceAll('@at', `iif(${isOld}, ${OLD_AT}, ${START_AT})`)
    .replaceAll('@date', `iif(${isOld}, '${OLD_DATE}', '${YOUNG_DATE}')`)
    .replaceAll('@old', String(OLD_AT));
  const numbers = 'SELECT 1 UNION ALL SELECT number + 1 FROM row WHERE number < ?';
  const row = `WITH RECURSIVE row (number) AS (${numbers})`;
  connection
    .prepare(`${row} INSERT INTO ${table} SELECT ${values} FROM row WHERE number % 7 <> 1 OR number < 4`)
    .run(rows);
}

it.each(Object.keys(ROWS))('retention deletes the old rows of %s and keeps the young ones', async (table) => {
  const core = openTestCore(newDataDir());
  fill(core, table, 3_000);
  const count = () => core.connection.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  const all = count();
  const result = await core.retention.run(START_AT, 0);
  expect(result).toMatchObject({ deletedRows: all - count() });
  expect(count() / all).toBeCloseTo(1 / 3, 2);
});

it.each([
  ['old quarters of 400 machines', 'production_quarter', 400, 'true', 300],
  ['40,000 young spans', 'span', 40_000, 'false', 30],
])('while retention looks through %s, other work goes on', async (_, table, rows, isOld, leastTurns) => {
  const core = openTestCore(newDataDir());
  fill(core, table, rows, isOld);
  let turns = 0;
  let isOver = false;
  const takeTurns = () => {
    turns += 1;
    if (!isOver) setImmediate(takeTurns);
  };
  setImmediate(takeTurns);
  await core.retention.run(START_AT, 0);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(leastTurns);
});

it.each<[string, number, number, RetentionResult['state']]>([
  ['an hour later', 1 / 24, 0, 'done'],
  ['two days later', 2, 0, 'done'],
  ['behind', -1, 0, 'refused'],
  ['behind', -1, HOUR_MS, 'done'],
  ['a year behind', -365, 12 * DAY_MS, 'refused'],
  ['a year ahead', 365, 0, 'refused'],
  ['a weekend later, right after the start', 64 / 24, 0, 'refused'],
  ['a weekend later', 64 / 24, HOUR_MS, 'done'],
  ['three weeks later', 21, 15 * HOUR_MS, 'refused'],
  ['three weeks later', 21, 16 * HOUR_MS, 'done'],
  ['a year ahead', 365, 12 * DAY_MS, 'refused'],
  ['a year ahead', 365, 13 * DAY_MS, 'done'],
])(
  'D-04 with a clock %s, compared with the last record (%s days, up for %s ms), retention is %s',
  async (_, days, uptimeMs, state) => {
    const dataDir = newDataDir();
    const first = openTestCore(dataDir);
    first.store([point(1)]);
    first.close();
    const second = openTestCore(dataDir, 'second run');
    expect((await second.retention.run(START_AT + days * DAY_MS, uptimeMs)).state).toBe(state);
  },
);

it('D-04 a clock that is a year ahead is not believed for the records that were written under it, nor for a restart', async () => {
  const dataDir = newDataDir();
  const sound = openTestCore(dataDir, 'sound clock');
  sound.store([point(1)]);
  expect((await sound.retention.run(START_AT, HOUR_MS)).state).toBe('done');
  sound.close();
  const wrongAt = START_AT + 365 * DAY_MS;
  for (const run of ['wrong clock', 'wrong clock, again']) {
    const core = openTestCore(dataDir, run);
    core.store([point(2, wrongAt)], wrongAt);
    expect((await core.retention.run(wrongAt, HOUR_MS)).state).toBe('refused');
    core.close();
  }
  const mended = openTestCore(dataDir, 'sound clock, again');
  expect((await mended.retention.run(START_AT + DAY_MS, 0)).state).toBe('done');
});

it('D-04 a clock that jumps ahead by a year while the gateway runs is not believed for the time before the jump', async () => {
  const core = openTestCore(newDataDir());
  const upMs = 30 * DAY_MS;
  for (const days of [0, 1, 30]) {
    expect((await core.retention.run(START_AT + days * DAY_MS, days * DAY_MS)).state).toBe('done');
  }
  const wrongAt = START_AT + 395 * DAY_MS;
  expect((await core.retention.run(wrongAt, upMs + DAY_MS)).state).toBe('refused');
  expect((await core.retention.run(wrongAt + 12 * DAY_MS, upMs + 13 * DAY_MS)).state).toBe('done');
});

it('retention deletes the oldest acts of people, and the others keep their numbers', async () => {
  const { store } = await openTestStore();
  const ages = [...Array.from({ length: 300 }, (_, index) => 1_100 - index), 10, 800];
  const acts = ages.map((days) => ({
    kind: 'audit' as const,
    entry: {
      ...{ entryId: `E-${days}`, at: START_AT - days * DAY_MS, who: 'pat', role: 'technician', address: '' },
      ...{ act: 'selectPart', subject: 'RF-01', before: null, after: null },
    },
  }));
  await store.write(acts);
  expect(await store.retain()).toMatchObject({ state: 'done', deletedRows: 300 });
  const { entries, next } = await store.auditPage({ before: null, take: 10, texts: [], range: null });
  expect(entries.map(({ entryId, number }) => ({ entryId, number }))).toEqual([
    { entryId: 'E-800', number: 302 },
    { entryId: 'E-10', number: 301 },
  ]);
  expect(next).toBeNull();
});
