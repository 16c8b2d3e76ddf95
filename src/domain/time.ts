/**
 * Two clocks with different names: `monotonicMs` for timeouts and durations, `wallMs` (since 1970) for people. Both
 * count whole milliseconds, because V8 stores small integers without extra memory.
 */
export interface Now {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** A day without a change of the clocks. */
export const DAY_MS = 24 * HOUR_MS;

/** A date YYYY-MM-DD as days since 1970. */
export function dayNumber(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
}

/** Dates as the local API shows them: ISO 8601 with Z. */
export function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}

/** A date as the local API shows it; null stays null. */
export function isoTimeOrNull(wallMs: number | null): string | null {
  return wallMs === null ? null : isoTime(wallMs);
}
