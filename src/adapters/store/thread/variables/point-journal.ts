import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { variableRecent } from '../database/schema/variables.ts';
import type { PointQueue } from '../forwarding/queue/point-queue.ts';
import type { PointGroup } from './recent-points.ts';

/** Bytes of a point: time and value as doubles, series and shift day as 32-bit integers. */
export const POINT_BYTES = 24;

/**
 * The first place of points, in the order of their arrival: `variable_recent` has one row for each transaction, with
 * all its points as columns in one blob. One append brings them to disk; they are packed by series later. A packed row
 * is deleted, unless it still waits to be forwarded. A row number is never given twice.
 */
export class PointJournal {
  readonly #queue: PointQueue;
  readonly #forwards: boolean;
  readonly #insert;
  readonly #newest;
  readonly #select;
  readonly #find;
  readonly #update;
  readonly #delete;
  readonly #deletePacked;
  #nextRow: number;
  #packedUpTo: number;

  /** With `forwards` appended points wait to be forwarded. */
  constructor(connection: Connection, queue: PointQueue, forwards: boolean) {
    this.#queue = queue;
    this.#forwards = forwards;
    this.#insert = insertInto(connection, variableRecent);
    this.#newest = connection.prepare<[], number>('SELECT coalesce(max(id), 0) FROM variable_recent').pluck();
    this.#select = connection.prepare<[number], { id: number; epoch: number; points: Buffer }>(
      'SELECT id, epoch, points FROM variable_recent WHERE id > ? ORDER BY id',
    );
    this.#find = connection.prepare<[number], { epoch: number; points: Buffer }>(
      'SELECT epoch, points FROM variable_recent WHERE id = ?',
    );
    this.#update = connection.prepare('UPDATE variable_recent SET points = ? WHERE id = ?');
    this.#delete = connection.prepare('DELETE FROM variable_recent WHERE id = ?');
    this.#deletePacked = connection.prepare(
      `DELETE FROM variable_recent
       WHERE id > ? AND id <= ? AND NOT EXISTS (SELECT 1 FROM queue_points WHERE row = variable_recent.id)`,
    );
    const packing = connection
      .prepare<[], number>('SELECT max(packed_up_to, up_to_recent) FROM variable_packing WHERE id = 1')
      .pluck();
    const packed = connection.prepare<[], number>('SELECT packed_up_to FROM variable_packing WHERE id = 1').pluck();
    this.#packedUpTo = packed.get() ?? 0;
    this.#nextRow = Math.max(this.newestRow(), packing.get() ?? 0) + 1;
  }

  /** All rows up to this one are packed: a start need not read them. */
  get packedUpTo(): number {
    return this.#packedUpTo;
  }

  append(group: PointGroup): void {
    this.#insert({ id: this.#nextRow, epoch: group.epoch, points: encode(group) });
    if (this.#forwards) this.#queue.add(this.#nextRow, group, POINT_BYTES);
    this.#nextRow += 1;
  }

  newestRow(): number {
    return this.#newest.get() ?? 0;
  }

  /** The rows that are not packed. */
  *rows(): Generator<{ readonly id: number; readonly group: PointGroup }> {
    for (const { id, epoch, points } of this.#select.iterate(this.#packedUpTo))
      yield { id, group: decode(epoch, points) };
  }

  find(row: number): PointGroup | null {
    const found = this.#find.get(row);
    return found === undefined ? null : decode(found.epoch, found.points);
  }

  /** Replaces the points of a packed row by these. */
  replace(row: number, group: PointGroup): void {
    this.#update.run(encode(group), row);
  }

  /** The row does not wait to be forwarded any more. */
  release(row: number): void {
    this.#queue.remove(row);
    if (row <= this.#packedUpTo) this.#delete.run(row);
  }

  /** Deletes the packed rows behind `from` up to `to` that do not wait to be forwarded. */
  deletePacked(from: number, to: number): void {
    this.#deletePacked.run(from, to);
  }

  /** Notes, after the commit, that rows up to `row` are packed, and deleted unless they wait to be forwarded. */
  notePacked(row: number): void {
    this.#packedUpTo = row;
  }
}

function encode(group: PointGroup): Buffer {
  const parts = [group.at, group.value, group.series, group.day];
  return Buffer.concat(parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
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
