import type { Postgres } from '../postgres/postgres.ts';

/** Points of one series, one shift date and one hour. */
export interface PointRow {
  readonly seriesId: number;
  /** The shift date as days since 1970. */
  readonly day: number;
  readonly at: Float64Array;
  readonly value: Float64Array;
}

/** The columns of a row for `pointRow`. */
export const POINT_COLUMNS = `series_id AS "seriesId", day, start_at AS "startAt", array_send(step_ms) AS "stepMs",
  array_send(value) AS value`;

export interface StoredPoints {
  readonly seriesId: number;
  readonly day: number;
  readonly startAt: number;
  readonly stepMs: Buffer;
  readonly value: Buffer;
}

/** One statement has at most so many rows and points, or one longer row. */
const MAX_ROWS_AT_ONCE = 4_096;
const MAX_POINTS_AT_ONCE = 65_536;

/** The arrays of all rows come as one; `first` and `last` are a row's place in it. */
const insertInto = (table: string) => `
  INSERT INTO central.${table} (series_id, day, start_at, step_ms, value)
  SELECT series_id::int8, day::int4, start_at::int8,
    ($6::int4[])[first::int4 : last::int4 - 1], ($7::float8[])[first::int4 : last::int4]
  FROM unnest($1::float8[], $2::float8[], $3::float8[], $4::float8[], $5::float8[]) AS own (series_id, day, start_at, first, last)`;
const INSERTS = { point_run: insertInto('point_run'), point_hour: insertInto('point_hour') };

/** Writes rows with points. */
export async function insertPoints(
  postgres: Postgres,
  table: keyof typeof INSERTS,
  rows: readonly PointRow[],
): Promise<void> {
  for (let from = 0; from < rows.length; ) {
    let [to, points] = [from, 0];
    do {
      points += rows[to]?.at.length ?? 0;
      to += 1;
    } while (to < rows.length && to - from < MAX_ROWS_AT_ONCE && points < MAX_POINTS_AT_ONCE);
    await postgres.run(INSERTS[table], columnsOf(rows.slice(from, to), points));
    from = to;
  }
}

/** `points`: the number of points in all rows. */
function columnsOf(rows: readonly PointRow[], points: number): readonly Buffer[] {
  const places = { first: new Float64Array(rows.length), last: new Float64Array(rows.length) };
  const stepMs = new Int32Array(points);
  const values = new Float64Array(points);
  let end = 0;
  for (const [row, { at, value }] of rows.entries()) {
    places.first[row] = end + 1;
    // All points of a row lie in one hour, so a step fits into 32 bits. The last point has none.
    for (let index = 1; index < at.length; index += 1)
      stepMs[end + index - 1] = (at[index] ?? 0) - (at[index - 1] ?? 0);
    values.set(value, end);
    end += at.length;
    places.last[row] = end;
  }
  const starts = [rows.map(({ seriesId }) => seriesId), rows.map(({ day }) => day), rows.map(({ at }) => at[0] ?? 0)];
  return [...[...starts, places.first, places.last].map(float8Array), int4Array(stepMs), float8Array(values)];
}

export function pointRow({ seriesId, day, startAt, stepMs, value }: StoredPoints): PointRow {
  return { seriesId, day, at: timesOf(startAt, numbersOf(stepMs)), value: numbersOf(value) };
}

function timesOf(startAt: number, stepMs: Float64Array): Float64Array {
  const at = new Float64Array(stepMs.length + 1);
  at[0] = startAt;
  for (let index = 0; index < stepMs.length; index += 1) at[index + 1] = (at[index] ?? 0) + (stepMs[index] ?? 0);
  return at;
}

/**
 * Arrays of numbers in PostgreSQL's binary format, which is several times cheaper than text. A statement takes them as
 * they are, and gives them by `array_send`, because the driver reads results as text.
 */
const FLOAT8 = 701;
const INT4 = 23;
/** Dimensions, a flag for nulls, the type of the elements; then the length and the first index of the one dimension. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/** `float8[]`. */
function float8Array(values: ArrayLike<number>): Buffer {
  const { bytes, view } = arrayOf(FLOAT8, values.length, 8);
  for (let index = 0, at = HEADER_BYTES; index < values.length; index += 1, at += LENGTH_BYTES + 8) {
    view.setInt32(at, 8);
    view.setFloat64(at + LENGTH_BYTES, values[index] ?? 0);
  }
  return bytes;
}

/** `int4[]`; each value fits into 32 bits. */
function int4Array(values: ArrayLike<number>): Buffer {
  const { bytes, view } = arrayOf(INT4, values.length, 4);
  for (let index = 0, at = HEADER_BYTES; index < values.length; index += 1, at += LENGTH_BYTES + 4) {
    view.setInt32(at, 4);
    view.setInt32(at + LENGTH_BYTES, values[index] ?? 0);
  }
  return bytes;
}

/** Room for an array, with its header. */
function arrayOf(type: number, length: number, width: number): { readonly bytes: Buffer; readonly view: DataView } {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + length * (LENGTH_BYTES + width));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const [place, word] of [1, 0, type, length, 1].entries()) view.setInt32(place * 4, word);
  return { bytes, view };
}

/** Reads `int4[]` or `float8[]`. */
function numbersOf(bytes: Buffer): Float64Array {
  const isEmpty = bytes.readInt32BE(0) === 0;
  const isFloat = bytes.readInt32BE(8) === FLOAT8;
  const width = isFloat ? 8 : 4;
  const values = new Float64Array(isEmpty ? 0 : bytes.readInt32BE(12));
  for (let index = 0; index < values.length; index += 1) {
    const at = HEADER_BYTES + index * (LENGTH_BYTES + width) + LENGTH_BYTES;
    values[index] = isFloat ? bytes.readDoubleBE(at) : bytes.readInt32BE(at);
  }
  return values;
}
