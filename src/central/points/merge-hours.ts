import { MIB } from '../../domain/byte-units.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { insertPoints, POINT_COLUMNS, type PointRow, pointRow, type StoredPoints } from './point-rows.ts';

/** A day is merged once it has been over for this long. What comes later is merged in a later night. */
const QUIET_MS = DAY_MS;
/** Rows and bytes that one transaction merges, unless a single series has more. */
const ROWS_AT_ONCE = 5_000;
const BYTES_AT_ONCE = 8 * MIB;
const SERIES_AT_ONCE = 1_000;

const OLDEST_RUN = 'SELECT min(start_at) AS at FROM central.point_run WHERE start_at >= $1 AND start_at < $2';
const NEXT_SERIES = `
  SELECT series_id AS id, count(*) AS rows, sum(pg_column_size(value)) AS bytes FROM central.point_run
  WHERE start_at >= $1 AND start_at < $2 AND series_id > $3 GROUP BY series_id ORDER BY series_id LIMIT ${SERIES_AT_ONCE}`;
const OF_DAY = 'series_id = ANY ($1::int8[]) AND start_at >= $2 AND start_at < $3';
/** Hours that are merged already come first, so that points of the same time keep their order. */
const ROWS = `
  SELECT ${POINT_COLUMNS} FROM central.point_hour WHERE ${OF_DAY} UNION ALL
  SELECT ${POINT_COLUMNS} FROM (SELECT * FROM central.point_run WHERE ${OF_DAY} ORDER BY start_at) AS run`;

/**
 * Merges the points of the days that are over: a row for each series, hour and shift date, in the order of time. A row of
 * a batch has few points, and costs ten times as much room. Days before `oldestAt` are left to retention.
 */
export async function mergeHours(postgres: Postgres, oldestAt: number, nowAt: number): Promise<number> {
  const end = Math.floor((nowAt - QUIET_MS) / DAY_MS) * DAY_MS;
  let merged = 0;
  for (let from = Math.floor(oldestAt / DAY_MS) * DAY_MS; from < end; from += DAY_MS) {
    const [oldest] = await postgres.query<{ at: number | null }>(OLDEST_RUN, [from, end]);
    if (oldest === undefined || oldest.at === null) break;
    from = Math.floor(oldest.at / DAY_MS) * DAY_MS;
    merged += await mergeDay(postgres, from);
  }
  return merged;
}

async function mergeDay(postgres: Postgres, from: number): Promise<number> {
  const to = from + DAY_MS;
  let merged = 0;
  for (let after = 0; ; ) {
    const series = await postgres.query<SeriesOfDay>(NEXT_SERIES, [from, to, after]);
    for (const ids of pagesOf(series)) {
      await postgres.inTurn('merge', String(from), () => mergeSeries(postgres, ids, from, to));
      merged += ids.length;
    }
    const last = series.at(-1);
    if (last === undefined || series.length < SERIES_AT_ONCE) return merged;
    after = last.id;
  }
}

/** Another node may do the same: the one that comes later finds nothing left. */
async function mergeSeries(postgres: Postgres, ids: readonly number[], from: number, to: number): Promise<void> {
  const stored = await postgres.query<StoredPoints>(ROWS, [ids, from, to]);
  await postgres.run(`DELETE FROM central.point_hour WHERE ${OF_DAY}`, [ids, from, to]);
  await postgres.run(`DELETE FROM central.point_run WHERE ${OF_DAY}`, [ids, from, to]);
  await insertPoints(postgres, 'point_hour', hoursOf(stored.map(pointRow)));
}

interface SeriesOfDay {
  readonly id: number;
  readonly rows: number;
  readonly bytes: number;
}

function* pagesOf(series: readonly SeriesOfDay[]): Generator<readonly number[]> {
  let ids: number[] = [];
  let [rows, bytes] = [0, 0];
  for (const one of series) {
    rows += one.rows;
    bytes += one.bytes;
    if (ids.length > 0 && (rows > ROWS_AT_ONCE || bytes > BYTES_AT_ONCE)) {
      yield ids;
      ids = [];
      [rows, bytes] = [one.rows, one.bytes];
    }
    ids.push(one.id);
  }
  if (ids.length > 0) yield ids;
}

/** One row for each series, hour and shift date, with its points in the order of time. */
function hoursOf(rows: readonly PointRow[]): readonly PointRow[] {
  const groups = Map.groupBy(
    rows,
    ({ seriesId, day, at }) => `${seriesId} ${day} ${Math.floor((at[0] ?? 0) / HOUR_MS)}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const at = Float64Array.from(group.flatMap((row) => [...row.at]));
    const value = Float64Array.from(group.flatMap((row) => [...row.value]));
    return [{ seriesId: first.seriesId, day: first.day, ...inTimeOrder(at, value) }];
  });
}

export function inTimeOrder(at: Float64Array, value: Float64Array): Pick<PointRow, 'at' | 'value'> {
  if (at.every((time, index) => index === 0 || time >= (at[index - 1] ?? 0))) return { at, value };
  const order = [...at.keys()].sort((one, other) => (at[one] ?? 0) - (at[other] ?? 0) || one - other);
  return {
    at: Float64Array.from(order, (index) => at[index] ?? 0),
    value: Float64Array.from(order, (index) => value[index] ?? 0),
  };
}
