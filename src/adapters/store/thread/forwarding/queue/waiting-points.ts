import { dayNumber } from '../../../../../domain/time.ts';
import type { PointsPage, PointsPost } from '../../../../../flows/forward/sync-ports.ts';
import type { ClockEpochs } from '../../clock-epochs.ts';
import { POINT_BYTES, type PointJournal } from '../../variables/point-journal.ts';
import type { PointGroup } from '../../variables/recent-points.ts';
import type { SeriesNames } from '../series-names.ts';
import type { PointQueue } from './point-queue.ts';

/** Rows looked at for one page. */
const MAX_PAGE_ROWS = 500;
/** Points that are gathered for one answer. */
const MAX_PAGE_POINTS = 50_000;

interface Parts {
  readonly journal: PointJournal;
  readonly queue: PointQueue;
  readonly names: SeriesNames;
  readonly epochs: ClockEpochs;
}

type OpenPost = PointsPost & { readonly values: Record<string, number> };

/** Waiting points for a server with the interface alone: it gets those of the present shift date (D-26). */
export class WaitingPoints {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The oldest rows, until they make `limit` posts; null if no row waits. */
  page(shiftDate: string, limit: number): PointsPage | null {
    const { queue, journal } = this.#parts;
    const day = dayNumber(shiftDate);
    const posts: PointsPost[] = [];
    const rows: number[] = [];
    const olderRows: number[] = [];
    let points = 0;
    for (const { row } of queue.waiting(0, MAX_PAGE_ROWS)) {
      const group = journal.find(row);
      points += group?.at.length ?? 0;
      const isOlder = group !== null && this.#isOlder(group, day);
      if (isOlder) olderRows.push(row);
      else rows.push(row);
      if (group !== null && !isOlder) posts.push(...this.#posts(row, group, day));
      if (posts.length >= limit || points >= MAX_PAGE_POINTS) break;
    }
    return rows.length + olderRows.length === 0 ? null : { posts, rows, olderRows };
  }

  /** Notes the rows as posted. If a row reaches into the day before, the points of that day are held from now on. */
  sent(rows: readonly number[]): void {
    const { queue, journal } = this.#parts;
    for (const row of rows) {
      if (!queue.has(row)) continue;
      const group = journal.find(row);
      const newest = group === null ? 0 : group.day.reduce((latest, day) => Math.max(latest, day), 0);
      const older = group === null ? 0 : group.day.filter((day) => day < newest).length;
      if (older === 0) journal.release(row);
      else queue.hold(row, older, POINT_BYTES, newest);
    }
  }

  held(rows: readonly number[]): void {
    const { queue, journal } = this.#parts;
    for (const row of rows) {
      const group = queue.has(row) ? journal.find(row) : null;
      if (group !== null) queue.hold(row, group.at.length, POINT_BYTES);
    }
  }

  /** Whether the row is held. If its clock was corrected, it goes or is held as a whole (`sent` knows the written dates). */
  #isOlder(group: PointGroup, day: number): boolean {
    const { day: days, isMoved } = this.#parts.epochs.corrected(group);
    const isBefore = (ofPoint: number) => ofPoint < day;
    return isMoved ? days.some(isBefore) : days.length > 0 && days.every(isBefore);
  }

  /** Points from `day` on: values of one machine at one moment make one post. */
  #posts(row: number, group: PointGroup, day: number): readonly PointsPost[] {
    const corrected = this.#parts.epochs.corrected(group);
    const posts: OpenPost[] = [];
    const open = new Map<string, OpenPost>();
    for (let index = 0; index < group.at.length; index += 1) {
      const series = this.#parts.names.of(group.series[index] ?? 0);
      if (series === null || (corrected.day[index] ?? 0) < day) continue;
      const [machineId, name] = series;
      const at = corrected.at[index] ?? 0;
      const key = `${machineId} ${at}`;
      let post = open.get(key);
      if (post === undefined || Object.hasOwn(post.values, name)) {
        post = { row, machineId, at, values: {} };
        open.set(key, post);
        posts.push(post);
      }
      // A variable may have any name.
      Object.defineProperty(post.values, name, {
        value: group.value[index] ?? Number.NaN,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return posts;
  }
}
