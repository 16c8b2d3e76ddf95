import type { LegacyWrite } from '../../../../flows/warehouse/warehouse-ports.ts';
import type { Connection } from '../database/connection.ts';
import { readableJson } from '../database/damaged-records.ts';
import { insertInto } from '../database/insert-into.ts';
import { legacyWrite } from '../database/schema/warehouse.ts';

/** Writes to the legacy system that have begun and are not settled (D-16). */
export class LegacyWrites {
  readonly #open;
  readonly #begin;
  readonly #settle;

  constructor(connection: Connection) {
    this.#open = connection
      .prepare<[], string>('SELECT json FROM legacy_write ORDER BY started_at, operation_id')
      .pluck();
    this.#begin = insertInto(connection, legacyWrite, { or: 'REPLACE' });
    this.#settle = connection.prepare('DELETE FROM legacy_write WHERE operation_id = ?');
  }

  /** Oldest first. A damaged one is left out and stays stored; `restoreState` reports it. */
  open(): readonly LegacyWrite[] {
    return this.#open
      .all()
      .map(readableJson)
      .filter((write): write is LegacyWrite => typeof write === 'object' && write !== null);
  }

  begin(write: LegacyWrite): void {
    this.#begin({ operationId: write.operationId, startedAt: write.startedAt, json: JSON.stringify(write) });
  }

  settle(operationId: string): void {
    this.#settle.run(operationId);
  }
}
