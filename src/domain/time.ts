/** Two clocks, named apart: `monotonicMs` for timeouts and durations, `wallMs` (since 1970) for what people read. */
export interface Now {
  readonly monotonicMs: number;
  readonly wallMs: number;
}
