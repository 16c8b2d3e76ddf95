import { type NamedOperation, operationWords } from '../../../../../domain/sync/operation-words.ts';
import type { DeadLetter } from '../../../../../flows/forward/sync-ports.ts';
import type { ClockEpochs } from '../../clock-epochs.ts';
import type { Connection } from '../../database/connection.ts';
import { insertInto } from '../../database/insert-into.ts';
import { setAside } from '../../database/schema/forwarding.ts';
import { correctedAt } from '../row-content.ts';
import { isStatusClass } from './queue-classes.ts';
import type { QueueRow } from './queue-rows.ts';

/**
 * The number of refused statuses of one kind that are kept; older ones are removed. Acts are kept until a person
 * decides.
 */
export const MAX_SET_ASIDE_STATUSES = 1_000;
/** Dead letters on one page. */
const MAX_LISTED = 1_000;

interface ListedRow extends Pick<QueueRow, 'entity' | 'at' | 'epoch'> {
  readonly id: number;
  readonly reason: string;
  readonly set_aside_at: number;
  /** An operation without its long parts; null for a status or a fact, and for a body that is no JSON. */
  readonly operation: string | null;
}

/** An order's text and a profile's features may be megabytes, and a list does not show them. */
const LISTED = `SELECT id, entity, at, epoch, reason, set_aside_at,
  CASE WHEN class = 'act' AND json_valid(body)
    THEN json_remove(body, '$.act.json', '$.act.profile.features') END AS operation
  FROM set_aside WHERE id > ?`;

/** Rows that the central server refused, with its reason, until a person retries or discards them (UP-05). */
export class DeadLetters {
  readonly #epochs: ClockEpochs;
  readonly #insert;
  readonly #find;
  readonly #newest;
  readonly #from;
  readonly #delete;
  readonly #trim;

  constructor(connection: Connection, epochs: ClockEpochs) {
    this.#epochs = epochs;
    this.#insert = insertInto(connection, setAside, { without: ['id'] });
    this.#find = connection.prepare<[string], Omit<QueueRow, 'seq'>>(
      'SELECT class, entity, fact_key, at, epoch, bytes, body FROM set_aside WHERE id = ?',
    );
    this.#newest = connection.prepare<[number, number], ListedRow>(`${LISTED} ORDER BY id DESC LIMIT ?`);
    this.#from = connection.prepare<[number, number], ListedRow>(`${LISTED} ORDER BY id LIMIT ?`);
    this.#delete = connection.prepare<[string]>('DELETE FROM set_aside WHERE id = ?');
    this.#trim = connection.prepare<[string, string, number]>(
      `DELETE FROM set_aside WHERE class = ? AND id <= (
         SELECT id FROM set_aside WHERE class = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
    );
  }

  /** `at` is the present time. Gives the number of older rows that were removed for it. */
  add(row: QueueRow, reason: string, at: number): number {
    const { class: name, fact_key: factKey } = row;
    this.#insert({ ...row, factKey, reason, setAsideAt: at });
    return isStatusClass(name) ? this.#trim.run(name, name, MAX_SET_ASIDE_STATUSES).changes : 0;
  }

  /** Takes it out; null if there is no such id. */
  take(id: string): Omit<QueueRow, 'seq'> | null {
    const row = this.#find.get(id) ?? null;
    if (row !== null) this.#delete.run(id);
    return row;
  }

  /** Newest first. */
  newest(limit: number): readonly DeadLetter[] {
    return this.#listed(this.#newest.all(0, Math.min(limit, MAX_LISTED)));
  }

  /** Rows in the order in which they were set aside, behind the number `after`. */
  page(after: number, limit: number): readonly DeadLetter[] {
    return this.#listed(this.#from.all(after, Math.min(limit, MAX_LISTED)));
  }

  #listed(rows: readonly ListedRow[]): readonly DeadLetter[] {
    const corrections = this.#epochs.corrections();
    return rows.map((row) => ({
      id: String(row.id),
      entity: row.entity,
      reason: row.reason,
      at: row.set_aside_at,
      doneAt: correctedAt(row, corrections),
      // It was written by record-queue.ts.
      operation: row.operation === null ? null : operationWords(JSON.parse(row.operation) as NamedOperation),
    }));
  }
}
