import type { OrderSummaryRow } from './order-summary.ts';

/** The choices of a list of orders. An order that is not made is open, also if it is on hold or overdue. */
export const ORDER_CHOICES = ['open', 'overdue', 'onHold', 'made'] as const;
export type OrderChoice = (typeof ORDER_CHOICES)[number];

/** How far an order is. `madePieces`: good pieces, those beyond the asked ones left out. */
export interface OrderProgress {
  readonly madePieces: number;
  readonly isMade: boolean;
  readonly isOverdue: boolean;
}

/** Now, and the same moment by the plant's clock, `2026-11-29T17:40:00`: due dates may be without a zone. */
export interface OrderClock {
  readonly nowAt: number;
  readonly localNow: string;
}

/** The parts of a summary row that progress is counted by. */
export type OrderedWork = Pick<
  OrderSummaryRow,
  'orderCode' | 'documentIDs' | 'workOrders' | 'pieces' | 'requiredDateTime'
>;

/**
 * The job numbers under which machines make a part of an order: its work orders, without one the order's code, without
 * that its documents (D-90).
 */
export function jobsOf({
  orderCode,
  documentIDs,
  workOrders,
}: Pick<OrderedWork, 'orderCode' | 'documentIDs' | 'workOrders'>): readonly string[] {
  if (workOrders.length > 0) return workOrders;
  return orderCode === null ? documentIDs : [orderCode];
}

/** The progress of an order by its rows; `madeOf` gives the good pieces of a job number. */
export function orderProgress(
  rows: readonly OrderedWork[],
  madeOf: (jobNumber: string) => number,
  clock: OrderClock,
): OrderProgress {
  const asked = new Map<string, { readonly jobs: readonly string[]; pieces: number }>();
  for (const row of rows) {
    const jobs = jobsOf(row);
    const key = JSON.stringify(jobs);
    const work = asked.get(key) ?? { jobs, pieces: 0 };
    work.pieces += row.pieces;
    asked.set(key, work);
  }
  let [pieces, madePieces] = [0, 0];
  for (const work of asked.values()) {
    pieces += work.pieces;
    madePieces += Math.min(
      work.pieces,
      work.jobs.reduce((sum, job) => sum + madeOf(job), 0),
    );
  }
  const isMade = pieces > 0 && madePieces >= pieces;
  const due = rows[0]?.requiredDateTime ?? null;
  return { madePieces, isMade, isOverdue: !isMade && due !== null && isPast(due, clock) };
}

const HAS_ZONE = /(Z|[+-]\d{2}:\d{2})$/;
const DATE_LENGTH = 'YYYY-MM-DD'.length;

/** Whether a due time has passed. A day without a time ends at its midnight, and a time without a zone is the plant's. */
export function isPast(due: string, { nowAt, localNow }: OrderClock): boolean {
  if (due.length === DATE_LENGTH) return due < localNow.slice(0, DATE_LENGTH);
  if (HAS_ZONE.test(due)) return Date.parse(due) < nowAt;
  return due < localNow;
}
