import type { Connection } from '../database/connection.ts';
import { isOwn } from './own-orders.ts';

/** The table of our own rows, and the view of the shown rows if a central server is mirrored. */
export type RowSource = 'order_row' | 'shown_order_row';

const GENERATION = "(SELECT generation FROM mirror_state WHERE kind = 'orders')";

/** The orders that summaries show: our own and mirrored ones. */
export class ShownOrders {
  readonly #isMirrored;
  readonly #isKept;
  readonly #isListed;
  readonly #withCode;
  readonly #keptWithCode;

  constructor(connection: Connection) {
    const found = (sql: string) => connection.prepare<string[], 1>(sql).pluck();
    const keys = (sql: string) => connection.prepare<string[], string>(sql).pluck();
    this.#isMirrored = found("SELECT 1 FROM mirror_state WHERE kind = 'orders'");
    this.#isKept = found('SELECT 1 FROM customer_order WHERE order_key = ?');
    this.#isListed = found(
      `SELECT 1 FROM (SELECT ? AS asked) WHERE NOT ${isOwn('asked')} AND (
         EXISTS (SELECT 1 FROM mirrored_order_row WHERE generation = ${GENERATION} AND order_key = asked)
         OR EXISTS (SELECT 1 FROM mirrored_order_document WHERE generation = ${GENERATION} AND document_key = asked)
       )`,
    );
    this.#keptWithCode = keys('SELECT order_key FROM customer_order WHERE order_code = ?');
    this.#withCode = keys(
      `SELECT kept.order_key FROM customer_order AS kept WHERE kept.order_code = ? AND ${isOwn('kept.order_key')}
       UNION
       SELECT coalesce(document.document_key, theirs.order_key) FROM mirrored_order_row AS theirs
         LEFT JOIN mirrored_order_document AS document USING (generation, order_key, place)
         WHERE theirs.order_code = ? AND theirs.generation = ${GENERATION} AND NOT ${isOwn('coalesce(document.document_key, theirs.order_key)')}`,
    );
  }

  /** Without a mirror an index answers by itself; with one, each row decides whether it is shown. */
  get source(): RowSource {
    return this.#isMirrored.get() === undefined ? 'order_row' : 'shown_order_row';
  }

  /** The source of the rows of one order: our own, or the server's. */
  sourceOf(orderKey: string): RowSource {
    return this.#isListed.get(orderKey) === undefined ? 'order_row' : 'shown_order_row';
  }

  isKnown(orderKey: string): boolean {
    return this.#isKept.get(orderKey) !== undefined || this.#isListed.get(orderKey) !== undefined;
  }

  /** The keys of the orders that an ordId names: by documentID, else by orderCode (D-20). */
  keys(ordId: string): readonly string[] {
    const orderKey = `documentID ${ordId}`;
    if (this.isKnown(orderKey)) return [orderKey];
    const shown = this.#withCode.all(ordId, ordId);
    // An order of ours that the server does not list can still be removed.
    return shown.length > 0 ? shown : this.#keptWithCode.all(ordId);
  }
}
