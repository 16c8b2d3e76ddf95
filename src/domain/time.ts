/**
 * Two clocks, named apart: `monotonicMs` for timeouts and durations, `wallMs` (since 1970) for what people read. Both count
 * whole milliseconds, which are small enough to need no memory of their own wherever a duration is kept.
 */
export interface Now {
  readonly monotonicMs: number;
  readonly wallMs: number;
}
