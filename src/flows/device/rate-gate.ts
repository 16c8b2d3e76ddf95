/** A little less than a second, so that a device at exactly its limit loses no message to network jitter. */
const WINDOW_MS = 950;

/** Lets a set number of messages of one device pass in any second, all at once if need be (DEV-18). */
export class RateGate {
  /** The times of the last passed messages, as a ring: the oldest is overwritten next. */
  readonly #passedMs: Float64Array;
  #oldest = 0;

  constructor(perSecond: number) {
    this.#passedMs = new Float64Array(Math.max(1, Math.round(perSecond))).fill(Number.NEGATIVE_INFINITY);
  }

  /** Whether one more may pass now; it is counted if so. */
  pass(monotonicMs: number): boolean {
    const oldestMs = this.#passedMs[this.#oldest] ?? 0;
    if (monotonicMs - oldestMs < WINDOW_MS) return false;
    this.#passedMs[this.#oldest] = monotonicMs;
    this.#oldest = (this.#oldest + 1) % this.#passedMs.length;
    return true;
  }
}
