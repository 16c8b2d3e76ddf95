import { isJsonObject } from '../../../../domain/json/json.ts';
import { keyParts, orderIdentity } from '../../../../domain/order/order-key.ts';
import { summaryRows } from '../../../../domain/order/order-summary.ts';
import type { OrderPut, OrderRecord } from '../../../../flows/orders/order-ports.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { customerOrder, orderRow } from '../database/schema/orders.ts';
import { rowYaml } from './order-yaml.ts';
import type { OwnOrders } from './own-orders.ts';

/** Writes orders with the rows of their summaries. To be called within a transaction. */
export class OrderWriter {
  readonly #connection: Connection;
  readonly #ownOrders: OwnOrders;
  readonly #changeFeed: ChangeFeed;
  #changes = 0;

  constructor(connection: Connection, ownOrders: OwnOrders, changeFeed: ChangeFeed) {
    this.#connection = connection;
    this.#changeFeed = changeFeed;
    this.#ownOrders = ownOrders;
  }

  /** The number of records, unchanged ones included. */
  get changes(): number {
    return this.#changes;
  }

  /** Notes that all shown orders were replaced. */
  noteReplacement(): void {
    this.#changes += 1;
    this.#changeFeed.noteMany('order');
  }

  write(record: OrderRecord): void {
    this.#changes += 1;
    const { orderKey } = record.kind === 'orderPut' ? record.order : record;
    this.#remove(orderKey);
    if (record.kind === 'orderPut') this.#put(record.order);
    this.#ownOrders.note(orderKey);
    this.#changeFeed.note('order', keyParts(orderKey).id, record.kind === 'orderRemoved');
  }

  #put({ orderKey, json, at, principal }: OrderPut): void {
    const order: unknown = JSON.parse(json);
    if (!isJsonObject(order)) throw new Error(`${orderKey} is no order`);
    const { documentId, orderCode } = orderIdentity(order);
    insertInto(this.#connection, customerOrder)({ orderKey, documentId, orderCode, json, at, principal });
    const insertRow = insertInto(this.#connection, orderRow);
    for (const [place, row] of summaryRows(order).entries()) {
      const { materialCode, toolingCode, salesOrder } = row;
      const found = { orderCode, materialCode, toolingCode, salesOrder, workOrders: JSON.stringify(row.workOrders) };
      insertRow({ orderKey, place, ...found, json: JSON.stringify(row), yaml: rowYaml(row) });
    }
  }

  #remove(orderKey: string): void {
    this.#connection.prepare<unknown[]>('DELETE FROM order_row WHERE order_key = ?').run(orderKey);
    this.#connection.prepare<unknown[]>('DELETE FROM customer_order WHERE order_key = ?').run(orderKey);
  }
}
