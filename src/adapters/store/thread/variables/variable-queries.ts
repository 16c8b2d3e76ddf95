import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS, dayNumber } from '../../../../domain/time.ts';
import type { TimedValue, TimeRange, VariableBucket } from '../../../../flows/store-ports.ts';
import type { PointAnswer } from '../../protocol.ts';
import type { ClockEpochs } from '../clock-epochs.ts';
import type { Connection } from '../database/connection.ts';
import { decodeBlock } from './block-codec.ts';
import { MAX_BLOCK_SPAN_MS } from './block-packer.ts';
import { bucketsOf, type Chunk, newestOf, select } from './point-chunks.ts';
import type { RecentPoints } from './recent-points.ts';
import type { VariableSeries } from './variable-series.ts';

/** Blocks read at once; commits get their turn between two pages. */
const PAGE_BLOCKS = 64;
/** A shift date's points lie within this time around its midnight UTC, in any zone and for any end of the shift. */
const SHIFT_DATE_MARGIN_MS = 2 * DAY_MS;

interface BlockRow {
  readonly id: number;
  readonly start_at: number;
  readonly day: number;
  readonly epoch: number;
  readonly count: number;
  readonly points: Buffer;
}

/** The wanted points: by corrected time, or by the shift date of that time. */
interface Wanted {
  /** The range of written times to read, for a given correction. */
  written(correctionMs: number): TimeRange;
  matches(correctedAt: number, day: number): boolean;
}

export class VariableQueries {
  readonly #series: VariableSeries;
  readonly #recent: RecentPoints;
  readonly #epochs: ClockEpochs;
  readonly #page;

  constructor(connection: Connection, series: VariableSeries, recent: RecentPoints, epochs: ClockEpochs) {
    this.#series = series;
    this.#recent = recent;
    this.#epochs = epochs;
    this.#page = connection.prepare<[number, number, number, number, number], BlockRow>(
      `SELECT id, start_at, day, epoch, count, points FROM variable_block
       WHERE series = ? AND start_at >= ? AND (start_at, id) < (?, ?)
       ORDER BY start_at DESC, id DESC LIMIT ?`,
    );
  }

  /** The newest points of the range, oldest first. */
  points(machineId: string, name: string, range: TimeRange | { readonly shiftDate: string }): Promise<PointAnswer> {
    return newestOf(this.#chunks(machineId, name, 'shiftDate' in range ? onDate(range) : within(range)));
  }

  /** The newest point at its corrected time; null without points. */
  newest(machineId: string, name: string): TimedValue | null {
    const series = this.#series.find(machineId, name);
    if (series === null) return null;
    const corrected = (at: number, epoch: number) => at + (this.#epochs.corrections().get(epoch) ?? 0);
    const recent = this.#recent.of(series);
    const last = (recent?.at.length ?? 0) - 1;
    if (recent !== null && last >= 0) {
      return { at: corrected(recent.at[last] ?? 0, recent.epoch[last] ?? 0), value: recent.value[last] ?? Number.NaN };
    }
    const [block] = this.#page.all(series, 0, Number.MAX_SAFE_INTEGER, 0, 1);
    if (block === undefined) return null;
    const { at, value } = decodeBlock(block.points, block.start_at, block.count);
    return { at: corrected(at[block.count - 1] ?? 0, block.epoch), value: value[block.count - 1] ?? Number.NaN };
  }

  /** Equal parts of the range with their least, greatest and mean value; parts without points are left out. */
  buckets(machineId: string, name: string, range: TimeRange, wanted: number): Promise<VariableBucket[]> {
    return bucketsOf(this.#chunks(machineId, name, within(range)), range, wanted);
  }

  /**
   * The wanted points at their corrected times, newest chunk first within each correction. Memory and the newest page are
   * read in one turn, so that packing between two pages moves no point from one to the other unseen.
   */
  async *#chunks(machineId: string, name: string, wanted: Wanted): AsyncGenerator<Chunk> {
    const series = this.#series.find(machineId, name);
    if (series === null) return;
    const corrections = this.#epochs.corrections();
    yield this.#recentChunk(series, corrections, wanted);
    // The present epoch comes last in the list but is read first, because packing may move its points. Points of other
    // gateways belong to no epoch of ours and are not corrected, even before our first write.
    const distinct = [...new Set([...corrections.values()].reverse()).add(0)];
    for (const correctionMs of distinct) {
      yield* this.#blockChunks(series, correctionMs, (epoch) => corrections.get(epoch) ?? 0, wanted);
    }
  }

  async *#blockChunks(
    series: number,
    correctionMs: number,
    correctionOf: (epoch: number) => number,
    wanted: Wanted,
  ): AsyncGenerator<Chunk> {
    const { from, to } = wanted.written(correctionMs);
    let before = { startAt: to + 1, id: 0 };
    for (;;) {
      const rows = this.#page.all(series, from - MAX_BLOCK_SPAN_MS, before.startAt, before.id, PAGE_BLOCKS);
      for (const row of rows) {
        if (correctionOf(row.epoch) !== correctionMs) continue;
        const { at, value } = decodeBlock(row.points, row.start_at, row.count);
        yield select(
          at.map((time) => time + correctionMs),
          value,
          (time) => wanted.matches(time, this.#epochs.dayAt(row.epoch, time, row.day)),
        );
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_BLOCKS) return;
      before = { startAt: last.start_at, id: last.id };
      await nextTurn();
    }
  }

  #recentChunk(series: number, corrections: ReadonlyMap<number, number>, wanted: Wanted): Chunk {
    const recent = this.#recent.of(series);
    if (recent === null) return { at: [], value: [] };
    const at = recent.at.map((time, index) => time + (corrections.get(recent.epoch[index] ?? 0) ?? 0));
    const dayOf = (time: number, index: number) =>
      this.#epochs.dayAt(recent.epoch[index] ?? 0, time, recent.day[index] ?? 0);
    return select(at, recent.value.slice(), (time, index) => wanted.matches(time, dayOf(time, index)));
  }
}

function within(range: TimeRange): Wanted {
  return {
    written: (correctionMs) => ({ from: range.from - correctionMs, to: range.to - correctionMs }),
    matches: (at) => at >= range.from && at < range.to,
  };
}

function onDate({ shiftDate }: { readonly shiftDate: string }): Wanted {
  const day = dayNumber(shiftDate);
  const midnight = day * DAY_MS;
  return {
    written: (correctionMs) => ({
      from: midnight - SHIFT_DATE_MARGIN_MS - correctionMs,
      to: midnight + SHIFT_DATE_MARGIN_MS - correctionMs,
    }),
    matches: (_, pointDay) => pointDay === day,
  };
}
