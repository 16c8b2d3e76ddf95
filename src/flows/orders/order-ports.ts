import type { MadeItem } from '../../domain/order/order-items.ts';
import type { OrderChoice, OrderClock, OrderProgress } from '../../domain/order/order-progress.ts';
import type { OrderSummaryRow } from '../../domain/order/order-summary.ts';
import type { Result } from '../../domain/result.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';

/** Ports of orders: to the store, and to the API (interface.md, Orders). */

/** Text that the store thread made, which is sent unchanged. */
export interface YamlText {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The summary of an order that was added, its unknown fields (D-37), and what was read differently (D-53). */
export interface AddedOrder extends YamlText {
  readonly warnings: readonly string[];
}

/** An unchanged order and its key; the fields for searching and for summaries are read from it when it is written. */
export interface OrderPut {
  readonly orderKey: string;
  readonly json: string;
  readonly at: number;
  /** The owner of the API key that brought it. */
  readonly principal: string;
}

export type OrderRecord =
  | { readonly kind: 'orderPut'; readonly order: OrderPut }
  | { readonly kind: 'orderRemoved'; readonly orderKey: string };

/**
 * ORD-02. Each is null if it is not set. Codes match in any case (D-44). Times are milliseconds since 1970, inclusive;
 * orders without a required date lie outside of them. Rows are counted as the summary shows them.
 */
export interface OrderFilter {
  readonly orderCode: string | null;
  readonly materialCode: string | null;
  readonly toolingCode: string | null;
  readonly salesOrder: string | null;
  readonly workOrder: string | null;
  readonly requiredAfter: number | null;
  readonly requiredBefore: number | null;
  readonly skip: number;
  readonly take: number | null;
}

/** Orders that contain a text anywhere; null for all. */
export interface OrderSearch {
  readonly text: string | null;
  readonly choice: OrderChoice;
  readonly skip: number;
  readonly take: number;
}

/** The parts that a machine made in its newest work session. */
export interface OpenWork {
  readonly sessionId: string;
  readonly jobNumber: string;
  readonly goodParts: number;
}

/** The moment at which orders are looked at. */
export interface OrderMoment extends OrderClock {
  readonly openWork: readonly OpenWork[];
}

/** An order as one row: its sums over all products, and how far it is. Material and tooling are those of its first product. */
export type FoundOrder = OrderSummaryRow & OrderProgress & { readonly orderKey: string };

export interface FoundOrders {
  /** By due date; those without one come last. */
  readonly rows: readonly FoundOrder[];
  /** All orders that have the text. */
  readonly counts: Readonly<Record<OrderChoice, number>>;
  /** The open one that is due first and not overdue, of all that have the text; null if none has a date. */
  readonly next: Pick<OrderSummaryRow, 'orderCode' | 'requiredDateTime'> | null;
}

/** Some items of an order; `total` counts all. */
export interface ShownItems {
  readonly order: FoundOrder;
  readonly items: readonly MadeItem[];
  readonly total: number;
}

/** A received order: valid with its key, or refused with the faults. `isNew` tells that the key is not used yet. */
export type ReadOrder = Result<{
  readonly orderKey: string;
  readonly isNew: boolean;
  readonly orders: number;
  /** The text to keep instead of the one that came; null: that one (D-53). */
  readonly json: string | null;
  readonly warnings: readonly string[];
}>;

/**
 * The change that an order of a plant file would make; `change` is null without one. `fields` are the top-level fields.
 */
export type OrderSeed = Result<{
  readonly orderKey: string;
  readonly change: 'create' | 'update' | null;
  readonly fields: readonly string[];
  /** As in `ReadOrder`. */
  readonly json: string | null;
}>;

/** Orders in the form of a plant file. */
export interface OrderSeedQueries {
  /** Reads and checks texts of orders, compares them with the kept orders, and gives the number of these. */
  seedOrders(texts: readonly string[]): Promise<{ readonly seeds: readonly OrderSeed[]; readonly orders: number }>;
  /**
   * An array of orders in the order of their keys, behind `after`: `limit` of them, or fewer if they are long. Empty at
   * the end.
   */
  orderRecords(after: string, limit: number): Promise<JsonText>;
}

export interface OrderQueries extends OrderSeedQueries {
  /** Reads and checks the text of an order, which may be megabytes. Rejects with `malformed` if it is no JSON. */
  readOrder(text: string): Promise<ReadOrder>;
  /** The keys of the orders that an ordId names: by documentID, else by orderCode (D-20). */
  orderKeys(ordId: string): Promise<readonly string[]>;
  /** Rows by orderCode, material and tooling as one YAML list (D-20); null if it is too long for one answer. */
  orderSummary(filter: OrderFilter): Promise<YamlText | null>;
  orderSummaryOf(orderKey: string): Promise<YamlText>;
  /** The order as it is kept; null if only its summary is known, from the central server. */
  orderText(orderKey: string): Promise<JsonText | null>;
  findOrders(search: OrderSearch, moment: OrderMoment): Promise<FoundOrders>;
  /** Null if no order has the key. */
  orderItems(orderKey: string, skip: number, take: number, moment: OrderMoment): Promise<ShownItems | null>;
}
