import type { ProductionQuarter } from '../../domain/machine/records.ts';
import type { Shift } from '../../domain/shift/shift-calendar.ts';
import { HOUR_MS, isoTime } from '../../domain/time.ts';

/** Production of one hour of a shift. The first hour begins with the shift. */
export interface HourView {
  readonly shift: string;
  readonly startsAt: string;
  readonly goodParts: number;
  readonly badParts: number;
}

/** Every hour that has begun, with or without production. */
export function hoursOf(
  shifts: readonly Shift[],
  quarters: readonly ProductionQuarter[],
  nowMs: number,
): readonly HourView[] {
  return shifts.flatMap(({ shiftName, startMs, endMs }) => {
    const own = quarters.filter((quarter) => quarter.shiftName === shiftName);
    const begun = Math.min(Math.ceil((endMs - startMs) / HOUR_MS), Math.ceil((nowMs - startMs) / HOUR_MS));
    return Array.from({ length: Math.max(0, begun) }, (_, hour) => {
      const inside = own.filter(({ startsAt }) => hourOf(startsAt, startMs, begun) === hour);
      return {
        shift: shiftName,
        startsAt: isoTime(startMs + hour * HOUR_MS),
        goodParts: inside.reduce((sum, { goodParts }) => sum + goodParts, 0),
        badParts: inside.reduce((sum, { badParts }) => sum + badParts, 0),
      };
    });
  });
}

/** Totals of a shift may come a moment after its end. */
function hourOf(atMs: number, startMs: number, hours: number): number {
  return Math.min(Math.max(0, Math.floor((atMs - startMs) / HOUR_MS)), hours - 1);
}
