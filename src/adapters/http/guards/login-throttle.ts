import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../../domain/error.ts';
import { TokenBuckets, type TokenBucketsOptions } from '../../../domain/token-buckets.ts';
import type { Clock } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';

/** The wrong secrets that an address may send at once, and the time for one more. */
export const FAILED_ATTEMPTS: TokenBucketsOptions = {
  capacity: LIMITS.failedAttempts,
  refillMs: LIMITS.failedAttemptRefillMs,
  mostNames: LIMITS.rememberedBuckets,
};

/**
 * Slows guessing down: an address that was wrong too often waits before its next secret is compared. If too many wait,
 * further ones are not compared.
 */
export class LoginThrottle {
  readonly #attempts: TokenBuckets;
  readonly #waiting = new Map<string, number>();

  constructor(attempts = new TokenBuckets(FAILED_ATTEMPTS)) {
    this.#attempts = attempts;
  }

  /** Compares the secret of an attempt to sign in. Too many wrong ones from an address are refused with `tooMany()`. */
  async attempt<T>(address: string, clock: Clock, tooMany: () => CodedError, compare: () => Promise<T>): Promise<T> {
    const nowMs = clock.now().monotonicMs;
    if (!(await this.pass(address, nowMs))) throw tooMany();
    try {
      return await compare();
    } catch (error) {
      if (error instanceof CodedError && error.code === 'unauthenticated') this.wrong(address, nowMs);
      throw error;
    }
  }

  /** Resolves with true when a secret from this address may be compared, and with false if it may not. */
  async pass(address: string, nowMs: number): Promise<boolean> {
    if (this.#attempts.has(address, nowMs)) return true;
    const waiting = this.#waiting.get(address) ?? 0;
    if (waiting >= LIMITS.slowedAttempts) return false;
    this.#waiting.set(address, waiting + 1);
    await sleep(LIMITS.slowedAttemptMs, undefined, { ref: false });
    const left = (this.#waiting.get(address) ?? 1) - 1;
    if (left > 0) this.#waiting.set(address, left);
    else this.#waiting.delete(address);
    return true;
  }

  wrong(address: string, nowMs: number): void {
    this.#attempts.take(address, nowMs);
  }
}

/** The refusal of a key that was not compared, so it does not call the key wrong. `keys` names the kind of key. */
export function tooManyWrong(keys: 'API keys' | 'registration keys'): CodedError {
  const message = `too many wrong ${keys} came from this address: wait a few seconds, then try again`;
  return new CodedError('rate-limited', message);
}
