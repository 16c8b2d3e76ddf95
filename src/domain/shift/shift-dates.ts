import { Temporal } from 'temporal-polyfill';
import { foundText, invalidInput } from '../error.ts';
import type { TimeSpan } from '../time-spans.ts';

/** The production days from one YYYY-MM-DD to another, both included. Throws `invalid-input` for more than `atMost`. */
export function shiftDates(from: string, to: string, atMost: number): readonly string[] {
  const first = readDate('from', from);
  const last = readDate('to', to);
  const days = first.until(last).days + 1;
  if (days < 1) throw invalidInput([{ path: 'from', found: foundText(from), expected: 'a date not after to' }]);
  if (days > atMost) {
    throw invalidInput([{ path: 'from, to', found: `${days} days`, expected: `at most ${atMost} days` }]);
  }
  return Array.from({ length: days }, (_, day) => first.add({ days: day }).toString());
}

function readDate(path: string, text: string): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    throw invalidInput([{ path, found: foundText(text), expected: 'a date as YYYY-MM-DD' }]);
  }
}

/** The time from midnight to midnight of a YYYY-MM-DD by the clocks of a zone. Throws `invalid-input`. */
export function calendarDay(date: string, timeZone: string): TimeSpan {
  const first = readDate('date', date);
  const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).epochMilliseconds;
  return { from: startOf(first), to: startOf(first.add({ days: 1 })) };
}

/** As many production days, up to the given one. */
export function datesUpTo(last: string, days: number): readonly string[] {
  const { from } = datesBefore({ from: last, to: last }, days - 1);
  return shiftDates(from, last, days);
}

/** The days just before a range: as many as it has, or `days`. */
export function datesBefore(
  { from, to }: { readonly from: string; readonly to: string },
  days = readDate('from', from).until(readDate('to', to)).days + 1,
): { readonly from: string; readonly to: string } {
  const first = readDate('from', from);
  return { from: first.subtract({ days }).toString(), to: first.subtract({ days: 1 }).toString() };
}
