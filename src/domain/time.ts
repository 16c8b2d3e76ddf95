/**
 * Two clocks with different names: `monotonicMs` for timeouts and durations, `wallMs` (since 1970) for people. Both
 * count whole milliseconds, because V8 stores small integers without extra memory.
 */
export interface Now {
  readonly monotonicMs: number;
  readonly wallMs: number;
}
