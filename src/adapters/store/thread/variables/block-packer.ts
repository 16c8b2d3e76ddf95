import { type Connection, transact } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { variableBlock, variablePacking } from '../database/schema/variables.ts';
import { decodeBlock, encodeBlock, MAX_BLOCK_POINTS } from './block-codec.ts';
import type { PointJournal } from './point-journal.ts';
import type { RecentPoints, RecentSeries } from './recent-points.ts';

/** Points are packed once this number waits, or once the oldest reaches this age. */
export const MAX_RECENT_POINTS = 300_000;
/** Points of this age are packed, also if there are few. */
export const MAX_RECENT_AGE_MS = 5 * 60_000;
/** The length of one slice of packing: a commit waits no longer. */
const SLICE_MS = 8;
const DELETED_ROWS_PER_SLICE = 64;
/** The maximum time of a block, so that a range's blocks are found by their starts. */
export const MAX_BLOCK_SPAN_MS = 3_600_000;
const ALL_SERIES = Number.MAX_SAFE_INTEGER;

/** Points of one run, in time order. */
interface RunPoints {
  readonly at: readonly number[];
  readonly value: readonly number[];
}

/** A packing under way: the series with the number of points still to pack. */
interface Packing {
  readonly upToRecent: number;
  readonly remaining: [series: number, count: number][];
}

interface LastBlock {
  readonly id: number;
  readonly start_at: number;
  readonly end_at: number;
  readonly day: number;
  readonly epoch: number;
  readonly count: number;
  readonly points: Buffer;
}

/**
 * Moves points from the journal into blocks of one series each, in slices of short transactions. Each slice also notes up
 * to which series the journal's rows are packed, so that a crash between two slices neither loses nor doubles a point.
 * Then the rows go, except those that wait to be forwarded. It also notes up to which row that is done.
 */
export class BlockPacker {
  readonly #connection: Connection;
  readonly #journal: PointJournal;
  readonly #recent: RecentPoints;
  readonly #lastBlock;
  readonly #insert;
  readonly #update;
  readonly #note;
  #packing: Packing | null = null;

  constructor(connection: Connection, journal: PointJournal, recent: RecentPoints) {
    this.#connection = connection;
    this.#journal = journal;
    this.#recent = recent;
    this.#lastBlock = connection.prepare<[number], LastBlock>(
      `SELECT id, start_at, end_at, day, epoch, count, points FROM variable_block
       WHERE series = ? ORDER BY start_at DESC, id DESC LIMIT 1`,
    );
    this.#insert = insertInto(connection, variableBlock, { without: ['id'] });
    this.#update = connection.prepare('UPDATE variable_block SET end_at = ?, count = ?, points = ? WHERE id = ?');
    this.#note = insertInto(connection, variablePacking, { or: 'REPLACE' });
    this.#load();
  }

  get isPacking(): boolean {
    return this.#packing !== null;
  }

  /** Begins to pack all points that are in the journal now. */
  begin(): void {
    if (this.#packing !== null || this.#recent.count === 0) return;
    this.#packing = { upToRecent: this.#journal.newestRow(), remaining: [...this.#recent.counts()] };
  }

  /** Packs on for one slice of time, in one transaction. */
  slice(): void {
    const packing = this.#packing;
    if (packing === null) return;
    if (packing.remaining.length === 0) {
      this.#deletePacked(packing.upToRecent);
      return;
    }
    const packed = transact(this.#connection, () => this.#packSlice(packing));
    packing.remaining.splice(0, packed.length);
    for (const [series, count] of packed) this.#recent.drop(series, count);
  }

  /**
   * Reads the journal into memory, without the points that an interrupted packing has put into blocks already, and
   * resumes that packing.
   */
  #load(): void {
    const note = this.#connection
      .prepare<[], { up_to_recent: number; up_to_series: number }>('SELECT * FROM variable_packing')
      .get() ?? { up_to_recent: 0, up_to_series: 0 };
    let resumed: ReadonlyMap<number, number> | null = null;
    for (const { id, group } of this.#journal.rows()) {
      const isInterrupted = id <= note.up_to_recent;
      if (!isInterrupted) resumed ??= this.#recent.counts();
      this.#recent.add(group, (series) => !isInterrupted || series > note.up_to_series);
    }
    if (note.up_to_recent === 0) return;
    this.#packing = { upToRecent: note.up_to_recent, remaining: [...(resumed ?? this.#recent.counts())] };
  }

  #packSlice(packing: Packing): [series: number, count: number][] {
    const until = performance.now() + SLICE_MS;
    const packed: [number, number][] = [];
    for (const [series, count] of packing.remaining) {
      if (packed.length > 0 && performance.now() >= until) break;
      this.#packSeries(series, count);
      packed.push([series, count]);
    }
    const last = packed.length === packing.remaining.length ? ALL_SERIES : (packed.at(-1)?.[0] ?? 0);
    const { packedUpTo } = this.#journal;
    this.#note({ id: 1, upToRecent: packing.upToRecent, upToSeries: last, packedUpTo });
    return packed;
  }

  #deletePacked(upToRecent: number): void {
    const from = this.#journal.packedUpTo;
    const to = Math.min(from + DELETED_ROWS_PER_SLICE, upToRecent);
    const isDone = to === upToRecent;
    transact(this.#connection, () => {
      this.#journal.deletePacked(from, to);
      const left = isDone ? { upToRecent: 0, upToSeries: 0 } : { upToRecent, upToSeries: ALL_SERIES };
      this.#note({ id: 1, ...left, packedUpTo: to });
    });
    this.#journal.notePacked(to);
    if (isDone) this.#packing = null;
  }

  #packSeries(series: number, count: number): void {
    const columns = this.#recent.of(series);
    if (columns === null) return;
    for (const { day, epoch, points } of runs(columns, count)) {
      const appended = this.#append(series, day, epoch, points);
      this.#insertBlocks(series, day, epoch, points, appended);
    }
  }

  /** Fills the series' last block, where these points continue it; gives how many went in. */
  #append(series: number, day: number, epoch: number, points: RunPoints): number {
    const last = this.#lastBlock.get(series);
    const firstAt = points.at[0] ?? 0;
    const continues =
      last !== undefined &&
      last.day === day &&
      last.epoch === epoch &&
      last.count < MAX_BLOCK_POINTS &&
      firstAt >= last.end_at;
    if (!continues) return 0;
    const present = decodeBlock(last.points, last.start_at, last.count);
    const wanted = Math.min(withinSpan(points.at, last.start_at, 0), MAX_BLOCK_POINTS);
    const at = [...present.at, ...points.at.slice(0, wanted)];
    const value = [...present.value, ...points.value.slice(0, wanted)];
    const block = encodeBlock({ at, value }, 0, at.length);
    if (block.count <= last.count) return 0;
    this.#update.run(at[block.count - 1], block.count, block.bytes, last.id);
    return block.count - last.count;
  }

  #insertBlocks(series: number, day: number, epoch: number, points: RunPoints, from: number): void {
    let next = from;
    while (next < points.at.length) {
      const startAt = points.at[next] ?? 0;
      const block = encodeBlock(points, next, withinSpan(points.at, startAt, next));
      const endAt = points.at[next + block.count - 1] ?? startAt;
      this.#insert({ series, startAt, endAt, day, epoch, count: block.count, points: block.bytes });
      next += block.count;
    }
  }
}

/** The index behind the last point from `from` on that a block starting at `startAt` may hold. */
function withinSpan(at: readonly number[], startAt: number, from: number): number {
  let end = from;
  while (end < at.length && (at[end] ?? 0) - startAt <= MAX_BLOCK_SPAN_MS) end += 1;
  return end;
}

/** The first `count` points split where the shift day or the epoch changes, each part in time order. */
function* runs(columns: RecentSeries, count: number) {
  let from = 0;
  for (let index = 1; index <= count; index += 1) {
    const day = columns.day[from] ?? 0;
    const epoch = columns.epoch[from] ?? 0;
    if (index < count && columns.day[index] === day && columns.epoch[index] === epoch) continue;
    yield { day, epoch, points: inTimeOrder(columns.at.slice(from, index), columns.value.slice(from, index)) };
    from = index;
  }
}

function inTimeOrder(at: number[], value: number[]): RunPoints {
  if (at.every((time, index) => index === 0 || time >= (at[index - 1] ?? 0))) return { at, value };
  const order = at.map((_, index) => index).sort((left, right) => (at[left] ?? 0) - (at[right] ?? 0));
  return { at: order.map((index) => at[index] ?? 0), value: order.map((index) => value[index] ?? Number.NaN) };
}
