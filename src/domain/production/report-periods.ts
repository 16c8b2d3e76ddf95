import { datesBefore } from '../shift/shift-dates.ts';
import type { PlannedShift } from '../shift/work-plan.ts';
import { weekdayOf } from '../shift/work-plan.ts';

/** The periods whose reports are sent by themselves. A week ends with Sunday's last shift. */
export const REPORT_PERIODS = ['shift', 'day', 'week'] as const;
export type ReportPeriod = (typeof REPORT_PERIODS)[number];

/** A period that is over. */
export interface EndedPeriod {
  readonly period: ReportPeriod;
  /** Production days as YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  /** Null for days and weeks. */
  readonly shiftName: string | null;
}

const DAYS_A_WEEK = 7;

/**
 * The periods that ended after `afterMs`, and at `upToMs` or before. `shifts` are all shifts around that time in order,
 * with at least one that ends later.
 */
export function endedPeriods(
  shifts: readonly PlannedShift[],
  { afterMs, upToMs }: { readonly afterMs: number; readonly upToMs: number },
): readonly EndedPeriod[] {
  return shifts.flatMap(({ shiftDate, shiftName, endMs }, place): EndedPeriod[] => {
    if (endMs <= afterMs || endMs > upToMs) return [];
    const shift: EndedPeriod = { period: 'shift', from: shiftDate, to: shiftDate, shiftName };
    if (shifts[place + 1]?.shiftDate === shiftDate) return [shift];
    const day: EndedPeriod = { period: 'day', from: shiftDate, to: shiftDate, shiftName: null };
    if (weekdayOf(shiftDate) !== 'Sun') return [shift, day];
    const { from } = datesBefore({ from: shiftDate, to: shiftDate }, DAYS_A_WEEK - 1);
    return [shift, day, { period: 'week', from, to: shiftDate, shiftName: null }];
  });
}
