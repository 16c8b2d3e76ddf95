import { groupBy } from '../../../../domain/group-by.ts';
import { isJsonObject } from '../../../../domain/json/json.ts';
import { type MadeItem, madeItems, orderItems, summaryItems } from '../../../../domain/order/order-items.ts';
import { type OrderProgress, orderProgress } from '../../../../domain/order/order-progress.ts';
import { mergedRows, type OrderSummaryRow } from '../../../../domain/order/order-summary.ts';
import type {
  FoundOrder,
  FoundOrders,
  OpenWork,
  OrderMoment,
  OrderSearch,
  ShownItems,
} from '../../../../flows/orders/order-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import type { Connection } from '../database/connection.ts';
import { type RowSource, ShownOrders } from './shown-orders.ts';

/** The list of orders with their progress, and the items of each. */
export class OrderSearches {
  readonly #connection: Connection;
  readonly #shown: ShownOrders;
  readonly #rows;
  readonly #text;
  readonly #made;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#shown = new ShownOrders(connection);
    const rows = (source: RowSource) =>
      connection.prepare<[string], string>(`SELECT json FROM ${source} WHERE order_key = ? ORDER BY place`).pluck();
    this.#rows = { order_row: rows('order_row'), shown_order_row: rows('shown_order_row') };
    this.#text = connection.prepare<[string], string>('SELECT json FROM customer_order WHERE order_key = ?').pluck();
    this.#made = connection.prepare<[string], Pick<OpenWork, 'sessionId' | 'goodParts'>>(
      'SELECT session_id AS sessionId, good_parts AS goodParts FROM work_session WHERE job_number = ? COLLATE NOCASE',
    );
  }

  /** Orders that hold the text, by due date; a slice at a time. */
  async find({ text, choice, skip, take }: OrderSearch, moment: OrderMoment): Promise<FoundOrders> {
    const { source } = this.#shown;
    const sought = text?.toLowerCase() ?? '';
    // Most rows are left out before they are parsed.
    const written = JSON.stringify(sought).slice(1, -1);
    const found: FoundLine[] = [];
    const madeOf = this.#madeAt(moment);
    const slice = new Slice();
    for (const orderKey of this.#keys(source)) {
      const texts = this.#rows[source].all(orderKey);
      const rows = texts.some((json) => json.toLowerCase().includes(written)) ? texts.map(rowOf) : [];
      if (rows.some((row) => textOf(row).includes(sought))) {
        found.push(lineOf(orderKey, orderOf(rows, madeOf, moment)));
      }
      if (slice.isOver) await slice.next();
    }
    const of = { open: [], overdue: [], onHold: [], made: [] } as Record<OrderSearch['choice'], FoundLine[]>;
    for (const line of found.sort(byDueDate)) for (const held of line.choices) of[held].push(line);
    const next = of.open.find(({ due, choices }) => due !== null && !choices.includes('overdue'));
    return {
      rows: of[choice]
        .slice(skip, skip + take)
        .flatMap(({ orderKey }) => this.#order(orderKey, source, madeOf, moment) ?? []),
      counts: {
        open: of.open.length,
        overdue: of.overdue.length,
        onHold: of.onHold.length,
        made: of.made.length,
      },
      next: next === undefined ? null : { orderCode: next.orderCode, requiredDateTime: next.due },
    };
  }

  /** Items of an order in their sequence, with what is made of them; null if it is gone. */
  items(orderKey: string, skip: number, take: number, moment: OrderMoment): ShownItems | null {
    const madeOf = this.#madeAt(moment);
    const order = this.#order(orderKey, this.#shown.sourceOf(orderKey), madeOf, moment);
    if (order === null) return null;
    const items = this.#items(orderKey, madeOf);
    return { order, items: items.slice(skip, skip + take), total: items.length };
  }

  #items(orderKey: string, madeOf: MadeOf): readonly MadeItem[] {
    const source = this.#shown.sourceOf(orderKey);
    const text = source === 'order_row' ? this.#text.get(orderKey) : undefined;
    const json: unknown = text === undefined ? null : JSON.parse(text);
    const items = isJsonObject(json) ? orderItems(json) : summaryItems(this.#rows[source].all(orderKey).map(rowOf));
    return madeItems(items, madeOf);
  }

  #order(orderKey: string, source: RowSource, madeOf: MadeOf, moment: OrderMoment): FoundOrder | null {
    const rows = this.#rows[source].all(orderKey).map(rowOf);
    return rows.length === 0 ? null : { orderKey, ...orderOf(rows, madeOf, moment) };
  }

  #keys(source: RowSource): readonly string[] {
    return this.#connection
      .prepare<[], string>(`SELECT DISTINCT order_key FROM ${source} ORDER BY order_key`)
      .pluck()
      .all();
  }

  /** The good pieces of a job, looked up once. Sessions that last count as the main thread knows them. */
  #madeAt({ openWork }: OrderMoment): MadeOf {
    const open = groupBy(openWork, ({ jobNumber }) => jobNumber.toLowerCase());
    const known = new Map<string, number>();
    return (jobNumber) => {
      const looked = known.get(jobNumber);
      if (looked !== undefined) return looked;
      const pieces = new Map(this.#made.all(jobNumber).map(({ sessionId, goodParts }) => [sessionId, goodParts]));
      for (const { sessionId, goodParts } of open.get(jobNumber.toLowerCase()) ?? []) pieces.set(sessionId, goodParts);
      const made = [...pieces.values()].reduce((sum, goodParts) => sum + goodParts, 0);
      known.set(jobNumber, made);
      return made;
    };
  }
}

type MadeOf = (jobNumber: string) => number;

/** The part of a found order that is kept: whole orders of a large plant would take much memory. */
interface FoundLine {
  readonly orderKey: string;
  readonly orderCode: string | null;
  readonly due: string | null;
  readonly choices: readonly OrderSearch['choice'][];
}

function lineOf(
  orderKey: string,
  { orderCode, requiredDateTime, onHold, isMade, isOverdue }: OrderSummaryRow & OrderProgress,
): FoundLine {
  const choices = isMade
    ? (['made'] as const)
    : (['open', ...(isOverdue ? (['overdue'] as const) : []), ...(onHold ? (['onHold'] as const) : [])] as const);
  return { orderKey, orderCode, due: requiredDateTime, choices };
}

/** The values in which a person searches, in small letters. The names of fields stand in the JSON of every order. */
function textOf(row: OrderSummaryRow): string {
  const { orderCode, customer, salesOrder, purchaseOrder, requiredDateTime, shipDate, materialCode, toolingCode } = row;
  const single = [
    orderCode,
    customer,
    salesOrder,
    purchaseOrder,
    requiredDateTime,
    shipDate,
    materialCode,
    toolingCode,
  ];
  return [...single, ...row.documentIDs, ...row.workOrders]
    .filter((value) => value !== null)
    .join('\n')
    .toLowerCase();
}

/** The rows of an order as one, with its progress. */
function orderOf(
  rows: readonly OrderSummaryRow[],
  madeOf: MadeOf,
  moment: OrderMoment,
): OrderSummaryRow & OrderProgress {
  return { ...mergedRows(rows), ...orderProgress(rows, madeOf, moment) };
}

/** Only OrderWriter and the mirror write the rows. */
function rowOf(json: string): OrderSummaryRow {
  return JSON.parse(json) as OrderSummaryRow;
}

/** Orders without a date come last. */
function byDueDate(one: FoundLine, other: FoundLine): number {
  const [due, otherDue] = [one.due ?? '9999', other.due ?? '9999'];
  return due < otherDue ? -1 : due > otherDue ? 1 : 0;
}
