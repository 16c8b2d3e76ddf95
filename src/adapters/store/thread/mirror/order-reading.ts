import { parse } from 'yaml';
import { errorCode } from '../../../../domain/error-code.ts';
import { errorMessage } from '../../../../domain/error-text.ts';
import { asJsonObject } from '../../../../domain/json/json.ts';
import { mirroredOrderRow } from '../../../../domain/mirror/mirrored-order-row.ts';
import type { OrderSummaryRow } from '../../../../domain/order/order-summary.ts';
import { Slice } from '../../../../runtime/slice.ts';
import { type Connection, transact } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { mirroredOrderDocument, mirrorState, mirroredOrderRow as rowTable } from '../database/schema/orders.ts';
import { rowYaml } from '../orders/order-yaml.ts';
import type { OwnOrders } from '../orders/own-orders.ts';
import { digestOf } from './page-memory.ts';
import { yamlItems } from './yaml-items.ts';

const LINES_PER_WRITE = 100;
/** Rows in an answer with orders. A longer answer is refused. */
const MAX_ROWS = 200_000;
/** The number of orders that rows for several orders may name. */
const MAX_SUMMED_ORDERS = 200_000;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Replaces the summaries of orders by those of the central server: a generation of rows is written beside the one that is
 * shown, in slices, and takes its place when it is whole.
 */
export class OrderReading {
  readonly #connection: Connection;
  readonly #ownOrders: OwnOrders;
  readonly #noteChange: () => void;
  readonly #generations: OrderGenerations;
  readonly #generation;
  readonly #show;
  #digest = '';

  constructor(connection: Connection, ownOrders: OwnOrders, noteChange: () => void) {
    this.#connection = connection;
    this.#ownOrders = ownOrders;
    this.#noteChange = noteChange;
    this.#generations = new OrderGenerations(connection, ownOrders);
    this.#generation = connection
      .prepare<[], number | null>("SELECT generation FROM mirror_state WHERE kind = 'orders'")
      .pluck();
    this.#show = insertInto(connection, mirrorState, { or: 'REPLACE' });
  }

  /** To be called before the server is asked. */
  begin(): Promise<void> {
    return this.#ownOrders.begin();
  }

  /** Gives null if the orders are now those of the server, or the fault. */
  async read(bytes: Uint8Array, at: number): Promise<{ readonly fault: string } | null> {
    const present = this.#generation.get() ?? null;
    const digest = digestOf(bytes);
    const isRepeated = digest === this.#digest && present !== null && !this.#ownOrders.areSome;
    const generation = isRepeated ? present : (present ?? 0) + 1;
    if (!isRepeated) {
      await this.#generations.dropAllBut(present ?? 0);
      const fault = await this.#write(bytes, generation);
      if (fault !== null) return { fault };
    }
    transact(this.#connection, () => {
      this.#show({ kind: 'orders', mirroredAt: at, generation });
      this.#ownOrders.apply();
    });
    this.#noteChange();
    await this.#generations.dropAllBut(generation);
    await this.#ownOrders.forgetPassed();
    // With our own orders among them, the same bytes may lead to other rows.
    this.#digest = this.#ownOrders.areSome ? '' : digest;
    return null;
  }

  /** Returns the fault, or null. */
  async #write(bytes: Uint8Array, generation: number): Promise<string | null> {
    const slice = new Slice();
    const places = new Map<string, number>();
    let lines: SummaryRowText[] = [];
    let rows = 0;
    let summedOrders = 0;
    try {
      for (const item of yamlItems(decoder.decode(bytes))) {
        const more = linesOf(item);
        lines.push(...more);
        rows += more.length;
        summedOrders += more.reduce((sum, { row }) => sum + Math.max(0, row.documentIDs.length - 1), 0);
        if (rows > MAX_ROWS) return `more than ${MAX_ROWS} rows`;
        if (summedOrders > MAX_SUMMED_ORDERS) return `rows of more than ${MAX_SUMMED_ORDERS} orders`;
        if (lines.length >= LINES_PER_WRITE || slice.isOver) {
          this.#generations.putAll(lines, generation, places);
          lines = [];
        }
        await slice.pause();
      }
      this.#generations.putAll(lines, generation, places);
      return null;
    } catch (error) {
      if (errorCode(error)?.startsWith('SQLITE') === true) throw error;
      return `no list of orders: ${errorMessage(error)}`;
    }
  }
}

/** The rows of a part of the list. A row without further fields is kept as we would write it. */
function linesOf(text: string): readonly SummaryRowText[] {
  const list: unknown = parse(text, { maxAliasCount: 0 }) ?? [];
  if (!Array.isArray(list)) throw new Error('an answer that is no list');
  return list.map((value: unknown) => {
    const fields = asJsonObject(value);
    if (fields === null) throw new Error('a row that is no object');
    const row = mirroredOrderRow(fields);
    return { row, yaml: list.length === 1 && text.startsWith('- ') ? withNewline(text) : rowYaml(row) };
  });
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** A row of a central server's summaries, and how it is shown. */
interface SummaryRowText {
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
class OrderGenerations {
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
    this.#put = insertInto(connection, rowTable);
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
