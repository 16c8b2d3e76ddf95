import { type Fault, foundText } from '../error.ts';

/** One shift as configured: its name, and its start as HH:MM in the plant's time zone. */
export interface ShiftDefinition {
  readonly name: string;
  readonly start: string;
}

/** A start that was read. `onNextDay` tells that it lies after the midnight that the production day crosses. */
export interface ShiftStart {
  readonly name: string;
  readonly hour: number;
  readonly minute: number;
  readonly onNextDay: boolean;
}

/** A calendar with more shifts is refused. */
export const MAX_SHIFTS = 24;

/** A longer name of a shift is refused. */
const MAX_NAME_LENGTH = 64;
const MINUTES_PER_DAY = 1440;

/**
 * Reads the shifts of a day. The first one's start begins the production day; the others follow in ascending order,
 * passing midnight once at most. Faults name each shift by its place in the list.
 */
export function readShiftStarts(definitions: readonly ShiftDefinition[]): {
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
