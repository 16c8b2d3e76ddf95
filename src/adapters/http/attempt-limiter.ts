import { LIMITS } from './limits.ts';

interface Attempts {
  left: number;
  atMs: number;
}

/** Slows down an address that keeps trying wrong keys: a few at once, then one at a time. */
export class AttemptLimiter {
  readonly #byAddress = new Map<string, Attempts>();

  /** Whether the address may try once more. */
  mayTry(address: string, nowMs: number): boolean {
    const attempts = this.#byAddress.get(address);
    return attempts === undefined || refilled(attempts, nowMs) >= 1;
  }

  noteFailure(address: string, nowMs: number): void {
    const attempts = this.#byAddress.get(address);
    const left = attempts === undefined ? LIMITS.failedAttempts : refilled(attempts, nowMs);
    this.#byAddress.delete(address);
    this.#byAddress.set(address, { left: left - 1, atMs: nowMs });
    if (this.#byAddress.size <= LIMITS.rememberedAddresses) return;
    const oldest = this.#byAddress.keys().next();
    if (oldest.done === false) this.#byAddress.delete(oldest.value);
  }
}

function refilled({ left, atMs }: Attempts, nowMs: number): number {
  return Math.min(LIMITS.failedAttempts, left + (nowMs - atMs) / LIMITS.failedAttemptRefillMs);
}
