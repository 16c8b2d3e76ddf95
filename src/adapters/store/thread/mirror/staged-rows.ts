import type { MirrorAge, MirroredKind, MirroredTable } from '../../../../flows/mirror/mirror-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import { type Connection, transact } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { mirrorStaged, mirrorState } from '../database/schema/orders.ts';
import type { StagedRow, TableKind } from './table-kinds.ts';

const ROWS_PER_SLICE = 500;
/** The condition that a row is one of a kind, with one of the ids of a JSON list. */
const NAMED = 'kind = ? AND id IN (SELECT value FROM json_each(?))';

/** Rows that wait for the end of their reading, and the time at which each kind was read last. */
export class StagedRows {
  readonly #connection: Connection;
  readonly #put;
  readonly #drop;
  readonly #dropSome;
  readonly #count;
  readonly #ids;
  readonly #note;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#put = insertInto(connection, mirrorStaged, { or: 'REPLACE' });
    this.#drop = connection.prepare<[string, string]>(`DELETE FROM mirror_staged WHERE ${NAMED}`);
    this.#dropSome = connection.prepare<[string, string, number]>(
      'DELETE FROM mirror_staged WHERE kind = ? AND id IN (SELECT id FROM mirror_staged WHERE kind = ? LIMIT ?)',
    );
    this.#count = connection.prepare<[string], number>('SELECT count(*) FROM mirror_staged WHERE kind = ?').pluck();
    this.#ids = connection
      .prepare<[string, number], string>('SELECT id FROM mirror_staged WHERE kind = ? ORDER BY id LIMIT ?')
      .pluck();
    this.#note = insertInto(connection, mirrorState, {
      onConflict: 'ON CONFLICT (kind) DO UPDATE SET mirrored_at = excluded.mirrored_at',
    });
  }

  put(kind: MirroredTable, { id, machineId, lastOperation, json }: StagedRow): void {
    this.#put({ kind, id, machineId, lastOperation, json });
  }

  async putAll(kind: MirroredTable, rows: readonly StagedRow[]): Promise<void> {
    const slice = new Slice();
    for (let from = 0; from < rows.length; from += ROWS_PER_SLICE) {
      transact(this.#connection, () => {
        for (const row of rows.slice(from, from + ROWS_PER_SLICE)) this.put(kind, row);
      });
      await slice.pause();
    }
  }

  drop(kind: MirroredTable, ids: readonly string[]): void {
    this.#drop.run(kind, JSON.stringify(ids));
  }

  async clear(kind: MirroredTable): Promise<void> {
    const slice = new Slice();
    while (this.#dropSome.run(kind, kind, ROWS_PER_SLICE).changes > 0) await slice.pause();
  }

  count(kind: MirroredTable): number {
    return this.#count.get(kind) ?? 0;
  }

  /** The first in the order of their ids. */
  ids(kind: MirroredTable, limit: number): readonly string[] {
    return this.#ids.all(kind, limit);
  }

  /** Moves rows to their table. To be called within a transaction. */
  take({ kind, prefix, key, columns, stagedColumns }: TableKind, ids: readonly string[]): void {
    const others = columns.filter((column) => column !== key);
    this.#connection
      .prepare<[string, string]>(
        `INSERT INTO ${prefix} (${columns.join(', ')})
         SELECT ${stagedColumns.join(', ')} FROM mirror_staged WHERE ${NAMED}
         ON CONFLICT (${key}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`,
      )
      .run(kind, JSON.stringify(ids));
    this.drop(kind, ids);
  }

  note(kind: MirroredKind, at: number): void {
    this.#note({ kind, mirroredAt: at, generation: null });
  }

  ages(): readonly MirrorAge[] {
    return this.#connection
      .prepare<[], MirrorAge>('SELECT kind, mirrored_at AS lastMirroredAt FROM mirror_state')
      .all();
  }

  /**
   * Without a central server nothing is mirrored: all records here are ours. Writes only if needed, because the disk
   * may be full.
   */
  forget(): void {
    if (this.ages().length > 0) this.#connection.exec('DELETE FROM mirror_state');
  }
}
