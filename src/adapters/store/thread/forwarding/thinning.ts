import { type Connection, transact } from '../database/connection.ts';
import { POINT_BYTES, type PointJournal } from '../variables/point-journal.ts';
import type { PointGroup, RecentPoints } from '../variables/recent-points.ts';
import { MAX_LEVEL, type PointQueue, type PointsToThin } from './queue/point-queue.ts';
import type { QueueClass } from './queue/queue-classes.ts';
import type { QueueRows } from './queue/queue-rows.ts';
import type { Totals } from './queue/queue-totals.ts';

/** Thinning goes on down to this part of the budget, so that each pass makes room for a while. */
const THIN_TO_RATIO = 0.95;
const SLICE_MS = 4;
const ROWS_PER_THINNING = 100;
const CHECK_MS = 1_000;

/**
 * Classes that are dropped for lack of room once points are as thin as possible, least important first (UP-06). All
 * other classes stay. Two devices that send as one machine seem to boot and to change the part with each message, so
 * those statuses are dropped too, after all others.
 */
const THINNED_CLASSES = [
  'repeat',
  'change',
  'anomaly',
  'span',
  'catchUp',
  'partChange',
  'bootEnd',
] as const satisfies readonly QueueClass[];

interface Parts {
  readonly connection: Connection;
  readonly rows: QueueRows;
  readonly totals: Totals;
  readonly journal: PointJournal;
  readonly queue: PointQueue;
  readonly recent: RecentPoints;
  /** Null: nothing is forwarded, and queued rows stay. */
  readonly maxBytes: number | null;
}

/**
 * Keeps the queue within its budget, in slices of short transactions. Every second point of each series is dropped,
 * from the oldest row to the newest, then again, so that the whole outage stays visible, more and more coarsely. Points
 * of the last minutes, which are not packed yet, are on disk for the history; they count once they are packed.
 */
export class Thinning {
  readonly #parts: Parts;
  /** For each level of thinning and series: whether the next point is kept. */
  readonly #keeps: Map<number, boolean>[] = [];
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isBusy = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Continues thinning for one time slice if the queue is over its budget (checked once a second). */
  slice(): void {
    const { connection, maxBytes } = this.#parts;
    if (maxBytes === null) return;
    const now = performance.now();
    if (!this.#isBusy) {
      if (now - this.#checkedAt < CHECK_MS) return;
      this.#checkedAt = now;
      if (this.#bytes() <= maxBytes) return;
    }
    this.#isBusy = transact(connection, () => this.#thin(now + SLICE_MS, maxBytes * THIN_TO_RATIO));
  }

  /** Gives false if the queue is small enough, or as thin as possible. */
  #thin(until: number, toBytes: number): boolean {
    while (performance.now() < until) {
      if (this.#bytes() <= toBytes) return false;
      if (!this.#thinPoints() && !THINNED_CLASSES.some((name) => this.#thinRows(name))) return false;
    }
    return true;
  }

  #bytes(): number {
    return this.#parts.totals.bytes() - this.#parts.recent.count * POINT_BYTES;
  }

  #thinRows(name: QueueClass): boolean {
    const { rows, totals } = this.#parts;
    const count = rows.removeOldest(name, ROWS_PER_THINNING);
    totals.countThinned(name, count);
    return count > 0;
  }

  #thinPoints(): boolean {
    const { journal, queue } = this.#parts;
    for (let level = 0; level < MAX_LEVEL; level += 1) {
      const found = queue.oldestOf(level, journal.packedUpTo);
      if (found === null) continue;
      this.#halve(found);
      return true;
    }
    return false;
  }

  #halve({ row, level, points, held_before: before }: PointsToThin): void {
    const { journal, queue, totals } = this.#parts;
    const group = journal.find(row);
    const kept = group === null ? null : this.#everyOther(group, level, before);
    totals.countThinned('points', points - (kept?.at.length ?? 0));
    if (kept === null || kept.at.length === 0) {
      journal.release(row);
      return;
    }
    journal.replace(row, kept);
    queue.resize(row, level + 1, kept.at.length, POINT_BYTES);
  }

  #everyOther(group: PointGroup, level: number, before: number | null): PointGroup {
    const keeps = this.#keeps[level] ?? new Map<number, boolean>();
    this.#keeps[level] = keeps;
    const isKept = (_: number, index: number) => {
      if (before !== null && (group.day[index] ?? 0) >= before) return false;
      const series = group.series[index] ?? 0;
      const keep = keeps.get(series) ?? true;
      keeps.set(series, !keep);
      return keep;
    };
    const chosen = Uint32Array.from(group.at.keys()).filter(isKept);
    return {
      epoch: group.epoch,
      series: Uint32Array.from(chosen, (index) => group.series[index] ?? 0),
      at: Float64Array.from(chosen, (index) => group.at[index] ?? 0),
      value: Float64Array.from(chosen, (index) => group.value[index] ?? Number.NaN),
      day: Int32Array.from(chosen, (index) => group.day[index] ?? 0),
    };
  }
}
