import { Temporal } from 'temporal-polyfill';
import { type Fault, foundText } from '../error.ts';
import type { TimeSpan } from '../time-spans.ts';
import type { Shift } from './shift-calendar.ts';

/** The days of a week, from Monday. */
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A shift with the part of it that is planned for work (contract.md, `shifts`). */
export interface PlannedShift extends Shift {
  /** False on days off, and on weekdays on which the shift is not worked: nothing is expected of it. */
  readonly isPlanned: boolean;
  readonly breaks: readonly TimeSpan[];
}

export interface WorkPlanSettings {
  readonly timeZone: string;
  readonly shifts: readonly {
    readonly name: string;
    readonly start: string;
    /** The weekdays of the shift dates on which the shift is worked; absent: all. */
    readonly days?: readonly Weekday[] | undefined;
    readonly breaks?: readonly BreakDefinition[] | undefined;
  }[];
  readonly daysOff?: readonly { readonly date: string; readonly name: string }[] | undefined;
}

/** A break as configured: `start` is HH:MM in the plant's time zone. */
interface BreakDefinition {
  readonly start: string;
  readonly minutes: number;
}

/** Gives a shift of the calendar with what is planned for it. */
export type WorkPlan = (shift: Shift) => PlannedShift;

/** The plan of settings that `checkWorkPlan` found no fault in. */
export function createWorkPlan({ timeZone, shifts, daysOff = [] }: WorkPlanSettings): WorkPlan {
  const byName = new Map(shifts.map((shift) => [shift.name, shift]));
  const off = new Set(daysOff.map(({ date }) => date));
  return (shift) => {
    const { days = WEEKDAYS, breaks = [] } = byName.get(shift.shiftName) ?? {};
    const isPlanned = !off.has(shift.shiftDate) && days.includes(weekdayOf(shift.shiftDate));
    return { ...shift, isPlanned, breaks: isPlanned ? breaks.flatMap((rest) => breakIn(shift, rest, timeZone)) : [] };
  };
}

/** The weekday of a YYYY-MM-DD. */
export function weekdayOf(date: string): Weekday {
  return WEEKDAYS[Temporal.PlainDate.from(date).dayOfWeek - 1] ?? 'Mon';
}

/** The break on the date of the shift, or on the day after if the shift crosses midnight before it. */
function breakIn(shift: Shift, { start, minutes }: BreakDefinition, timeZone: string): readonly TimeSpan[] {
  const date = Temporal.Instant.fromEpochMilliseconds(shift.startMs).toZonedDateTimeISO(timeZone).toPlainDate();
  for (const days of [0, 1]) {
    const time = date.add({ days }).toPlainDateTime(Temporal.PlainTime.from(start));
    const from = time.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
    const to = Math.min(from + minutes * 60_000, shift.endMs);
    if (from >= shift.startMs && from < shift.endMs) return [{ from, to }];
  }
  return [];
}

/** Faults of breaks and days off. Starts and names of shifts are judged by the calendar (shift-calendar.ts). */
export function checkWorkPlan({ shifts, daysOff = [] }: WorkPlanSettings): readonly Fault[] {
  const starts = shifts.map(({ start }) => minuteOfDay(start));
  const ofBreaks = shifts.flatMap(({ breaks = [] }, place) => {
    const startMinute = starts[place] ?? 0;
    const nextMinute = starts[(place + 1) % starts.length] ?? startMinute;
    const lengthMinutes = (nextMinute - startMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY || MINUTES_PER_DAY;
    return breakFaults(breaks, startMinute, lengthMinutes, `shifts[${place}]`);
  });
  const dates = new Set<string>();
  const ofDaysOff = daysOff.flatMap(({ date }, place) => {
    const isDouble = dates.has(date);
    dates.add(date);
    const expected = isDouble ? 'each date once' : 'a date as YYYY-MM-DD';
    return isDouble || !isDate(date) ? [{ path: `daysOff[${place}].date`, found: foundText(date), expected }] : [];
  });
  return [...ofBreaks, ...ofDaysOff];
}

const MINUTES_PER_DAY = 1_440;

function breakFaults(
  breaks: readonly BreakDefinition[],
  shiftStart: number,
  shiftMinutes: number,
  path: string,
): readonly Fault[] {
  let endBefore = 0;
  return breaks.flatMap(({ start, minutes }, place) => {
    const from = (minuteOfDay(start) - shiftStart + MINUTES_PER_DAY) % MINUTES_PER_DAY;
    const isFaulty = from < endBefore || from + minutes > shiftMinutes;
    endBefore = from + minutes;
    if (!isFaulty) return [];
    const expected = 'a break within its shift, after the one before it';
    return [{ path: `${path}.breaks[${place}]`, found: `${start} for ${minutes} minutes`, expected }];
  });
}

function minuteOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function isDate(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}
