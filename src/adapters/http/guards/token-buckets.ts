import { LIMITS } from '../limits.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

/** For each name a set number of tokens at once, then one more every `refillMs`. */
export class TokenBuckets {
  readonly #capacity: number;
  readonly #refillMs: number;
  readonly #byName = new Map<string, Bucket>();

  constructor(capacity: number, refillMs: number) {
    this.#capacity = capacity;
    this.#refillMs = refillMs;
  }

  has(name: string, nowMs: number): boolean {
    return this.#tokens(name, nowMs) >= 1;
  }

  take(name: string, nowMs: number): void {
    const tokens = this.#tokens(name, nowMs) - 1;
    this.#byName.delete(name);
    this.#byName.set(name, { tokens, atMs: nowMs });
    if (this.#byName.size <= LIMITS.rememberedBuckets) return;
    const oldest = this.#byName.keys().next();
    if (oldest.done === false) this.#byName.delete(oldest.value);
  }

  #tokens(name: string, nowMs: number): number {
    const bucket = this.#byName.get(name);
    if (bucket === undefined) return this.#capacity;
    return Math.min(this.#capacity, bucket.tokens + (nowMs - bucket.atMs) / this.#refillMs);
  }
}
