import { expect, it } from 'vitest';
import type { RetentionResult, StoreRecord } from '../../../src/flows/store-ports.ts';
import { newDataDir, openTestStore, point, RF1, START_AT } from './open-test-store.ts';
import { openTestCore } from './thread/open-test-core.ts';

const DAY_MS = 86_400_000;

it('retention deletes the blocks that are too old and keeps the younger ones', async () => {
  const dataDir = newDataDir();
  const core = openTestCore(dataDir);
  const ages = [0, 10, 89, 91, 120, 365];
  core.store(ages.map((days) => point(days, START_AT - days * DAY_MS)));
  core.packer.begin();
  while (core.packer.isPacking) core.packer.slice();
  const result = await core.retention.run(START_AT, 0);
  expect(result).toEqual({ state: 'done', deletedBlocks: 3, deletedPoints: 3, deletedRows: 0 });
  const { value } = await core.variables.points(RF1, 'lineSpeed', { from: 0, to: START_AT + 1 });
  expect([...value]).toEqual([89, 10, 0]);
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
const TIMES_AND_READING = '0, 0, 0, 0, 0, 0, NULL';
const dateOf = (isOld: boolean) => (isOld ? OLD_DATE : YOUNG_DATE);
const timeOf = (isOld: boolean) => (isOld ? OLD_AT : START_AT);

it.each([
  [
    'shift_totals',
    (machine: string, isOld: boolean) => `'${machine}', '${dateOf(isOld)}', 'Day', 1, 0, 1, ${TIMES_AND_READING}`,
  ],
  ['override_span', (machine: string, isOld: boolean) => `'${machine}', ${OLD_AT - 1}, ${timeOf(isOld)}`],
  ['production_quarter', (machine: string, isOld: boolean) => `'${machine}', '${dateOf(isOld)}', 'Day', 1, 1, 0`],
  [
    'received_session',
    (machine: string, isOld: boolean) => `'gate', '${machine}', 'stream', ${timeOf(isOld)}, 1, 0, 1`,
  ],
  [
    'received_shift',
    (machine: string, isOld: boolean) =>
      `'gate', 'stream', '${machine}', '${dateOf(isOld)}', 'Day', 1, 0, 1, ${TIMES_AND_READING}`,
  ],
])('retention deletes the old rows of %s of each machine, and keeps the young ones', async (table, values) => {
  const { connection, retention } = openTestCore(newDataDir());
  const rows = Array.from({ length: 300 }, (_, machine) => `(${values(`RF-${machine}`, machine % 3 > 0)})`);
  connection.exec(`INSERT INTO ${table} VALUES ${rows.join(', ')}`);
  expect(await retention.run(START_AT, 0)).toMatchObject({ deletedRows: 200 });
  expect(connection.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(100);
});

it.each([
  ['many machines with one old row each', 'production_quarter', 300, 300],
  ['many young rows', 'span', 30_000, 30],
])('while retention meets %s, other work has its turns', async (_, table, rows, leastTurns) => {
  const { connection, retention } = openTestCore(newDataDir());
  const numbers = `WITH RECURSIVE row (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM row WHERE number < ${rows})`;
  const values =
    table === 'span'
      ? `'S-' || number, 'RF-01', 'running', ${START_AT - 1}, ${START_AT}, 1`
      : `'RF-' || number, '${OLD_DATE}', 'Day', 1, 1, 0`;
  connection.exec(`${numbers} INSERT INTO ${table} SELECT ${values} FROM row`);
  let turns = 0;
  let isOver = false;
  const takeTurns = () => {
    turns += 1;
    if (!isOver) setImmediate(takeTurns);
  };
  setImmediate(takeTurns);
  await retention.run(START_AT, 0);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(leastTurns);
});

it.each<[string, number, number, RetentionResult['state']]>([
  ['an hour later', 1 / 24, 0, 'done'],
  ['two days later', 2, 0, 'done'],
  ['behind', -1, 0, 'refused'],
  ['a year ahead', 365, 0, 'refused'],
  ['ten days ahead after nine days of running', 10, 9 * DAY_MS, 'done'],
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

it('retention deletes the oldest acts of people, and the others keep their numbers', async () => {
  const { store } = await openTestStore();
  const acts = [800, 731, 10].map((days) => ({
    kind: 'audit' as const,
    entry: {
      ...{ entryId: `E-${days}`, at: START_AT - days * DAY_MS, who: 'pat', role: 'technician', address: '' },
      ...{ act: 'selectPart', subject: 'RF-01', before: null, after: null },
    },
  }));
  await store.write(acts);
  expect(await store.retain()).toMatchObject({ state: 'done', deletedRows: 2 });
  const { entries, next } = await store.auditPage({ before: null, take: 10, text: null });
  expect(entries.map(({ entryId, number }) => ({ entryId, number }))).toEqual([{ entryId: 'E-10', number: 3 }]);
  expect(next).toBeNull();
});
