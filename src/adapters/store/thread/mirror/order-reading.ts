import { parse } from 'yaml';
import { fieldsOf } from '../../../../domain/mirror/field-reader.ts';
import { mirroredOrderRow } from '../../../../domain/mirror/mirrored-order-row.ts';
import type { OrderSummaryRow } from '../../../../domain/order/order-summary.ts';
import type { Connection } from '../connection.ts';
import { rowYaml } from '../orders/order-yaml.ts';
import { Slice } from '../slice.ts';
import { transact } from '../transact.ts';
import { digestOf } from './page-memory.ts';
import { yamlItems } from './yaml-items.ts';

interface Line {
  readonly row: OrderSummaryRow;
  readonly yaml: string;
}

const ROWS_AT_ONCE = 100;
const MAX_ROWS = 200_000;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Replaces the summaries of orders by those of the central server: a generation of rows is written beside the one that is
 * shown, in slices, and takes its place when it is whole.
 */
export class OrderReading {
  readonly #connection: Connection;
  readonly #noteChange: () => void;
  readonly #generation;
  readonly #dropSome;
  readonly #put;
  readonly #show;
  #digest = '';

  constructor(connection: Connection, noteChange: () => void) {
    this.#connection = connection;
    this.#noteChange = noteChange;
    this.#generation = connection
      .prepare<[], number | null>("SELECT generation FROM mirror_state WHERE kind = 'orders'")
      .pluck();
    this.#dropSome = connection.prepare<[number, number]>(
      `DELETE FROM mirrored_order_row WHERE (generation, order_key, place) IN
         (SELECT generation, order_key, place FROM mirrored_order_row WHERE generation <> ? LIMIT ?)`,
    );
    this.#put = connection.prepare<unknown[]>('INSERT INTO mirrored_order_row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#show = connection.prepare<[number, number]>(
      `INSERT INTO mirror_state (kind, mirrored_at, generation) VALUES ('orders', ?, ?)
       ON CONFLICT (kind) DO UPDATE SET mirrored_at = excluded.mirrored_at, generation = excluded.generation`,
    );
  }

  /** Null: they are as the server says. */
  async read(bytes: Uint8Array, at: number): Promise<{ readonly fault: string } | null> {
    const present = this.#generation.get() ?? null;
    const digest = digestOf(bytes);
    if (digest === this.#digest && present !== null) {
      this.#show.run(at, present);
      return null;
    }
    await this.#dropAllBut(present ?? 0);
    const generation = (present ?? 0) + 1;
    const fault = await this.#write(bytes, generation);
    if (fault !== null) return { fault };
    transact(this.#connection, () => this.#show.run(at, generation));
    this.#noteChange();
    this.#digest = digest;
    await this.#dropAllBut(generation);
    return null;
  }

  /** What is wrong, or null. */
  async #write(bytes: Uint8Array, generation: number): Promise<string | null> {
    const slice = new Slice();
    const places = new Map<string, number>();
    let lines: Line[] = [];
    let rows = 0;
    try {
      for (const item of yamlItems(decoder.decode(bytes))) {
        lines.push(...linesOf(item));
        rows += lines.length;
        if (rows > MAX_ROWS) return `more than ${MAX_ROWS} rows`;
        if (lines.length >= ROWS_AT_ONCE || slice.isOver) {
          this.#putAll(lines, generation, places);
          lines = [];
        }
        await slice.pause();
      }
      this.#putAll(lines, generation, places);
      return null;
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE')) throw error;
      return `no list of orders: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #putAll(lines: readonly Line[], generation: number, places: Map<string, number>): void {
    transact(this.#connection, () => {
      for (const { row, yaml } of lines) {
        const key = keyOf(row);
        const place = places.get(key) ?? 0;
        places.set(key, place + 1);
        const { orderCode, materialCode, toolingCode, salesOrder, workOrders } = row;
        const found = [orderCode, materialCode, toolingCode, salesOrder, JSON.stringify(workOrders)];
        this.#put.run(generation, key, place, ...found, JSON.stringify(row), yaml);
      }
    });
  }

  async #dropAllBut(generation: number): Promise<void> {
    const slice = new Slice();
    while (this.#dropSome.run(generation, ROWS_AT_ONCE).changes > 0) await slice.pause();
  }
}

/** The rows of a part of the list. One that says no more than rows of ours do is as we would write it. */
function linesOf(text: string): readonly Line[] {
  const list: unknown = parse(text, { maxAliasCount: 0 }) ?? [];
  if (!Array.isArray(list)) throw new Error('an answer that is no list');
  return list.map((value: unknown) => {
    const fields = fieldsOf(value);
    if (fields === null) throw new Error('a row that is no object');
    const row = mirroredOrderRow(fields);
    return { row, yaml: list.length === 1 && text.startsWith('- ') ? withNewline(text) : rowYaml(row) };
  });
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** As OrderWriter keys orders (order-key.ts). */
function keyOf({ documentIDs: [documentId], orderCode }: OrderSummaryRow): string {
  return documentId === undefined ? `orderCode ${orderCode}` : `documentID ${documentId}`;
}
