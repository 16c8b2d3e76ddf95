import { parse } from 'yaml';
import { errorCode } from '../../../../domain/error-code.ts';
import { errorMessage } from '../../../../domain/error-text.ts';
import { asJsonObject } from '../../../../domain/json/json-object.ts';
import { mirroredOrderRow } from '../../../../domain/mirror/mirrored-order-row.ts';
import { Slice } from '../../../../runtime/slice.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { mirrorState } from '../database/schema/orders.ts';
import { transact } from '../database/transact.ts';
import { rowYaml } from '../orders/order-yaml.ts';
import type { OwnOrders } from '../orders/own-orders.ts';
import { OrderGenerations, type SummaryRowText } from './order-generations.ts';
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
