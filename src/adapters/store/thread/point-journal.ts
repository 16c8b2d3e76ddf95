import type { Connection } from './connection.ts';
import type { PointGroup } from './recent-points.ts';

/** Bytes of a point: time and value as doubles, series and shift day as 32-bit integers. */
const POINT_BYTES = 24;

/**
 * Where points first go, in the order they come: `variable_recent`, one row a transaction with all of its points as
 * columns in one blob. Appending is all it takes to have them on disk; they are packed by series later.
 */
export class PointJournal {
  readonly #insert;
  readonly #newest;
  readonly #select;
  readonly #delete;

  constructor(connection: Connection) {
    this.#insert = connection.prepare('INSERT INTO variable_recent (epoch, points) VALUES (?, ?)');
    this.#newest = connection.prepare<[], number>('SELECT coalesce(max(id), 0) FROM variable_recent').pluck();
    this.#select = connection.prepare<[], { id: number; epoch: number; points: Buffer }>(
      'SELECT id, epoch, points FROM variable_recent ORDER BY id',
    );
    this.#delete = connection.prepare(
      'DELETE FROM variable_recent WHERE id IN (SELECT id FROM variable_recent WHERE id <= ? ORDER BY id LIMIT ?)',
    );
  }

  append(group: PointGroup): void {
    const parts = [group.at, group.value, group.series, group.day];
    const bytes = parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    this.#insert.run(group.epoch, Buffer.concat(bytes));
  }

  newestRow(): number {
    return this.#newest.get() ?? 0;
  }

  *rows(): Generator<{ readonly id: number; readonly group: PointGroup }> {
    for (const { id, epoch, points } of this.#select.iterate()) yield { id, group: decode(epoch, points) };
  }

  /** Deletes at most `limit` rows up to `upTo`; gives how many. */
  deleteRows(upTo: number, limit: number): number {
    return this.#delete.run(upTo, limit).changes;
  }
}

function decode(epoch: number, points: Buffer): PointGroup {
  const count = Math.floor(points.byteLength / POINT_BYTES);
  const { buffer } = new Uint8Array(points);
  return {
    epoch,
    at: new Float64Array(buffer, 0, count),
    value: new Float64Array(buffer, count * 8, count),
    series: new Uint32Array(buffer, count * 16, count),
    day: new Int32Array(buffer, count * 20, count),
  };
}
