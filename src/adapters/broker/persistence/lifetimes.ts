import type { Clock } from '../../../flows/ports.ts';

/**
 * The ends of messages' lifetimes. In memory they are times of the monotonic clock, because a change of the wall clock
 * must not end a message (D-04); on disk they are times of the wall clock, because the monotonic one starts anew.
 */
export class Lifetimes {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.now().monotonicMs;
  }

  /** Infinite for a message without an expiry. */
  endOf(expiryMs: number | null): number {
    return expiryMs === null ? Number.POSITIVE_INFINITY : this.nowMs() + expiryMs;
  }

  toDisk(expiresAtMs: number): number | undefined {
    if (expiresAtMs === Number.POSITIVE_INFINITY) return undefined;
    const { monotonicMs, wallMs } = this.#clock.now();
    return Math.round(wallMs + expiresAtMs - monotonicMs);
  }

  fromDisk(expiresAt: number | undefined): number {
    if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
    const { monotonicMs, wallMs } = this.#clock.now();
    return monotonicMs + expiresAt - wallMs;
  }
}
