import type { PointAnswer } from '../../adapters/store/protocol.ts';
import { bucketsOf, type Chunk, newestOf, select } from '../../adapters/store/thread/variables/point-chunks.ts';
import { DAY_MS, dayNumber, HOUR_MS } from '../../domain/time.ts';
import type { TimedValue, TimeRange, VariableBucket } from '../../flows/store-ports.ts';
import { POINT_COLUMNS, pointRow, type StoredPoints } from '../points/point-rows.ts';
import type { Postgres } from '../postgres/postgres.ts';

/** Rows read at once. */
const PAGE_ROWS = 256;
/** A shift date's points lie within this time around its midnight UTC, in any zone and for any end of the shift. */
const SHIFT_DATE_MARGIN_MS = 2 * DAY_MS;

const SERIES = 'SELECT series_id AS id FROM central.series WHERE machine_id = $1 AND name = $2';
/** The points of a row lie within the hour of its `start_at`. */
const rowsOf = (table: string) => `
  SELECT ${POINT_COLUMNS} FROM central.${table}
  WHERE series_id = $1 AND start_at >= $2 AND start_at < $3`;
const PAGE = `
  SELECT * FROM (${rowsOf('point_run')} UNION ALL ${rowsOf('point_hour')}) AS own
  ORDER BY "startAt" DESC FETCH FIRST ${PAGE_ROWS} ROWS WITH TIES`;

interface Wanted extends TimeRange {
  matches(at: number, day: number): boolean;
}

/** Answers about the values of variables. */
export class VariablePoints {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  /** The newest points of the range, oldest first. */
  points(machineId: string, name: string, range: TimeRange | { readonly shiftDate: string }): Promise<PointAnswer> {
    return newestOf(this.#chunks(machineId, name, 'shiftDate' in range ? onDate(range.shiftDate) : within(range)));
  }

  /** Equal parts of the range with their least, greatest and mean value; parts without points are left out. */
  buckets(machineId: string, name: string, range: TimeRange, wanted: number): Promise<VariableBucket[]> {
    return bucketsOf(this.#chunks(machineId, name, within(range)), range, wanted);
  }

  /** The newest point; null without points. */
  async newest(machineId: string, name: string): Promise<TimedValue | null> {
    const all = within({ from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER });
    for await (const { at, value } of this.#chunks(machineId, name, all)) {
      const last = Array.from(at).reduce((best, time, index) => (time >= (at[best] ?? 0) ? index : best), 0);
      if (at.length > 0) return { at: at[last] ?? 0, value: value[last] ?? Number.NaN };
    }
    return null;
  }

  /** The wanted points, the newest row first. */
  async *#chunks(machineId: string, name: string, { from, to, matches }: Wanted): AsyncGenerator<Chunk> {
    const [series] = await this.#postgres.query<{ id: number }>(SERIES, [machineId, name]);
    if (series === undefined) return;
    const first = Math.floor(from) - HOUR_MS;
    for (let behind = Math.ceil(to) + HOUR_MS; ; ) {
      const rows = await this.#postgres.query<StoredPoints>(PAGE, [series.id, first, behind]);
      for (const row of rows) {
        const { at, value, day } = pointRow(row);
        yield select(at, value, (time) => matches(time, day));
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) return;
      behind = last.startAt;
    }
  }
}

function within({ from, to }: TimeRange): Wanted {
  return { from, to, matches: (at) => at >= from && at < to };
}

function onDate(shiftDate: string): Wanted {
  const day = dayNumber(shiftDate);
  const midnight = day * DAY_MS;
  return {
    from: midnight - SHIFT_DATE_MARGIN_MS,
    to: midnight + SHIFT_DATE_MARGIN_MS,
    matches: (_, pointDay) => pointDay === day,
  };
}
