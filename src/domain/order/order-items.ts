import { isJsonObject } from '../json/json.ts';
import { type CheckedOrder, own } from './check-order.ts';
import { jobsOf } from './order-progress.ts';
import { type OrderSummaryRow, objects, text } from './order-summary.ts';

/** Pieces of one length and mark of one product of an order. */
export interface OrderItem {
  /** The place of the product in the order, from 0. */
  readonly product: number;
  readonly toolingCode: string | null;
  readonly tooling: string | null;
  readonly materialCode: string | null;
  readonly material: string | null;
  /** The job numbers that count for the item. */
  readonly jobs: readonly string[];
  readonly pieceMark: string | null;
  /** Null: only the sum of the product is known. */
  readonly lengthIn: number | null;
  readonly pieces: number;
  /** The bundles that hold it, and the codes of the first and the last one that has a code. */
  readonly bundles: number;
  readonly bundleCodes: readonly string[];
}

/** An item with the good pieces that are made of it. */
export type MadeItem = OrderItem & { readonly madePieces: number };

/** The items of an order, product by product, each in the sequence that the order gives. */
export function orderItems(order: CheckedOrder): readonly OrderItem[] {
  const orderCode = text(order, 'orderCode');
  const documentIDs = [text(order, 'documentID')].filter((id) => id !== null);
  return objects(own(order, 'products')).flatMap((product, place) => {
    const workOrder = text(product, 'workOrder');
    const [tooling, material] = [objectIn(product, 'toolingDetail'), objectIn(product, 'materialDetail')];
    const shared = {
      product: place,
      toolingCode: text(tooling, 'toolingCode'),
      tooling: text(tooling, 'description'),
      materialCode: text(material, 'materialCode'),
      material: text(material, 'description'),
      jobs: jobsOf({ orderCode, documentIDs, workOrders: workOrder === null ? [] : [workOrder] }),
    };
    return lengthsOf(product).map((lengths) => ({ ...shared, ...lengths }));
  });
}

/** The items of an order of which only the summary is known. */
export function summaryItems(rows: readonly OrderSummaryRow[]): readonly OrderItem[] {
  const ordered = rows.filter(({ pieces }) => pieces > 0);
  return ordered.map((row, product) => ({
    product,
    toolingCode: row.toolingCode,
    tooling: null,
    materialCode: row.materialCode,
    material: null,
    jobs: jobsOf(row),
    pieceMark: null,
    lengthIn: null,
    pieces: row.pieces,
    bundles: row.bundles,
    bundleCodes: [],
  }));
}

/** The pieces of each job make its items one after the other (D-90). */
export function madeItems(items: readonly OrderItem[], madeOf: (jobNumber: string) => number): readonly MadeItem[] {
  const left = new Map<string, number>();
  return items.map((item) => {
    let madePieces = 0;
    for (const job of item.jobs) {
      const available = left.get(job) ?? madeOf(job);
      const taken = Math.min(available, item.pieces - madePieces);
      left.set(job, available - taken);
      madePieces += taken;
    }
    return { ...item, madePieces };
  });
}

type Lengths = Pick<OrderItem, 'pieceMark' | 'lengthIn' | 'pieces' | 'bundles' | 'bundleCodes'>;

function lengthsOf(product: CheckedOrder): readonly Lengths[] {
  const found = new Map<string, { lengths: Lengths; sequence: number; inBundle: number }>();
  for (const [place, bundle] of objects(own(product, 'bundles')).entries()) {
    const code = text(bundle, 'bundleCode') ?? String(numberIn(bundle, 'bundleNumber') ?? '');
    for (const item of objects(own(bundle, 'items'))) {
      const [lengthIn, pieceMark] = [numberIn(item, 'partLengthIn'), text(item, 'pieceMark')];
      const key = JSON.stringify([lengthIn, pieceMark]);
      const known = found.get(key);
      const before = known?.lengths ?? { pieceMark, lengthIn, pieces: 0, bundles: 0, bundleCodes: [] };
      const isNewBundle = known?.inBundle !== place;
      found.set(key, {
        lengths: {
          ...before,
          pieces: before.pieces + (numberIn(item, 'quantity') ?? 0),
          bundles: before.bundles + Number(isNewBundle),
          bundleCodes: code === '' || !isNewBundle ? before.bundleCodes : [...before.bundleCodes.slice(0, 1), code],
        },
        sequence: Math.min(known?.sequence ?? Number.POSITIVE_INFINITY, numberIn(item, 'sequence') ?? Number.MAX_VALUE),
        inBundle: place,
      });
    }
  }
  return [...found.values()].sort((one, other) => one.sequence - other.sequence).map(({ lengths }) => lengths);
}

function objectIn(of: CheckedOrder, name: string): CheckedOrder {
  const value = own(of, name);
  return isJsonObject(value) ? value : {};
}

function numberIn(of: CheckedOrder, name: string): number | null {
  const value = own(of, name);
  return typeof value === 'number' ? value : null;
}
