import type { Connection } from '../../database/connection.ts';
import { insertInto } from '../../database/insert-into.ts';
import { queuePoints } from '../../database/schema/forwarding.ts';
import type { PointGroup } from '../../variables/recent-points.ts';

/** Bytes of a row on disk in addition to its points. */
const ROW_BYTES = 100;
/** A row is halved at most this number of times. */
export const MAX_LEVEL = 10;
/** Everything in the row is held. */
const WHOLE_ROW = 2 ** 31;

export interface QueuedPoints {
  readonly row: number;
  /** For a held row: points of shift days before this one wait; null if the whole row waits. */
  readonly held_before: number | null;
}

/** `level` counts the halvings of the row, `points` its waiting points. */
export interface PointsToThin extends QueuedPoints {
  readonly level: number;
  readonly points: number;
}

/**
 * Which rows of the journal wait for the central server. Their points stay in the journal (point-journal.ts): a row
 * stays there until it is both packed and forwarded. To be called within a transaction.
 */
export class PointQueue {
  readonly #insert;
  readonly #waiting;
  readonly #held;
  readonly #oldestOf;
  readonly #hold;
  readonly #resize;
  readonly #remove;
  readonly #isQueued;

  constructor(connection: Connection) {
    this.#insert = insertInto(connection, queuePoints);
    this.#waiting = connection.prepare<[number, number], QueuedPoints>(
      'SELECT row, held_before FROM queue_points WHERE held_before IS NULL AND row > ? ORDER BY row LIMIT ?',
    );
    this.#held = connection.prepare<[number, number], QueuedPoints>(
      'SELECT row, held_before FROM queue_points WHERE held_before IS NOT NULL AND row > ? ORDER BY row LIMIT ?',
    );
    this.#oldestOf = connection.prepare<[number, number], PointsToThin>(
      'SELECT * FROM queue_points WHERE level = ? AND row <= ? ORDER BY row LIMIT 1',
    );
    this.#hold = connection.prepare<[number, number, number, number]>(
      'UPDATE queue_points SET held_before = ?, points = ?, bytes = ? WHERE row = ?',
    );
    this.#resize = connection.prepare<[number, number, number, number]>(
      'UPDATE queue_points SET level = ?, points = ?, bytes = ? WHERE row = ?',
    );
    this.#remove = connection.prepare<[number]>('DELETE FROM queue_points WHERE row = ?');
    this.#isQueued = connection.prepare<[number], number>('SELECT 1 FROM queue_points WHERE row = ?').pluck();
  }

  add(row: number, group: PointGroup, pointBytes: number): void {
    const points = group.at.length;
    const bytes = bytesOf(points, pointBytes);
    this.#insert({ row, at: group.at[0] ?? 0, heldBefore: null, level: 0, points, bytes });
  }

  /** From behind row `after` on, oldest first. */
  waiting(after: number, limit: number): readonly QueuedPoints[] {
    return this.#waiting.all(after, limit);
  }

  held(after: number, limit: number): readonly QueuedPoints[] {
    return this.#held.all(after, limit);
  }

  /** The oldest row up to `upTo` that was halved `level` times. */
  oldestOf(level: number, upTo: number): PointsToThin | null {
    return this.#oldestOf.get(level, upTo) ?? null;
  }

  has(row: number): boolean {
    return this.#isQueued.get(row) !== undefined;
  }

  /** Holds the points of days before `before`, which are `count`; holds all points without `before`. */
  hold(row: number, count: number, pointBytes: number, before: number = WHOLE_ROW): void {
    this.#hold.run(before, count, bytesOf(count, pointBytes), row);
  }

  /** It was thinned to `count` points. */
  resize(row: number, level: number, count: number, pointBytes: number): void {
    this.#resize.run(level, count, bytesOf(count, pointBytes), row);
  }

  remove(row: number): void {
    this.#remove.run(row);
  }
}

function bytesOf(count: number, pointBytes: number): number {
  return ROW_BYTES + count * pointBytes;
}
