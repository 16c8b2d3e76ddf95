import type { Connection } from '../../adapters/store/thread/database/connection.ts';
import { decodeBlock } from '../../adapters/store/thread/variables/block-codec.ts';
import { MAX_BLOCK_SPAN_MS } from '../../adapters/store/thread/variables/block-packer.ts';
import type { RecentPoints } from '../../adapters/store/thread/variables/recent-points.ts';
import { CodedError } from '../../domain/error.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time.ts';
import { inTimeOrder } from '../points/merge-hours.ts';
import { insertPoints, POINT_COLUMNS, type PointRow, pointRow, type StoredPoints } from '../points/point-rows.ts';
import type { Postgres } from '../postgres/postgres.ts';

/** Points of gateways in SQLite: packed ones, and those that are in no block yet. */
export interface StoredSeries {
  readonly connection: Connection;
  readonly recent: Pick<RecentPoints, 'of'>;
}

interface Series {
  readonly id: number;
  readonly machineId: string;
  readonly name: string;
}

interface Block {
  readonly startAt: number;
  readonly day: number;
  readonly count: number;
  readonly points: Buffer;
}

const SERIES = "SELECT id, machine_id AS machineId, name FROM variable_series WHERE machine_id LIKE '%/%' ORDER BY id";
const BLOCKS = `SELECT start_at AS startAt, day, count, points FROM variable_block
  WHERE series = ? AND start_at >= ? AND start_at < ? ORDER BY start_at, id`;
const SPAN = 'SELECT min(start_at) AS first, max(end_at) AS last FROM variable_block WHERE series = ?';

const ENTER = `
  INSERT INTO central.series (machine_id, name) VALUES ($1, $2)
  ON CONFLICT (machine_id, name) DO UPDATE SET name = excluded.name RETURNING series_id AS id`;
const ROWS_OF = `SELECT ${POINT_COLUMNS} FROM central.point_hour WHERE series_id = $1 AND start_at >= $2 AND start_at < $3`;

/**
 * Copies the values of variables into PostgreSQL, a row for each series, hour and shift date, reads them back and compares
 * them. A series is one transaction and replaces what PostgreSQL has of it, so this may be repeated. Gives the points.
 */
export async function movePoints(
  source: StoredSeries,
  postgres: Postgres,
  tell: (series: number, of: number, points: number) => void,
): Promise<number> {
  const all = source.connection.prepare<[], Series>(SERIES).all();
  let points = 0;
  for (const [index, series] of all.entries()) {
    points += await postgres.transact(() => moveSeries(source, postgres, series));
    tell(index + 1, all.length, points);
  }
  return points;
}

async function moveSeries(source: StoredSeries, postgres: Postgres, series: Series): Promise<number> {
  const [entered] = await postgres.query<{ id: number }>(ENTER, [series.machineId, series.name]);
  const seriesId = entered?.id ?? 0;
  for (const table of ['point_run', 'point_hour'])
    await postgres.run(`DELETE FROM central.${table} WHERE series_id = $1`, [seriesId]);
  let moved = 0;
  for (const { from, rows } of daysOf(source, series.id, seriesId)) {
    await insertPoints(postgres, 'point_hour', rows);
    const stored = await postgres.query<StoredPoints>(ROWS_OF, [seriesId, from, from + DAY_MS]);
    if (!isSame(stored.map(pointRow), rows)) {
      throw new CodedError('conflict', `${series.machineId} ${series.name}: found other points in PostgreSQL`);
    }
    moved += rows.reduce((sum, { at }) => sum + at.length, 0);
  }
  return moved;
}

/** The points of a series, day by day, a row for each hour and shift date. */
function* daysOf(
  { connection, recent }: StoredSeries,
  id: number,
  seriesId: number,
): Generator<{ readonly from: number; readonly rows: readonly PointRow[] }> {
  const blocks = connection.prepare<[number, number, number], Block>(BLOCKS);
  const span = connection.prepare<[number], { first: number | null; last: number | null }>(SPAN).get(id);
  const late = recent.of(id);
  const times = late?.at ?? [];
  const first = times.reduce((least, at) => Math.min(least, at), span?.first ?? Number.POSITIVE_INFINITY);
  const last = times.reduce((most, at) => Math.max(most, at), span?.last ?? Number.NEGATIVE_INFINITY);
  for (let from = Math.floor(first / DAY_MS) * DAY_MS; from <= last; from += DAY_MS) {
    const hours = new Hours(seriesId, from);
    for (const { startAt, day, count, points } of blocks.all(id, from - MAX_BLOCK_SPAN_MS, from + DAY_MS)) {
      const { at, value } = decodeBlock(points, startAt, count);
      for (let index = 0; index < count; index += 1) hours.add(at[index], value[index], day);
    }
    for (const [index, at] of times.entries()) hours.add(at, late?.value[index], late?.day[index]);
    const rows = hours.rows();
    if (rows.length > 0) yield { from, rows };
  }
}

/** The points of one day by hour and shift date. */
class Hours {
  readonly #seriesId: number;
  readonly #from: number;
  readonly #hours = new Map<string, { readonly day: number; readonly at: number[]; readonly value: number[] }>();

  constructor(seriesId: number, from: number) {
    this.#seriesId = seriesId;
    this.#from = from;
  }

  /** A point of another day is left out. */
  add(at = Number.NaN, value = Number.NaN, day = 0): void {
    if (!(at >= this.#from && at < this.#from + DAY_MS)) return;
    const key = `${Math.floor(at / HOUR_MS)} ${day}`;
    const hour = this.#hours.get(key) ?? { day, at: [], value: [] };
    this.#hours.set(key, hour);
    hour.at.push(at);
    hour.value.push(value);
  }

  rows(): readonly PointRow[] {
    return [...this.#hours.values()].map(({ day, at, value }) => {
      return { seriesId: this.#seriesId, day, ...inTimeOrder(Float64Array.from(at), Float64Array.from(value)) };
    });
  }
}

function isSame(stored: readonly PointRow[], rows: readonly PointRow[]): boolean {
  const keyOf = ({ day, at }: PointRow) => `${at[0]} ${day}`;
  const found = new Map(stored.map((row) => [keyOf(row), row]));
  const isEqual = (one: Float64Array, other: Float64Array | undefined) =>
    one.length === other?.length && one.every((number, index) => Object.is(number, other[index]));
  return (
    stored.length === rows.length &&
    rows.every((row) => {
      const other = found.get(keyOf(row));
      return isEqual(row.at, other?.at) && isEqual(row.value, other?.value);
    })
  );
}
