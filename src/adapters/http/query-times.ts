import { type Fault, foundText, invalidInput } from '../../domain/error.ts';
import type { TimeRange } from '../../flows/ports.ts';
import { LIMITS } from './limits.ts';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const TIME_RULE = 'a time as 2026-03-04T08:00:00Z';

/** A time as wall-clock milliseconds. Throws `invalid-input` for anything but ISO 8601 with a zone. */
export function readTime(path: string, text: string): number {
  // A `+` that was not percent-encoded arrives as a blank.
  const time = text.replace(' ', '+');
  const milliseconds = ISO_TIME.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw invalidInput([{ path, found: foundText(text), expected: TIME_RULE }]);
  return milliseconds;
}

/** `from` and `to` of a query. Without `to`: up to now; without `from`: a day back. */
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
