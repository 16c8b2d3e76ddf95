import type { OrderSummaryRow } from '../../../../domain/order/order-summary.ts';
import { Slice } from '../../../../runtime/slice.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { mirroredOrderDocument, mirroredOrderRow } from '../database/schema/orders.ts';
import { transact } from '../database/transact.ts';
import type { OwnOrders } from '../orders/own-orders.ts';

/** A row of a central server's summaries, and how it is shown. */
export interface SummaryRowText {
  readonly row: OrderSummaryRow;
  readonly yaml: string;
}

const ROWS_PER_DELETE = 100;
/** Keys that no order has: for rows that name no order, and for rows that sum up several. */
const NO_ORDER = 'none';
const SEVERAL_ORDERS = 'several';
/** The first place of a mirrored row. Rows of our own have smaller places, so they come first. */
const FIRST_PLACE = 1_000_000;

/** Rows of mirrored summaries by the reading that brought them, and which orders they are about. */
export class OrderGenerations {
  readonly #connection: Connection;
  readonly #ownOrders: Pick<OwnOrders, 'noteSum'>;
  readonly #put;
  readonly #putDocument;
  readonly #keptWithCode;
  readonly #dropRows;
  readonly #dropDocuments;

  constructor(connection: Connection, ownOrders: Pick<OwnOrders, 'noteSum'>) {
    this.#connection = connection;
    this.#ownOrders = ownOrders;
    this.#put = insertInto(connection, mirroredOrderRow);
    this.#putDocument = insertInto(connection, mirroredOrderDocument);
    this.#keptWithCode = connection
      .prepare<[string], string>('SELECT order_key FROM customer_order WHERE order_code = ?')
      .pluck();
    this.#dropRows = connection.prepare<[number, number, number]>(
      `DELETE FROM mirrored_order_row WHERE (generation, order_key, place) IN
         (SELECT generation, order_key, place FROM mirrored_order_row
          WHERE generation < ? OR generation > ? LIMIT ?)`,
    );
    this.#dropDocuments = connection.prepare<[number, number, number]>(
      `DELETE FROM mirrored_order_document WHERE (document_key, generation, order_key, place) IN
         (SELECT document_key, generation, order_key, place FROM mirrored_order_document
          WHERE generation < ? OR generation > ? LIMIT ?)`,
    );
  }

  /** `places` counts the rows of each key. */
  putAll(lines: readonly SummaryRowText[], generation: number, places: Map<string, number>): void {
    transact(this.#connection, () => {
      for (const line of lines) this.#putRow(line, generation, places);
    });
  }

  async dropAllBut(generation: number): Promise<void> {
    const slice = new Slice();
    while (this.#dropRows.run(generation, generation, ROWS_PER_DELETE).changes > 0) await slice.pause();
    while (this.#dropDocuments.run(generation, generation, ROWS_PER_DELETE).changes > 0) await slice.pause();
  }

  #putRow({ row, yaml }: SummaryRowText, generation: number, places: Map<string, number>): void {
    const keys = this.#orderKeys(row);
    const [first = NO_ORDER] = keys;
    const key = keys.length > 1 ? `${SEVERAL_ORDERS} ${first}` : first;
    const place = places.get(key) ?? FIRST_PLACE;
    places.set(key, place + 1);
    const { orderCode, materialCode, toolingCode, salesOrder } = row;
    const found = { orderCode, materialCode, toolingCode, salesOrder, workOrders: JSON.stringify(row.workOrders) };
    const at = { generation, orderKey: key, place };
    this.#put({ ...at, ...found, json: JSON.stringify(row), yaml, isReplaced: 0 });
    if (keys.length < 2) return;
    for (const documentKey of keys) this.#putDocument({ documentKey, ...at });
    this.#ownOrders.noteSum(generation, key, place);
  }

  /**
   * The keys of the orders of a row, in the form of OrderWriter (order-key.ts). If the server names no documents, its
   * order code names our orders with that code (D-20).
   */
  #orderKeys({ documentIDs, orderCode }: OrderSummaryRow): readonly string[] {
    if (documentIDs.length > 0) return [...new Set(documentIDs)].map((documentId) => `documentID ${documentId}`);
    if (orderCode === null) return [];
    const kept = this.#keptWithCode.all(orderCode);
    return kept.length > 0 ? kept : [`orderCode ${orderCode}`];
  }
}
