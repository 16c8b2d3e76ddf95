import { CodedError, foundText, invalidInput, noSuch } from '../../domain/error.ts';
import { orderClock } from '../../domain/order/order-clock.ts';
import { keyParts } from '../../domain/order/order-key.ts';
import { type RequestReceipt, receiptsOf } from '../../domain/request-receipt.ts';
import { NO_OPERATIONS, type OperationQueue } from '../forward/operation-queue-flow.ts';
import { KeyedMutex } from '../keyed-mutex.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';
import type {
  AddedOrder,
  FoundOrders,
  OpenWork,
  OrderFilter,
  OrderMoment,
  OrderQueries,
  OrderSearch,
  ShownItems,
  YamlText,
} from './order-ports.ts';

/** The number of orders that a gateway keeps. */
export const MAX_ORDERS = 50_000;
/** The number of changes that may wait for one order. */
const MAX_WAITING = 100;

export interface OrderFlowOptions {
  readonly store: Pick<Store, 'write'> & OrderQueries;
  readonly clock: Clock;
  /** The plant's: due dates may be without a zone. */
  readonly timeZone: string;
  readonly openWork: () => readonly OpenWork[];
  /** Left out: without a central server. */
  readonly operations?: OperationQueue;
}

/** Orders: taken, replaced, removed, summed up (interface.md, Orders; D-20). Acknowledged means on disk. */
export class OrderFlow {
  readonly #options: OrderFlowOptions;
  readonly #turns = new KeyedMutex('order', MAX_WAITING);

  constructor(options: OrderFlowOptions) {
    this.#options = options;
  }

  /** Rejects with `too-large` if the filters leave too much for one answer. */
  async summary(filter: OrderFilter): Promise<YamlText> {
    const summary = await this.#options.store.orderSummary(filter);
    if (summary !== null) return summary;
    throw new CodedError('too-large', 'summary: found more rows than one answer may have, expected narrower filters');
  }

  find(search: OrderSearch): Promise<FoundOrders> {
    return this.#options.store.findOrders(search, this.#moment());
  }

  /** Some items of an order with what is made of them. Rejects with `not-found`. */
  async items(orderKey: string, skip: number, take: number): Promise<ShownItems> {
    const shown = await this.#options.store.orderItems(orderKey, skip, take, this.#moment());
    if (shown === null) throw noSuch('order', orderKey);
    return shown;
  }

  /** Adds or replaces an order; gives its summary (D-20). */
  async add(text: string, principal: string, receipt: RequestReceipt | null = null): Promise<AddedOrder> {
    const { store, clock, operations = NO_OPERATIONS } = this.#options;
    const read = await store.readOrder(text);
    if (!read.ok) throw invalidInput(read.faults);
    if (read.isNew && read.orders >= MAX_ORDERS) {
      throw new CodedError('conflict', `orders: found ${read.orders} kept, expected at most ${MAX_ORDERS}`);
    }
    const { orderKey, warnings } = read;
    const json = read.json ?? text;
    const isNew = read.isNew && !this.#turns.isBusy(orderKey);
    return this.#turns.runExclusive(orderKey, async () => {
      const order = { orderKey, json, at: clock.now().wallMs, principal };
      const queued = operations.recordsOf({ type: 'orderPut', orderKey, json, isNew }, principal);
      await store.write([{ kind: 'orderPut', order }, ...queued, ...receiptsOf(receipt, { of: 'order', orderKey })]);
      return { ...(await store.orderSummaryOf(orderKey)), warnings };
    });
  }

  /** The warnings of an order that was added before. */
  async warningsOf(text: string): Promise<readonly string[]> {
    const read = await this.#options.store.readOrder(text);
    return read.ok ? read.warnings : [];
  }

  /**
   * Gives an order as it is kept. Rejects with `not-found`, or with `invalid-input` if several have that code.
   */
  async text(ordId: string): Promise<JsonText> {
    const orderKey = await this.#keyOf(ordId);
    const text = await this.#options.store.orderText(orderKey);
    if (text !== null) return text;
    const known = `Order ${foundText(ordId)} is the central server's, and only its summary is known here`;
    throw new CodedError('not-found', `${known}: ask the central server for the whole order`);
  }

  /**
   * Gives the summary of the removed order. Rejects with `not-found`, or with `invalid-input` if several have that
   * code.
   */
  async remove(ordId: string, principal: string, receipt: RequestReceipt | null = null): Promise<YamlText> {
    const { store, operations = NO_OPERATIONS } = this.#options;
    const orderKey = await this.#keyOf(ordId);
    return this.#turns.runExclusive(orderKey, async () => {
      if (!(await store.orderKeys(ordId)).includes(orderKey)) throw noSuch('order', ordId);
      const removed = await store.orderSummaryOf(orderKey);
      const operation = { type: 'orderRemoved', orderKey, ordId: keyParts(orderKey).id } as const;
      // The answer's content is gone with the order.
      const receipts = receiptsOf(receipt, { of: 'order', orderKey });
      await store.write([
        ...receipts,
        { kind: 'orderRemoved', orderKey },
        ...operations.recordsOf(operation, principal),
      ]);
      return removed;
    });
  }

  #moment(): OrderMoment {
    const { clock, timeZone, openWork } = this.#options;
    return { ...orderClock(clock.now().wallMs, timeZone), openWork: openWork() };
  }

  /** The key of the one order that an ordId names (D-20). */
  async #keyOf(ordId: string): Promise<string> {
    const [orderKey, ...others] = await this.#options.store.orderKeys(ordId);
    if (orderKey === undefined) throw noSuch('order', ordId);
    if (others.length === 0) return orderKey;
    const found = `${others.length + 1} orders with the code ${foundText(ordId)}`;
    throw invalidInput([{ path: 'ordId', found, expected: 'a documentID, or an orderCode that one order has' }]);
  }
}
