import { checkOrder } from '../../../../domain/order/check-order.ts';
import { orderIdentity } from '../../../../domain/order/order-key.ts';
import { mergedRows, type OrderSummaryRow } from '../../../../domain/order/order-summary.ts';
import type { OrderFilter, ReadOrder, YamlText } from '../../../../flows/order-ports.ts';
import type { Connection } from '../connection.ts';
import { EMPTY_LIST_YAML, rowYaml } from './order-yaml.ts';

/** One row of one order. */
interface SummaryLine {
  readonly orderCode: string | null;
  readonly materialCode: string | null;
  readonly toolingCode: string | null;
  readonly json: string;
  readonly yaml: string;
}

const LINES =
  'SELECT order_code AS orderCode, material_code AS materialCode, tooling_code AS toolingCode, json, yaml FROM order_row';
const SIZE = 'SELECT sum(octet_length(yaml)) FROM order_row';
const IN_ORDER = 'ORDER BY order_code, material_code, tooling_code, order_key, place';
/** Of one summary. */
const MAX_SUMMARY_BYTES = 32 * 1024 * 1024;
const encoder = new TextEncoder();

/** Questions about orders (ORD-01 to ORD-03). */
export class OrderQueries {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  read(text: string): ReadOrder {
    const checked = checkOrder(text);
    if (!checked.ok) return checked;
    const { orderKey } = orderIdentity(checked.order);
    const known = this.#connection.prepare('SELECT 1 FROM customer_order WHERE order_key = ?').get(orderKey);
    const { orders } = this.#connection.prepare('SELECT count(*) AS orders FROM customer_order').get() as {
      readonly orders: number;
    };
    return { ok: true, orderKey, isNew: known === undefined, orders };
  }

  keys(ordId: string): readonly string[] {
    const byDocument = this.#keysWhere('document_id = ?', ordId);
    return byDocument.length > 0 ? byDocument : this.#keysWhere('order_code = ?', ordId);
  }

  /** Null where it is longer than one answer may be. */
  summary({ orderCode, materialCode, toolingCode, salesOrder, workOrder }: OrderFilter): YamlText | null {
    const asked = [
      ['order_code = ?', orderCode],
      ['material_code = ?', materialCode],
      ['tooling_code = ?', toolingCode],
      ['sales_order = ?', salesOrder],
      ['EXISTS (SELECT 1 FROM json_each(work_orders) WHERE value = ?)', workOrder],
    ].filter((condition): condition is [string, string] => condition[1] !== null);
    const where = asked.length === 0 ? '' : `WHERE ${asked.map(([condition]) => condition).join(' AND ')}`;
    const values = asked.map(([, value]) => value);
    const size = this.#connection.prepare<unknown[], number | null>(`${SIZE} ${where}`).pluck();
    if ((size.get(...values) ?? 0) > MAX_SUMMARY_BYTES) return null;
    const lines = this.#connection.prepare<unknown[], SummaryLine>(`${LINES} ${where} ${IN_ORDER}`);
    return yamlOf(lines.iterate(...values));
  }

  summaryOf(orderKey: string): YamlText {
    const lines = this.#connection.prepare<unknown[], SummaryLine>(`${LINES} WHERE order_key = ? ${IN_ORDER}`);
    return yamlOf(lines.iterate(orderKey));
  }

  #keysWhere(condition: string, value: string): readonly string[] {
    const found = this.#connection.prepare<unknown[], { readonly orderKey: string }>(
      `SELECT order_key AS orderKey FROM customer_order WHERE ${condition}`,
    );
    return found.all(value).map(({ orderKey }) => orderKey);
  }
}

/** Lines of one key, of several documents, become one row; all others go out as they were written. */
function yamlOf(lines: Iterable<SummaryLine>): YamlText {
  const parts: string[] = [];
  let alike: SummaryLine[] = [];
  for (const line of lines) {
    const [first] = alike;
    if (first !== undefined && !isAlike(first, line)) {
      parts.push(oneRow(alike));
      alike = [];
    }
    alike.push(line);
  }
  if (alike.length > 0) parts.push(oneRow(alike));
  return { bytes: encoder.encode(parts.length === 0 ? EMPTY_LIST_YAML : parts.join('')) };
}

function isAlike(one: SummaryLine, other: SummaryLine): boolean {
  const { orderCode, materialCode, toolingCode } = one;
  return orderCode === other.orderCode && materialCode === other.materialCode && toolingCode === other.toolingCode;
}

function oneRow(alike: readonly SummaryLine[]): string {
  const [first, ...others] = alike;
  if (first !== undefined && others.length === 0) return first.yaml;
  // Only OrderWriter writes them.
  return rowYaml(mergedRows(alike.map(({ json }) => JSON.parse(json) as OrderSummaryRow)));
}
