import { Temporal } from 'temporal-polyfill';
import type { OrderClock } from './order-progress.ts';

/** A moment as orders are judged by it. */
export function orderClock(nowAt: number, timeZone: string): OrderClock {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowAt)).toZonedDateTimeISO(timeZone);
  return { nowAt, localNow: local.toPlainDateTime().toString() };
}
