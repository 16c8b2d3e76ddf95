import { DAY_MS } from '../domain/time.ts';
import type { Postgres } from './postgres/postgres.ts';

/** Days for which records are kept, as in the configuration. */
export interface CentralRetention {
  readonly variableDays: number;
  readonly statusDays: number;
  readonly productionDays: number;
}

/** Rows that one statement deletes, so that batches do not wait for it. */
const ROWS_AT_ONCE = 2_000;

const SHIFT_BEFORE = "shift_date < to_char(to_timestamp($1::float8 / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')";
/** As for the records of SQLite (adapters/store/thread/old-rows.ts): `$1` is the time before which rows are old. */
const OLD: Readonly<Record<'statusDays' | 'productionDays', Readonly<Record<string, string>>>> = {
  statusDays: {
    span: "ended_at < $1 AND activity <> 'fault'",
    anomaly: 'at < $1',
    catch_up: SHIFT_BEFORE,
    presence: 'alive_until < $1',
    update_archive: 'archive_id IS NULL AND begun_at < $1',
  },
  productionDays: {
    span: 'ended_at < $1',
    downtime: 'ended_at < $1',
    work_session: 'ended_at < $1',
    shift_totals: SHIFT_BEFORE,
    shift_figures: SHIFT_BEFORE,
    stop_figures: SHIFT_BEFORE,
    work_figures: SHIFT_BEFORE,
    stream_shift: SHIFT_BEFORE,
    stream_session: 'last_active_at < $1',
  },
};

/** Makes the partitions of the time to come and of the time that is kept. */
export function preparePartitions(
  postgres: Postgres,
  { variableDays }: CentralRetention,
  nowAt: number,
): Promise<void> {
  return makePartitions(postgres, nowAt - variableDays * DAY_MS, nowAt);
}

/** Deletes what is older than the retention allows. Any node may do it, also several at the same time. */
export async function retainCentral(
  postgres: Postgres,
  retention: CentralRetention,
  nowAt: number,
): Promise<{ readonly deletedRows: number }> {
  const oldestAt = nowAt - retention.variableDays * DAY_MS;
  await makePartitions(postgres, oldestAt, nowAt);
  let deletedRows = await dropPartitions(postgres, oldestAt);
  for (const days of ['statusDays', 'productionDays'] as const) {
    const before = nowAt - retention[days] * DAY_MS;
    for (const [table, condition] of Object.entries(OLD[days]))
      deletedRows += await remove(postgres, table, condition, before);
  }
  return { deletedRows };
}

async function remove(postgres: Postgres, table: string, condition: string, before: number): Promise<number> {
  const text = `DELETE FROM central.${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM central.${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE}))`;
  let removed = 0;
  for (let last = ROWS_AT_ONCE; last === ROWS_AT_ONCE; removed += last) last = await postgres.run(text, [before]);
  return removed;
}

/** Partitions are made this long ahead, so that a database whose node is away for days has them. */
const AHEAD_MS = 7 * DAY_MS;

interface Period {
  /** The times of the points in it, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** The partitions of a table of points, each with the rows of a day or of a month. */
interface Partitioned {
  readonly table: 'point_run' | 'point_hour';
  readonly periodAt: (at: number) => Period;
}

const RUNS: Partitioned = {
  table: 'point_run',
  periodAt: (at) => {
    const from = Math.floor(at / DAY_MS) * DAY_MS;
    return { from, to: from + DAY_MS, name: new Date(from).toISOString().slice(0, 10).replaceAll('-', '') };
  },
};
const HOURS: Partitioned = {
  table: 'point_hour',
  periodAt: (at) => {
    const date = new Date(at);
    const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    const to = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    return { from, to, name: new Date(from).toISOString().slice(0, 7).replaceAll('-', '') };
  },
};

const EXISTING = `
  SELECT child.relname AS name FROM pg_inherits
  JOIN pg_class AS child ON child.oid = inhrelid JOIN pg_class AS parent ON parent.oid = inhparent
  JOIN pg_namespace AS space ON space.oid = parent.relnamespace
  WHERE space.nspname = 'central' AND parent.relname = $1`;

/** Makes the partitions for points from `oldestAt` on that are missing. */
async function makePartitions(postgres: Postgres, oldestAt: number, nowAt: number): Promise<void> {
  for (const { table, periodAt } of [RUNS, HOURS]) {
    const existing = await partitionsOf(postgres, table);
    for (let period = periodAt(oldestAt); period.from < nowAt + AHEAD_MS; period = periodAt(period.to)) {
      if (!existing.has(`${table}_${period.name}`)) await make(postgres, table, period);
    }
  }
}

/** Drops the partitions whose points are all older, and deletes older ones that are in no partition of their own. */
async function dropPartitions(postgres: Postgres, before: number): Promise<number> {
  let deletedRows = 0;
  for (const { table, periodAt } of [RUNS, HOURS]) {
    const kept = periodAt(before).name;
    for (const name of await partitionsOf(postgres, table)) {
      const period = name.slice(table.length + 1);
      if (period === 'default' || period >= kept) continue;
      await postgres.script(`DROP TABLE IF EXISTS central.${name}`);
    }
    deletedRows += await postgres.run(`DELETE FROM central.${table}_default WHERE start_at < $1`, [before]);
  }
  return deletedRows;
}

/** One node at a time. Rows of the time that came before it was made stay in the default partition. */
async function make(postgres: Postgres, table: Partitioned['table'], { from, to, name }: Period): Promise<void> {
  await postgres.inTurn('partitions', table, async () => {
    if ((await partitionsOf(postgres, table)).has(`${table}_${name}`)) return;
    const early = `SELECT FROM central.${table}_default WHERE start_at >= $1 AND start_at < $2 LIMIT 1`;
    if ((await postgres.run(early, [from, to])) > 0) return;
    await postgres.script(
      `CREATE TABLE central.${table}_${name} PARTITION OF central.${table} FOR VALUES FROM (${from}) TO (${to})`,
    );
  });
}

async function partitionsOf(postgres: Postgres, table: Partitioned['table']): Promise<ReadonlySet<string>> {
  const rows = await postgres.query<{ name: string }>(EXISTING, [table]);
  return new Set(rows.map(({ name }) => name));
}
