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

/** Rows of one statement. Larger statements have multiples of ROWS_STEP, which keeps the number of prepared ones small. */
const MAX_ROWS_AT_ONCE = 128;
const ROWS_STEP = 16;
const COLUMNS = 5;

/** Writes rows with points. */
export async function insertPoints(
  postgres: Postgres,
  table: 'point_run' | 'point_hour',
  rows: readonly PointRow[],
): Promise<void> {
  for (let from = 0; from < rows.length; ) {
    const left = Math.min(rows.length - from, MAX_ROWS_AT_ONCE);
    const size = left < ROWS_STEP ? left : left - (left % ROWS_STEP);
    const values = rows.slice(from, from + size).flatMap(({ seriesId, day, at, value }) => {
      return [seriesId, day, at[0] ?? 0, int4Array(stepsOf(at)), float8Array(value)];
    });
    await postgres.run(insertOf(table, size), values);
    from += size;
  }
}

export function pointRow({ seriesId, day, startAt, stepMs, value }: StoredPoints): PointRow {
  return { seriesId, day, at: timesOf(startAt, numbersOf(stepMs)), value: numbersOf(value) };
}

/** The time from each point to the next. All lie in one hour, so a step fits into 32 bits. */
function stepsOf(at: Float64Array): Int32Array {
  const steps = new Int32Array(Math.max(0, at.length - 1));
  for (let index = 0; index < steps.length; index += 1) steps[index] = (at[index + 1] ?? 0) - (at[index] ?? 0);
  return steps;
}

function timesOf(startAt: number, stepMs: Float64Array): Float64Array {
  const at = new Float64Array(stepMs.length + 1);
  at[0] = startAt;
  for (let index = 0; index < stepMs.length; index += 1) at[index + 1] = (at[index] ?? 0) + (stepMs[index] ?? 0);
  return at;
}

const inserts = new Map<string, string>();

function insertOf(table: string, rows: number): string {
  const key = `${table} ${rows}`;
  const text = inserts.get(key) ?? madeInsert(table, rows);
  inserts.set(key, text);
  return text;
}

function madeInsert(table: string, rows: number): string {
  const marks = Array.from({ length: rows }, (_, row) => {
    const mark = (column: number) => `$${row * COLUMNS + column + 1}`;
    return `(${mark(0)}::int8, ${mark(1)}::int4, ${mark(2)}::int8, ${mark(3)}::int4[], ${mark(4)}::float8[])`;
  });
  return `INSERT INTO central.${table} (series_id, day, start_at, step_ms, value) VALUES ${marks.join(', ')}`;
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
  return encoded(values, FLOAT8, 8, (bytes, at, value) => bytes.writeDoubleBE(value, at));
}

/** `int4[]`; each value fits into 32 bits. */
function int4Array(values: ArrayLike<number>): Buffer {
  return encoded(values, INT4, 4, (bytes, at, value) => bytes.writeInt32BE(value, at));
}

function encoded(
  values: ArrayLike<number>,
  type: number,
  width: number,
  write: (bytes: Buffer, at: number, value: number) => void,
): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + width));
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(0, 4);
  bytes.writeInt32BE(type, 8);
  bytes.writeInt32BE(values.length, 12);
  bytes.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (let index = 0; index < values.length; index += 1) {
    bytes.writeInt32BE(width, at);
    write(bytes, at + LENGTH_BYTES, values[index] ?? 0);
    at += LENGTH_BYTES + width;
  }
  return bytes;
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
