/** The two forms of a date in the plant (interface.md, Warehouse tasks, Coils). */

const FIRST_YEAR = 1970;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?$/;
const LENGTH_TO_SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

export const UTC_DATE_TIME_RULE = 'a date and time as 2026-03-04T08:00:00Z';
export const LOCAL_DATE_TIME_RULE = 'a date and time without a zone, as 2026-03-04T08:00:00';

/** An instant in ISO 8601 with Z, from 1970 on, that exists in the calendar. */
export function isUtcDateTime(text: string): boolean {
  return UTC.test(text) && isInCalendar(text.slice(0, LENGTH_TO_SECONDS));
}

/** A date and time in ISO 8601 without a zone suffix, from 1970 on, that exists in the calendar. */
export function isLocalDateTime(text: string): boolean {
  return LOCAL.test(text) && isInCalendar(text.slice(0, LENGTH_TO_SECONDS));
}

function isInCalendar(toSeconds: string): boolean {
  const date = new Date(`${toSeconds}Z`);
  // A day beyond the end of a month would be read as one of the next month.
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(toSeconds);
  return exists && date.getUTCFullYear() >= FIRST_YEAR;
}
