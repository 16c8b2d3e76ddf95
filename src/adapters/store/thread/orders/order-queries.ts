import { checkOrder } from '../../../../domain/order/check-order.ts';
import { orderIdentity } from '../../../../domain/order/order-key.ts';
import type { OrderSummaryRow } from '../../../../domain/order/order-summary.ts';
import { orderWarnings } from '../../../../domain/order/order-warnings.ts';
import { WorkQueue } from '../../../../domain/work-queue.ts';
import type { OrderFilter, ReadOrder, YamlText } from '../../../../flows/orders/order-ports.ts';
import type { JsonText } from '../../../../flows/warehouse/warehouse-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import type { Connection } from '../database/connection.ts';
import { folded, hasOtherLetters, isSpelled } from '../database/letter-case.ts';
import { jsonTextOf } from '../warehouse/json-text.ts';
import type { OrderWriter } from './order-writer.ts';
import { type RowSource, ShownOrders } from './shown-orders.ts';
import { type SummaryLine, SummaryText } from './summary-text.ts';

type LineKey = [orderKey: string, place: number];

const LINES =
  'SELECT order_code AS orderCode, material_code AS materialCode, tooling_code AS toolingCode, json, yaml FROM';
const IN_ORDER = 'ORDER BY order_code, material_code, tooling_code, order_key, place';
/** The limit of one summary. */
const MAX_SUMMARY_BYTES = 32 * 1024 * 1024;
/** More rows than this exceed the maximum length of an answer. */
const MAX_SUMMARY_ROWS = 150_000;
/** If orders change faster than their summary is made, it is made in one go after this number of attempts. */
const MAX_ATTEMPTS = 4;

/** The filter that finds all orders. */
export const EVERY_ORDER: OrderFilter = {
  orderCode: null,
  materialCode: null,
  toolingCode: null,
  salesOrder: null,
  workOrder: null,
  requiredAfter: null,
  requiredBefore: null,
  skip: 0,
  take: null,
};

/** Questions about orders (ORD-01 to ORD-03). */
export class OrderQueries {
  readonly #connection: Connection;
  readonly #writer: Pick<OrderWriter, 'changes'>;
  readonly #shown: ShownOrders;
  readonly #lines;
  readonly #text;
  readonly #summaries = new WorkQueue();

  constructor(connection: Connection, writer: Pick<OrderWriter, 'changes'>) {
    this.#connection = connection;
    this.#writer = writer;
    this.#shown = new ShownOrders(connection);
    this.#text = connection.prepare<[string], string>('SELECT json FROM customer_order WHERE order_key = ?').pluck();
    const line = (source: RowSource) =>
      connection.prepare<LineKey, SummaryLine>(`${LINES} ${source} WHERE order_key = ? AND place = ?`);
    this.#lines = { order_row: line('order_row'), shown_order_row: line('shown_order_row') };
  }

  read(text: string): ReadOrder {
    const checked = checkOrder(text);
    if (!checked.ok) return checked;
    const { orderKey } = orderIdentity(checked.order);
    const { orders } = this.#connection.prepare('SELECT count(*) AS orders FROM customer_order').get() as {
      readonly orders: number;
    };
    return {
      ok: true,
      orderKey,
      isNew: !this.#shown.isKnown(orderKey),
      orders,
      json: checked.json === text ? null : checked.json,
      warnings: [...checked.notes, ...orderWarnings(checked.order)],
    };
  }

  /** Blanks outside an ordId do not matter (D-53). A mirrored order may still have them. */
  keys(ordId: string): readonly string[] {
    const found = this.#shown.keys(ordId);
    const tidy = ordId.trim();
    return found.length > 0 || tidy === ordId ? found : this.#shown.keys(tidy);
  }

  /** The order as it was kept; null if it is not ours. */
  text(orderKey: string): JsonText | null {
    const json = this.#text.get(orderKey);
    return json === undefined ? null : jsonTextOf(json);
  }

  /** The summary of the orders at one moment; null if it is too long for one answer. */
  summary(filter: OrderFilter): Promise<YamlText | null> {
    // Many summaries at once would take much memory, and none would be ready sooner.
    return this.#summaries.run(() => this.#summary(filter));
  }

  async #summary(filter: OrderFilter): Promise<YamlText | null> {
    for (let attempt = 1; ; attempt += 1) {
      const made = await this.#attempt(filter, attempt === MAX_ATTEMPTS);
      if (made !== 'outdated') return made;
    }
  }

  /** Works a slice at a time: a write meanwhile does not wait, and makes the summary begin again. */
  async #attempt(filter: OrderFilter, isInOneGo: boolean): Promise<YamlText | null | 'outdated'> {
    const { changes } = this.#writer;
    const { source } = this.#shown;
    const lines = this.#lines[source];
    const keys = this.#lineKeys(filter, source);
    if (keys.length > MAX_SUMMARY_ROWS) return null;
    const text = new SummaryText(filter);
    const slice = new Slice();
    for (const key of keys) {
      const line = lines.get(...key);
      if (line !== undefined && isRequiredWithin(line, filter)) text.add(line);
      if (!slice.isOver) continue;
      text.settle();
      if (text.settledBytes > MAX_SUMMARY_BYTES) return null;
      if (isInOneGo) continue;
      await slice.next();
      if (this.#writer.changes !== changes) return 'outdated';
    }
    const made = text.end();
    return made.bytes.length > MAX_SUMMARY_BYTES ? null : made;
  }

  /** The keys of the rows in their order, one more than a summary may have. */
  #lineKeys(
    { orderCode, materialCode, toolingCode, salesOrder, workOrder }: OrderFilter,
    source: RowSource,
  ): readonly LineKey[] {
    const codes = {
      order_code: orderCode,
      material_code: materialCode,
      tooling_code: toolingCode,
      sales_order: salesOrder,
      work_orders: workOrder,
    };
    const asked = Object.entries(codes).flatMap(([column, code]) =>
      code === null ? [] : [[column, folded(code)] as const],
    );
    const conditions = asked.map(([column, sought]) =>
      column === 'work_orders' ? listsSpelled(column, sought) : spelled(column, sought),
    );
    const where = asked.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const sql = `SELECT order_key, place FROM ${source} ${where} ${IN_ORDER} LIMIT ${MAX_SUMMARY_ROWS + 1}`;
    const keys = this.#connection.prepare<unknown[], LineKey>(sql).raw();
    return keys.all(Object.fromEntries(asked));
  }

  /** The summary is empty if the server lists the order only together with others, and it never was here. */
  summaryOf(orderKey: string): YamlText {
    const lines = this.#connection.prepare<unknown[], SummaryLine>(
      `${LINES} ${this.#shown.sourceOf(orderKey)} WHERE order_key = ? ${IN_ORDER}`,
    );
    const text = new SummaryText();
    for (const line of lines.iterate(orderKey)) text.add(line);
    return text.end();
  }
}

/** Only OrderWriter writes the rows; their dates may be text of any form. */
function isRequiredWithin({ json }: SummaryLine, { requiredAfter, requiredBefore }: OrderFilter): boolean {
  if (requiredAfter === null && requiredBefore === null) return true;
  const { requiredDateTime } = JSON.parse(json) as OrderSummaryRow;
  const at = Date.parse(requiredDateTime ?? '');
  return at >= (requiredAfter ?? Number.NEGATIVE_INFINITY) && at <= (requiredBefore ?? Number.POSITIVE_INFINITY);
}

/** The condition that a list of texts has one in any case. */
function listsSpelled(column: string, sought: string): string {
  return `EXISTS (SELECT 1 FROM json_each(${column}) WHERE ${isSpelled('value', `@${column}`, sought)})`;
}

/**
 * Finds a text in any case: first all its spellings, then the rows of each by an index. An index also gives the spellings
 * in our own rows. Mirrored rows are looked through, because only their order codes have one.
 */
function spelled(column: string, sought: string): string {
  const condition = isSpelled(column, `@${column}`, sought);
  // Texts with letters that are not English are slow to compare. With LIMIT -1 SQLite compares each different text once.
  const texts = (table: string) =>
    hasOtherLetters(sought) ? `(SELECT DISTINCT ${column} FROM ${table} LIMIT -1)` : table;
  const spellings = (table: string) => `SELECT ${column} FROM ${texts(table)} WHERE ${condition}`;
  return `${column} IN (${spellings('order_row')} UNION ${spellings('mirrored_order_row')})`;
}
