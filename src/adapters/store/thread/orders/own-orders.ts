import { Slice } from '../../../../runtime/slice.ts';
import type { Connection } from '../database/connection.ts';

const ORDERS_PER_DELETE = 1_000;

/**
 * Whether our own state of an order counts at a reading (`own_order`); `orderKey` and
 * `reading` are SQL.
 */
export function isOwn(orderKey: string, reading = '(SELECT applied FROM order_reading)'): string {
  return `(
    EXISTS (SELECT 1 FROM queue_head WHERE entity = 'order:' || ${orderKey})
    OR EXISTS (SELECT 1 FROM own_order WHERE order_key = ${orderKey} AND until_reading > ${reading})
  )`;
}

/** The SQL that replaces sums of several orders by rows of ours. `of` selects the sums, as SQL. */
function replacement(of: string): string {
  return `UPDATE mirrored_order_row AS sum SET is_replaced = 1
    WHERE (generation, order_key, place) IN (SELECT generation, order_key, place FROM mirrored_order_document WHERE ${of})
      AND NOT EXISTS (
        SELECT 1 FROM mirrored_order_document AS document
        WHERE document.generation = sum.generation AND document.order_key = sum.order_key
          AND document.place = sum.place AND NOT ${isOwn('document.document_key')}
          AND NOT EXISTS (SELECT 1 FROM customer_order WHERE order_key = document.document_key)
      )`;
}

/**
 * Orders that were changed or removed here. They are shown as they are here, not as they are mirrored, until a reading
 * of the central server's summaries is applied that began after the server had acknowledged the change (D-18, D-20).
 * Readings are counted, so that no clock matters.
 */
export class OwnOrders {
  readonly #connection: Connection;
  readonly #isMirrored: boolean;
  readonly #note;
  readonly #replaceSums;
  readonly #replaceSum;
  readonly #dropSome;
  readonly #begun;
  readonly #any;

  /** `isMirroring` is false if no reading will come; the mirror of an earlier configuration is still shown. */
  constructor(connection: Connection, isMirroring: boolean) {
    this.#connection = connection;
    const isMirrored = connection.prepare("SELECT 1 FROM mirror_state WHERE kind = 'orders'").get() !== undefined;
    this.#isMirrored = isMirroring || isMirrored;
    this.#note = connection.prepare<[string]>(
      'REPLACE INTO own_order SELECT ?, begun + 1 FROM order_reading WHERE id = 1',
    );
    this.#replaceSums = connection.prepare<[string]>(replacement('document_key = ?'));
    this.#replaceSum = connection.prepare<[number, string, number, number]>(
      replacement(`generation = ? AND order_key = ? AND place = ? AND ${isOwn('document_key', '?')}`),
    );
    this.#dropSome = connection.prepare<[number]>(
      `DELETE FROM own_order WHERE order_key IN (
         SELECT order_key FROM own_order, order_reading WHERE until_reading <= applied LIMIT ?
       )`,
    );
    this.#begun = connection.prepare<[], number>('SELECT begun FROM order_reading').pluck();
    this.#any = connection
      .prepare<[], 0 | 1>(
        `SELECT EXISTS (SELECT 1 FROM own_order)
           OR EXISTS (SELECT 1 FROM queue_head WHERE entity >= 'order:' AND entity < 'order;')`,
      )
      .pluck();
    this.#dropNeedless();
  }

  /** Notes that the order was changed or removed here. To be called within that transaction. */
  note(orderKey: string): void {
    if (!this.#isMirrored) return;
    this.#note.run(orderKey);
    this.#replaceSums.run(orderKey);
  }

  /**
   * Begins a reading. To be called before the server is asked: then the reading contains every change that the server
   * acknowledged before. Without mirrored orders the reading counts as applied at once, because nothing is hidden.
   */
  async begin(): Promise<void> {
    this.#connection.exec(`
      UPDATE order_reading SET begun = begun + 1,
        applied = iif(EXISTS (SELECT 1 FROM mirror_state WHERE kind = 'orders'), applied, begun + 1)
    `);
    await this.forgetPassed();
  }

  /** Whether our own state counts for any order. */
  get areSome(): boolean {
    return this.#any.get() === 1;
  }

  /** The reading that began last. */
  get reading(): number {
    return this.#begun.get() ?? 0;
  }

  /** A row of the reading that began last sums up several orders. */
  noteSum(generation: number, orderKey: string, place: number): void {
    this.#replaceSum.run(generation, orderKey, place, this.reading);
  }

  /** From now on the reading that began last is shown. To be called within that transaction. */
  apply(): void {
    this.#connection.exec('UPDATE order_reading SET applied = begun');
  }

  /** Forgets the orders that a reading has caught up with. */
  async forgetPassed(): Promise<void> {
    const slice = new Slice();
    while (this.#dropSome.run(ORDERS_PER_DELETE).changes > 0) await slice.pause();
  }

  /** Without a reading under way, an order that neither we nor the mirror know need not be hidden. */
  #dropNeedless(): void {
    this.#connection.exec(`
      DELETE FROM own_order
      WHERE NOT EXISTS (SELECT 1 FROM customer_order WHERE order_key = own_order.order_key)
        AND NOT EXISTS (
          SELECT 1 FROM mirrored_order_row WHERE order_key = own_order.order_key
            AND generation = (SELECT generation FROM mirror_state WHERE kind = 'orders')
        )
        AND NOT EXISTS (SELECT 1 FROM mirrored_order_document WHERE document_key = own_order.order_key)
    `);
  }
}
