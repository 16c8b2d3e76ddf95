import { Slice } from '../../../../runtime/slice.ts';
import type { Connection } from '../database/connection.ts';
import { transact } from '../database/transact.ts';
import type { LocalChanges } from './local-changes.ts';
import type { StagedRows } from './staged-rows.ts';
import type { TableKind } from './table-kinds.ts';

/** This many rows are copied in a millisecond or two. */
const ROWS_PER_STATEMENT = 200;

/**
 * Applies more changes than fit into one transaction without delaying the commits behind it. A new table is made beside
 * the old one, in slices, and then takes its place in one short transaction. Changes made here meanwhile are taken
 * over.
 */
export class TableSwap {
  readonly #table: TableKind;
  readonly #connection: Connection;
  readonly #local: LocalChanges;
  readonly #staged: StagedRows;

  constructor(table: TableKind, connection: Connection, local: LocalChanges, staged: StagedRows) {
    this.#table = table;
    this.#connection = connection;
    this.#local = local;
    this.#staged = staged;
  }

  /** The records that `gone` names are left out. */
  async apply(gone: readonly string[], at: number): Promise<void> {
    const { kind, prefix, definition } = this.#table;
    const beganAt = performance.now();
    await this.cleanUp();
    this.#connection.exec(`CREATE TABLE ${prefix}_next (${definition})`);
    await this.#copyPresent(new Set(gone));
    await this.#copyNew();
    transact(this.#connection, () => {
      for (const entity of this.#local.since(prefix, beganAt)) this.#takeOver(entity.slice(prefix.length + 1));
      this.#connection.exec(`ALTER TABLE ${prefix} RENAME TO ${prefix}_old`);
      this.#connection.exec(`ALTER TABLE ${prefix}_next RENAME TO ${prefix}`);
      this.#staged.note(kind, at);
    });
    this.#table.noteReplacement();
    await this.cleanUp();
    await this.#staged.clear(kind);
  }

  /** Removes the remains of an earlier swap, finished or not. */
  async cleanUp(): Promise<void> {
    const { prefix } = this.#table;
    for (const table of [`${prefix}_next`, `${prefix}_old`]) {
      const exists = this.#connection.prepare<[string]>('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table);
      if (exists === undefined) continue;
      const slice = new Slice();
      const empty = this.#connection.prepare<[number]>(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} LIMIT ?)`,
      );
      while (empty.run(ROWS_PER_STATEMENT).changes > 0) await slice.pause();
      this.#connection.exec(`DROP TABLE ${table}`);
    }
  }

  async #copyPresent(gone: ReadonlySet<string>): Promise<void> {
    const { kind, prefix, key, columns, stagedColumns } = this.#table;
    const values = columns.map((column, place) =>
      column === key ? `own.${key}` : `iif(staged.id IS NULL, own.${column}, staged.${stagedColumns[place]})`,
    );
    const copy = this.#connection.prepare<[string, string, number], string>(
      `INSERT INTO ${prefix}_next (${columns.join(', ')})
       SELECT ${values.join(', ')} FROM ${prefix} AS own
       LEFT JOIN mirror_staged AS staged ON staged.kind = ? AND staged.id = own.${key}
       WHERE own.${key} > ? ORDER BY own.${key} LIMIT ? RETURNING ${key}`,
    );
    const leave = this.#connection.prepare<[string]>(`DELETE FROM ${prefix}_next WHERE ${key} = ?`);
    await this.#inSlices((last) =>
      transact(this.#connection, () => {
        const copied = copy.pluck().all(kind, last, ROWS_PER_STATEMENT);
        for (const id of copied) if (gone.has(id)) leave.run(id);
        return copied;
      }),
    );
  }

  async #copyNew(): Promise<void> {
    const { kind, prefix, key, columns, stagedColumns } = this.#table;
    const copy = this.#connection.prepare<[string, string, number], string>(
      `INSERT INTO ${prefix}_next (${columns.join(', ')})
       SELECT ${stagedColumns.join(', ')} FROM mirror_staged
       WHERE kind = ? AND id > ? ORDER BY id LIMIT ?
       ON CONFLICT (${key}) DO UPDATE SET ${key} = excluded.${key} RETURNING ${key}`,
    );
    await this.#inSlices((last) => copy.pluck().all(kind, last, ROWS_PER_STATEMENT));
  }

  async #inSlices(copyAfter: (last: string) => readonly string[]): Promise<void> {
    const slice = new Slice();
    for (let last = ''; ; ) {
      const copied = copyAfter(last);
      // The keys come in the order in which they were written, which is their own order.
      last = copied.at(-1) ?? '';
      if (copied.length < ROWS_PER_STATEMENT) return;
      await slice.pause();
    }
  }

  #takeOver(id: string): void {
    const { prefix, key, columns } = this.#table;
    this.#connection.prepare<[string]>(`DELETE FROM ${prefix}_next WHERE ${key} = ?`).run(id);
    this.#connection
      .prepare<[string]>(
        `INSERT INTO ${prefix}_next (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM ${prefix} WHERE ${key} = ?`,
      )
      .run(id);
  }
}
