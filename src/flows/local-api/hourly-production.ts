import type { ProductionQuarter } from '../../domain/machine/records.ts';
import { type Outlook, outlookOf, type PlannedHour, plannedHours } from '../../domain/production/outlook.ts';
import type { PlannedShift } from '../../domain/shift/work-plan.ts';
import { HOUR_MS, isoTime } from '../../domain/time.ts';
import { lengthMs } from '../../domain/time-spans.ts';

/** Production of one hour of a shift. The first hour begins with the shift. */
export interface HourView {
  readonly shift: string;
  readonly startsAt: string;
  readonly goodParts: number;
  readonly badParts: number;
  /** The share of the machine's target, to a tenth; null: it has none. */
  readonly targetParts: number | null;
}

/** Production by the hour: every hour that has begun, with or without production, and those that come. */
export interface HoursView {
  readonly hours: readonly HourView[];
  /** Planned hours that have not begun, with the good parts that the present pace makes in them. */
  readonly coming: readonly (Pick<HourView, 'shift' | 'startsAt' | 'targetParts'> & {
    readonly forecastParts: number;
  })[];
  /** Null: the machine has no target, nothing is planned, or the day is over. */
  readonly outlook: (Omit<Outlook, 'endsAt'> & { readonly endsAt: string }) | null;
}

export function hoursOf(
  shifts: readonly PlannedShift[],
  quarters: readonly ProductionQuarter[],
  targetPartsPerShift: number | null,
  nowMs: number,
): HoursView {
  const all = plannedHours(shifts, targetPartsPerShift);
  const made = shifts.flatMap((shift) => madeIn(shift, all, quarters, nowMs));
  const isOver = shifts.every(({ endMs }) => endMs <= nowMs);
  const outlook = isOver ? null : outlookOf(made, nowMs);
  return {
    hours: made
      .filter(({ from }) => from < nowMs)
      .map((hour) => ({ ...named(hour), goodParts: hour.goodParts, badParts: hour.badParts })),
    coming:
      outlook === null
        ? []
        : made
            .filter(({ from, work }) => from >= nowMs && work.length > 0)
            .map((hour) => ({
              ...named(hour),
              forecastParts: tenth((outlook.partsPerHour * lengthMs(hour.work)) / HOUR_MS),
            })),
    outlook: outlook === null ? null : outlookView(outlook),
  };
}

/** The hours of a shift with what was made in them. Totals of a shift may come a moment after its end. */
function madeIn(
  { shiftName, startMs, endMs }: PlannedShift,
  all: readonly PlannedHour[],
  quarters: readonly ProductionQuarter[],
  nowMs: number,
) {
  const own = quarters.filter((quarter) => quarter.shiftName === shiftName);
  const begun = Math.min(Math.ceil((endMs - startMs) / HOUR_MS), Math.ceil((nowMs - startMs) / HOUR_MS));
  const placeOf = (atMs: number) => Math.min(Math.max(0, Math.floor((atMs - startMs) / HOUR_MS)), begun - 1);
  return all
    .filter((hour) => hour.shiftName === shiftName)
    .map((hour, place) => {
      const inside = own.filter(({ startsAt }) => placeOf(startsAt) === place);
      return {
        ...hour,
        goodParts: inside.reduce((sum, { goodParts }) => sum + goodParts, 0),
        badParts: inside.reduce((sum, { badParts }) => sum + badParts, 0),
      };
    });
}

function named({ shiftName, from, targetParts }: PlannedHour) {
  const target = targetParts === null ? null : tenth(targetParts);
  return { shift: shiftName, startsAt: isoTime(from), targetParts: target };
}

function outlookView({ endsAt, neededPerHour, ...rest }: Outlook): NonNullable<HoursView['outlook']> {
  return {
    goodParts: rest.goodParts,
    targetParts: tenth(rest.targetParts),
    targetByNow: tenth(rest.targetByNow),
    forecastParts: tenth(rest.forecastParts),
    partsPerHour: tenth(rest.partsPerHour),
    neededPerHour: neededPerHour === null ? null : tenth(neededPerHour),
    isEarly: rest.isEarly,
    endsAt: isoTime(endsAt),
  };
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
