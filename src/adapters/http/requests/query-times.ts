import { type Fault, foundText, invalidInput } from '../../../domain/error.ts';
import type { TimeRange } from '../../../flows/store-ports.ts';
import { LIMITS } from '../limits.ts';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const TIME_RULE = 'a time as 2026-03-04T08:00:00Z';

/** A time as wall-clock milliseconds. Throws `invalid-input` for anything but ISO 8601 with a zone, from the year 1 on. */
export function readTime(path: string, text: string): number {
  // A `+` that was not percent-encoded arrives as a blank.
  const time = text.replace(' ', '+');
  const milliseconds = ISO_TIME.test(time) && isDate(time.slice(0, 10)) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw invalidInput([{ path, found: foundText(text), expected: TIME_RULE }]);
  return milliseconds;
}

/** `Date.parse` takes the 30th of February for a day in March. */
function isDate(text: string): boolean {
  const atMs = Date.parse(`${text}T00:00:00Z`);
  return !text.startsWith('0000') && !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
}

/** `from` and `to` of a query. Without `to` the range ends now; without `from` it is a day long. */
export function readRange(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number,
): TimeRange {
  const end = to === undefined ? nowMs : readTime('to', to);
  const start = from === undefined ? end - LIMITS.defaultRangeMs : readTime('from', from);
  if (start < end) return { from: start, to: end };
  const fault: Fault = { path: 'from', found: foundText(from), expected: 'a time before to' };
  throw invalidInput([fault]);
}
