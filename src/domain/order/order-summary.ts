import { groupBy } from '../group-by.ts';
import { isJsonObject } from '../json/json.ts';
import { type CheckedOrder, own } from './check-order.ts';

/** One line of an order's summary: the part of the order with one material on one tooling (D-20). */
export interface OrderSummaryRow {
  readonly orderCode: string | null;
  readonly documentIDs: readonly string[];
  readonly customer: string | null;
  readonly salesOrder: string | null;
  readonly purchaseOrder: string | null;
  readonly requiredDateTime: string | null;
  readonly shipDate: string | null;
  readonly onHold: boolean;
  readonly materialCode: string | null;
  readonly toolingCode: string | null;
  readonly workOrders: readonly string[];
  readonly bundles: number;
  readonly items: number;
  readonly pieces: number;
  readonly lengthFt: number;
}

/** The rows of one order that was checked; an order without products has one, so that it can be found. */
export function summaryRows(order: CheckedOrder): readonly OrderSummaryRow[] {
  const products = objects(own(order, 'products'));
  const head = headOf(order);
  if (products.length === 0) return [{ ...head, ...NO_PRODUCT }];
  const rows = products.map((product) => ({ ...head, ...productOf(product) }));
  return [...groupBy(rows, rowKey).values()].map(mergedRows);
}

/** Rows of one key are one row: order code, material and tooling (D-20). */
export function rowKey({ orderCode, materialCode, toolingCode }: OrderSummaryRow): string {
  return JSON.stringify([orderCode, materialCode, toolingCode]);
}

/** Joins the rows of one key. Values of the order as a whole come from the first row. */
export function mergedRows(rows: readonly OrderSummaryRow[]): OrderSummaryRow {
  const [first] = rows;
  if (first === undefined) throw new Error('no rows to merge');
  const sum = (field: 'bundles' | 'items' | 'pieces' | 'lengthFt') =>
    rows.reduce((total, row) => total + row[field], 0);
  return {
    ...first,
    documentIDs: [...new Set(rows.flatMap((row) => row.documentIDs))],
    workOrders: [...new Set(rows.flatMap((row) => row.workOrders))],
    bundles: sum('bundles'),
    items: sum('items'),
    pieces: sum('pieces'),
    lengthFt: rounded(sum('lengthFt')),
  };
}

const NO_PRODUCT = {
  materialCode: null,
  toolingCode: null,
  workOrders: [],
  bundles: 0,
  items: 0,
  pieces: 0,
  lengthFt: 0,
} as const;

function headOf(order: CheckedOrder) {
  const schedule = object(own(order, 'schedule'));
  const documentId = text(order, 'documentID');
  return {
    orderCode: text(order, 'orderCode'),
    documentIDs: documentId === null ? [] : [documentId],
    customer: text(object(own(order, 'customer')), 'name') ?? text(object(own(order, 'customer')), 'code'),
    salesOrder: text(order, 'salesOrder'),
    purchaseOrder: text(order, 'purchaseOrder'),
    requiredDateTime: text(schedule, 'requiredDateTime'),
    shipDate: text(schedule, 'shipDate'),
    onHold: own(schedule, 'onHold') === true,
  };
}

const INCHES_PER_FOOT = 12;

function productOf(product: CheckedOrder) {
  const bundles = objects(own(product, 'bundles'));
  const items = bundles.flatMap((bundle) => objects(own(bundle, 'items')));
  const workOrder = text(product, 'workOrder');
  const lengthIn = items.reduce((sum, item) => sum + number(item, 'quantity') * number(item, 'partLengthIn'), 0);
  return {
    materialCode: text(object(own(product, 'materialDetail')), 'materialCode'),
    toolingCode: text(object(own(product, 'toolingDetail')), 'toolingCode'),
    workOrders: workOrder === null ? [] : [workOrder],
    bundles: bundles.length,
    items: items.length,
    pieces: items.reduce((sum, item) => sum + number(item, 'quantity'), 0),
    lengthFt: rounded(lengthIn / INCHES_PER_FOOT),
  };
}

function rounded(lengthFt: number): number {
  return Math.round(lengthFt * 1_000) / 1_000;
}

function object(value: unknown): CheckedOrder {
  return isJsonObject(value) ? value : {};
}

export function objects(value: unknown): readonly CheckedOrder[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function text(of: CheckedOrder, name: string): string | null {
  const value = own(of, name);
  return typeof value === 'string' ? value : null;
}

function number(of: CheckedOrder, name: string): number {
  const value = own(of, name);
  return typeof value === 'number' ? value : 0;
}
