import { DAY_MS } from '../../../../domain/time.ts';
import type { ClockEpochs } from '../clock-epochs.ts';
import type { PointJournal } from '../variables/point-journal.ts';
import type { PointQueue, QueuedPoints } from './queue/point-queue.ts';
import type { SeriesNames } from './series-names.ts';

/** Rows are deleted one by one once the batch is acknowledged. */
const MAX_ROWS = 1_000;
const SERIES_KEY_DAYS = 2 ** 20;

interface Parts {
  readonly journal: PointJournal;
  readonly queue: PointQueue;
  readonly names: SeriesNames;
  readonly epochs: ClockEpochs;
  /** At least one row goes, with any number of points. */
  readonly maxPoints: number;
}

interface Columns {
  readonly series: number;
  readonly day: number;
  readonly at: number[];
  readonly value: number[];
}

/** Points for one batch, gathered row by row: the oldest that wait, held ones first. */
export class BatchPoints {
  readonly rows: number[] = [];
  readonly #parts: Parts;
  readonly #columns = new Map<number, Columns>();
  #heldUpTo = 0;
  #waitingUpTo = 0;
  #count = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#count;
  }

  /** Gathers up to `limit` more rows; false if no row is left, or no room. */
  gather(limit: number): boolean {
    const { queue, maxPoints } = this.#parts;
    const held = queue.held(this.#heldUpTo, limit);
    const page = held.length > 0 ? held : queue.waiting(this.#waitingUpTo, limit);
    for (const queued of page) {
      if (this.#count >= maxPoints || this.rows.length >= MAX_ROWS) return false;
      this.#add(queued);
    }
    return page.length > 0;
  }

  /** An array of PointSeries (domain/sync/batch.ts). */
  json(): string {
    const series = Array.from(this.#columns.values(), ({ series: id, day, at, value }) => {
      const [machineId, name] = this.#parts.names.of(id) ?? ['', ''];
      const shiftDate = new Date(day * DAY_MS).toISOString().slice(0, 10);
      return JSON.stringify({ machineId, name, shiftDate, at, value });
    });
    return `[${series.join(',')}]`;
  }

  #add({ row, held_before: before }: QueuedPoints): void {
    const group = this.#parts.journal.find(row);
    if (before === null) this.#waitingUpTo = row;
    else this.#heldUpTo = row;
    this.rows.push(row);
    if (group === null) return;
    const { at, day } = this.#parts.epochs.corrected(group);
    for (let index = 0; index < at.length; index += 1) {
      // Held points were chosen by the shift date under which they were written.
      if (before !== null && (group.day[index] ?? 0) >= before) continue;
      const columns = this.#columnsOf(group.series[index] ?? 0, day[index] ?? 0);
      columns.at.push(at[index] ?? 0);
      columns.value.push(group.value[index] ?? Number.NaN);
      this.#count += 1;
    }
  }

  #columnsOf(series: number, day: number): Columns {
    const key = series * SERIES_KEY_DAYS + day;
    let columns = this.#columns.get(key);
    if (columns === undefined) {
      columns = { series, day, at: [], value: [] };
      this.#columns.set(key, columns);
    }
    return columns;
  }
}
