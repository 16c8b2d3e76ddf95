import { Temporal } from 'temporal-polyfill';
import { type Fault, foundText, invalidInput } from '../error.ts';
import type { Result } from '../result.ts';

/** One shift of one production day, from `startMs` to just before `endMs` (wall-clock milliseconds since 1970). */
export interface Shift {
  /** YYYY-MM-DD: the date on which the first shift of that production day starts. */
  readonly shiftDate: string;
  readonly shiftName: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface ShiftCalendar {
  /** The only shift that an instant belongs to. */
  shiftAt(wallMs: number): Shift;
  /**
   * The shifts of a YYYY-MM-DD in order. A shift that a clock change swallowed is left out. Throws CodedError if the
   * text is no date.
   */
  shiftsOfDate(shiftDate: string): readonly Shift[];
  /** An instant as clocks in the plant show it: ISO 8601 to the millisecond, with the zone's offset. */
  timeText(wallMs: number): string;
}

export type ShiftCalendarResult = Result<{ readonly calendar: ShiftCalendar }>;

/**
 * The shifts of a plant in its own time zone (VAR-03; contract.md, `shifts`). Every instant belongs to exactly one shift
 * and every shift to one date, across midnight and clock changes: a shift lasts until the next one starts, and a start
 * that falls into skipped time comes as much later as was skipped.
 */
export function createShiftCalendar(settings: {
  readonly timeZone: string;
  readonly shifts: readonly ShiftDefinition[];
}): ShiftCalendarResult {
  const { starts, faults } = readShiftStarts(settings.shifts);
  const zoneFaults = checkTimeZone(settings.timeZone);
  const [first] = starts;
  if (first === undefined || faults.length > 0 || zoneFaults.length > 0) {
    return { ok: false, faults: [...zoneFaults, ...faults] };
  }
  const shiftsOf = (date: Temporal.PlainDate) => shiftsOfProductionDay(date, starts, first, settings.timeZone);
  // The two last found, because a correction of the clock asks for the present and the previous shift of each machine.
  let latest: Shift = { shiftDate: '', shiftName: '', startMs: 0, endMs: 0 };
  let former = latest;
  const shiftAt = (wallMs: number): Shift => {
    if (wallMs >= latest.startMs && wallMs < latest.endMs) return latest;
    const isFormer = wallMs >= former.startMs && wallMs < former.endMs;
    [latest, former] = [isFormer ? former : findShift(wallMs, settings.timeZone, shiftsOf), latest];
    return latest;
  };
  const shiftsOfDate = (shiftDate: string) => shiftsOf(readDate(shiftDate));
  const timeText = (wallMs: number) =>
    Temporal.Instant.fromEpochMilliseconds(Math.floor(wallMs)).toString({
      timeZone: settings.timeZone,
      fractionalSecondDigits: 3,
    });
  return { ok: true, calendar: { shiftAt, shiftsOfDate, timeText } };
}

function readDate(text: string): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    throw invalidInput([{ path: 'shiftDate', found: foundText(text), expected: 'a date as YYYY-MM-DD' }]);
  }
}

function checkTimeZone(timeZone: string): readonly Fault[] {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone);
    return [];
  } catch {
    return [{ path: 'timeZone', found: foundText(timeZone), expected: 'an IANA time zone such as America/Chicago' }];
  }
}

function findShift(wallMs: number, timeZone: string, shiftsOf: (date: Temporal.PlainDate) => readonly Shift[]): Shift {
  const today = Temporal.Instant.fromEpochMilliseconds(Math.floor(wallMs)).toZonedDateTimeISO(timeZone).toPlainDate();
  // Before the first shift of its calendar date an instant still belongs to the production day before.
  for (const days of [0, -1, 1, -2]) {
    const shift = shiftsOf(today.add({ days })).find(({ startMs, endMs }) => wallMs >= startMs && wallMs < endMs);
    if (shift !== undefined) return shift;
  }
  throw new RangeError(`no shift holds ${wallMs} in ${timeZone}`);
}

function shiftsOfProductionDay(
  date: Temporal.PlainDate,
  starts: readonly ShiftStart[],
  first: ShiftStart,
  timeZone: string,
): readonly Shift[] {
  const dayEndMs = startMsOn(date.add({ days: 1 }), first, timeZone);
  let previousMs = startMsOn(date, first, timeZone);
  // A clock change can move a start past its neighbours; it then gives way to them and may become empty.
  const startTimes = starts.map((start) => {
    previousMs = Math.max(previousMs, Math.min(startMsOn(date, start, timeZone), dayEndMs));
    return previousMs;
  });
  return starts
    .map((start, index) => ({
      shiftDate: date.toString(),
      shiftName: start.name,
      startMs: startTimes[index] ?? dayEndMs,
      endMs: startTimes[index + 1] ?? dayEndMs,
    }))
    .filter(({ startMs, endMs }) => startMs < endMs);
}

function startMsOn(date: Temporal.PlainDate, start: ShiftStart, timeZone: string): number {
  const day = start.onNextDay ? date.add({ days: 1 }) : date;
  const time = Temporal.PlainTime.from({ hour: start.hour, minute: start.minute });
  return day.toPlainDateTime(time).toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
}

/** One shift as configured: its name, and its start as HH:MM in the plant's time zone. */
interface ShiftDefinition {
  readonly name: string;
  readonly start: string;
}

/** A start that was read. `onNextDay` tells that it lies after the midnight that the production day crosses. */
interface ShiftStart {
  readonly name: string;
  readonly hour: number;
  readonly minute: number;
  readonly onNextDay: boolean;
}

/** A calendar with more shifts is refused. */
const MAX_SHIFTS = 24;

/** A longer name of a shift is refused. */
const MAX_NAME_LENGTH = 64;
const MINUTES_PER_DAY = 1440;

/**
 * Reads the shifts of a day. The first one's start begins the production day; the others follow in ascending order,
 * passing midnight once at most. Faults name each shift by its place in the list.
 */
function readShiftStarts(definitions: readonly ShiftDefinition[]): {
  readonly starts: readonly ShiftStart[];
  readonly faults: readonly Fault[];
} {
  if (definitions.length === 0 || definitions.length > MAX_SHIFTS) {
    const found = `${definitions.length} shifts`;
    return { starts: [], faults: [{ path: 'shifts', found, expected: `1 to ${MAX_SHIFTS} shifts` }] };
  }
  const faults: Fault[] = [];
  const starts: ShiftStart[] = [];
  const names = new Set<string>();
  let firstMinute: number | null = null;
  let previousOffset = -1;
  for (const [place, { name, start }] of definitions.entries()) {
    if (name.trim() === '' || name.length > MAX_NAME_LENGTH || names.has(name)) {
      const expected = `a name of its own, at most ${MAX_NAME_LENGTH} characters`;
      faults.push({ path: `shifts[${place}].name`, found: foundText(name), expected });
    }
    names.add(name);
    const minuteOfDay = readMinuteOfDay(start);
    if (minuteOfDay === null) {
      faults.push({
        path: `shifts[${place}].start`,
        found: foundText(start),
        expected: 'a time as HH:MM, 00:00 to 23:59',
      });
      continue;
    }
    firstMinute ??= minuteOfDay;
    const offset = (minuteOfDay - firstMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
    if (offset <= previousOffset) {
      const expected = 'a start after the one before it, within a day of the first';
      faults.push({ path: `shifts[${place}].start`, found: foundText(start), expected });
    }
    previousOffset = Math.max(previousOffset, offset);
    starts.push({
      name,
      hour: Math.floor(minuteOfDay / 60),
      minute: minuteOfDay % 60,
      onNextDay: minuteOfDay < firstMinute,
    });
  }
  return { starts, faults };
}

function readMinuteOfDay(text: string): number | null {
  const parts = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return parts === null ? null : Number(parts[1]) * 60 + Number(parts[2]);
}
