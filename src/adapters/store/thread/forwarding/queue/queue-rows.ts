import type { Connection } from '../../database/connection.ts';
import { insertInto } from '../../database/insert-into.ts';
import { queue } from '../../database/schema/forwarding.ts';
import type { EntityQueueClass, FactClass, QueueClass } from './queue-classes.ts';

/** Bytes of a row on disk in addition to its body: columns and index entries. */
const ROW_BYTES = 160;

export interface QueueRow {
  readonly seq: number;
  readonly class: QueueClass;
  readonly entity: string;
  readonly fact_key: string | null;
  /** The time as it was written in `epoch`. */
  readonly at: number;
  readonly epoch: number;
  readonly bytes: number;
  readonly body: string | null;
}

interface NewRow {
  readonly entity: string;
  readonly at: number;
  readonly epoch: number;
}
export type NewQueueRow = NewRow & { readonly class: EntityQueueClass; readonly body: string };
export type NewFactRow = NewRow & {
  readonly class: FactClass;
  readonly factKey: string;
  /** Null where the history has it. */
  readonly body: string | null;
};

/**
 * The rows of the queue. A number is never given twice. A waiting fact is not queued again, because it is read when it
 * is sent; a fact that is in a batch already is queued again. To be called within a transaction.
 */
export class QueueRows {
  readonly #insert;
  readonly #pageOf;
  readonly #from;
  readonly #find;
  readonly #ofFact;
  readonly #delete;
  readonly #deleteOldest;
  #claimedUpTo = 0;

  constructor(connection: Connection) {
    this.#insert = insertInto(connection, queue, { without: ['seq'] });
    this.#pageOf = connection.prepare<[QueueClass, number, number], QueueRow>(
      'SELECT * FROM queue WHERE class = ? AND seq > ? ORDER BY seq LIMIT ?',
    );
    this.#from = connection.prepare<[number], QueueRow>('SELECT * FROM queue WHERE seq > ? ORDER BY seq');
    this.#find = connection.prepare<[number], QueueRow>('SELECT * FROM queue WHERE seq = ?');
    this.#ofFact = connection.prepare<[string], { readonly seq: number; readonly class: FactClass }>(
      'SELECT seq, class FROM queue WHERE fact_key = ?',
    );
    this.#delete = connection.prepare<[number]>('DELETE FROM queue WHERE seq = ?');
    this.#deleteOldest = connection.prepare<[QueueClass, number, number]>(
      'DELETE FROM queue WHERE seq IN (SELECT seq FROM queue WHERE class = ? AND seq > ? ORDER BY seq LIMIT ?)',
    );
  }

  /** Gives the number of the row. */
  appendToEntity(row: NewQueueRow): number {
    return this.#append(row, null);
  }

  appendFact(row: NewFactRow): void {
    const present = this.#ofFact.get(row.factKey);
    if (present !== undefined) {
      if (present.class === row.class && present.seq > this.#claimedUpTo) return;
      this.#delete.run(present.seq);
    }
    this.#append(row, row.factKey);
  }

  /** Moves a waiting row to the end, also one in a batch, because a new stream reads it again. */
  moveToEnd(factKey: string): void {
    const row = this.find(this.#ofFact.get(factKey)?.seq ?? -1);
    if (row === null) return;
    this.remove(row.seq);
    this.putBack(row);
  }

  /** Appends the row again and gives its new number. Gives null for a fact that is queued again already. */
  putBack({ class: name, entity, fact_key, at, epoch, bytes, body }: Omit<QueueRow, 'seq'>): number | null {
    if (fact_key !== null && this.#ofFact.get(fact_key) !== undefined) return null;
    return Number(this.#insert({ class: name, entity, factKey: fact_key, at, epoch, bytes, body }).lastInsertRowid);
  }

  /** Rows of one class that are in no batch. */
  pageOf(name: QueueClass, after: number, limit: number): readonly QueueRow[] {
    return this.#pageOf.all(name, Math.max(after, this.#claimedUpTo), limit);
  }

  /** Rows behind the number `after`, one by one in their order. No write is allowed while the iterator is open. */
  from(after: number): IterableIterator<QueueRow> {
    return this.#from.iterate(after);
  }

  /** Rows up to this one are in a batch. */
  claim(upTo: number): void {
    this.#claimedUpTo = Math.max(this.#claimedUpTo, upTo);
  }

  oldest(): QueueRow | null {
    return this.#from.get(0) ?? null;
  }

  find(seq: number): QueueRow | null {
    return this.#find.get(seq) ?? null;
  }

  remove(seq: number): void {
    this.#delete.run(seq);
  }

  /** Removes the oldest rows of a class that are in no batch, and gives their number. */
  removeOldest(name: QueueClass, limit: number): number {
    return this.#deleteOldest.run(name, this.#claimedUpTo, limit).changes;
  }

  #append({ class: name, entity, at, epoch, body }: NewQueueRow | NewFactRow, factKey: string | null): number {
    const bytes = ROW_BYTES + entity.length + (factKey?.length ?? 0) + (body?.length ?? 0);
    return Number(this.#insert({ class: name, entity, factKey, at, epoch, bytes, body }).lastInsertRowid);
  }
}
