/**
 * Whether a gateway is heard. `awaited`: it was not heard yet, and this central server has not run for long enough to
 * call that silence.
 */
export type Contact =
  | { readonly state: 'live' }
  | { readonly state: 'awaited' }
  /** `forMs`: since the last contact. */
  | { readonly state: 'silent'; readonly forMs: number };

export interface Heard {
  /** How long ago it was heard in this run, by the monotonic clock; null if it was not. */
  readonly agoMs: number | null;
  /** The same by the wall clock, of a later contact on disk: of the run before, or of another node; null without one. */
  readonly storedAgoMs: number | null;
  /** How long this central server has run. */
  readonly upMs: number;
}

/** The contact with a gateway. A stored contact in the future says nothing: the clock was set. */
export function contactOf({ agoMs, storedAgoMs, upMs }: Heard, silentAfterMs: number): Contact {
  const forMs = Math.min(agoMs ?? Infinity, storedAgoMs === null || storedAgoMs < 0 ? Infinity : storedAgoMs);
  if (forMs < silentAfterMs) return { state: 'live' };
  if (agoMs === null && upMs < silentAfterMs) return { state: 'awaited' };
  return { state: 'silent', forMs: Number.isFinite(forMs) ? forMs : upMs };
}
