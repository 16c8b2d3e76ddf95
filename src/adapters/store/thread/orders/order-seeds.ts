import { type CheckedOrder, checkOrder } from '../../../../domain/order/check-order.ts';
import { orderIdentity } from '../../../../domain/order/order-key.ts';
import type { OrderSeed } from '../../../../flows/orders/order-ports.ts';
import type { JsonText } from '../../../../flows/warehouse/warehouse-ports.ts';
import type { Connection } from '../database/connection.ts';
import { readableJson } from '../database/damaged-records.ts';
import { jsonTextOf } from '../warehouse/json-text.ts';

/** A page of orders is not much longer than this, whatever the length of an order. */
const MAX_PAGE_CHARACTERS = 2 * 1024 * 1024;

/** Orders in the form of a plant file: gives those that a file would change, and all of them in pages. */
export class OrderSeedRows {
  readonly #stored;
  readonly #count;
  readonly #after;

  constructor(connection: Connection) {
    this.#stored = connection.prepare<[string], string>('SELECT json FROM customer_order WHERE order_key = ?').pluck();
    this.#count = connection.prepare<[], number>('SELECT count(*) FROM customer_order').pluck();
    this.#after = connection
      .prepare<[string, number], string>(
        'SELECT json FROM customer_order WHERE order_key > ? ORDER BY order_key LIMIT ?',
      )
      .pluck();
  }

  changes(texts: readonly string[]): { readonly seeds: readonly OrderSeed[]; readonly orders: number } {
    return { seeds: texts.map((text) => this.#change(text)), orders: this.#count.get() ?? 0 };
  }

  records(after: string, limit: number): JsonText {
    const texts: string[] = [];
    let characters = 0;
    for (const json of this.#after.iterate(after, limit)) {
      texts.push(json);
      characters += json.length;
      if (characters > MAX_PAGE_CHARACTERS) break;
    }
    return jsonTextOf(`[${texts.join(',')}]`);
  }

  #change(text: string): OrderSeed {
    const checked = checkOrder(text);
    if (!checked.ok) return checked;
    const { orderKey } = orderIdentity(checked.order);
    const json = this.#stored.get(orderKey);
    // Only OrderWriter writes it. A damaged order counts as missing, so that the seed writes it again.
    const before = json === undefined ? undefined : (readableJson(json) as CheckedOrder | undefined);
    const fields = differingFields(before ?? {}, checked.order);
    const change = before === undefined ? 'create' : fields.length === 0 ? null : 'update';
    return { ok: true, orderKey, change, fields, json: checked.json === text ? null : checked.json };
  }
}

/** An order replaces the one before as a whole (D-20): a field that it leaves out is a difference too. */
function differingFields(before: CheckedOrder, after: CheckedOrder): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
