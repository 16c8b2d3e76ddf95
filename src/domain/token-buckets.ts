import { BoundedCache } from './bounded-cache.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

export interface TokenBucketsOptions {
  readonly capacity: number;
  readonly refillMs: number;
  /** Names that are remembered at once. Beyond it the one that took none for the longest is forgotten. */
  readonly mostNames: number;
  /** Hears of tokens that are taken here; below 0, they are given back. */
  readonly onTaken?: (name: string, tokens: number) => void;
}

/** Gives each name `capacity` tokens at first, and one more every `refillMs` until it has `capacity` again. */
export class TokenBuckets {
  readonly #options: TokenBucketsOptions;
  readonly #byName: BoundedCache<string, Bucket>;

  constructor(options: TokenBucketsOptions) {
    this.#options = options;
    this.#byName = new BoundedCache(options.mostNames);
  }

  has(name: string, nowMs: number): boolean {
    return this.#tokens(name, nowMs) >= 1;
  }

  /** Takes a token, even if none is left. Then the count falls below 0, and the next token takes longer. */
  take(name: string, nowMs: number): void {
    this.takenElsewhere(name, nowMs, 1);
    this.#options.onTaken?.(name, 1);
  }

  /** Takes tokens that other buckets of this name gave; below 0, they were given back. Times may come in any order. */
  takenElsewhere(name: string, atMs: number, taken: number): void {
    const tokens = Math.min(this.#options.capacity, this.#tokens(name, atMs) - taken);
    this.#byName.set(name, { tokens, atMs });
  }

  /** Takes a token if one is left; false if none is. */
  tryTake(name: string, nowMs: number): boolean {
    if (!this.has(name, nowMs)) return false;
    this.take(name, nowMs);
    return true;
  }

  /** Whether this name took a token before. */
  remembers(name: string): boolean {
    return this.#byName.get(name) !== undefined;
  }

  /** Gives this name all its tokens back. */
  forget(name: string): void {
    const bucket = this.#byName.get(name);
    if (bucket === undefined) return;
    this.#byName.delete(name);
    this.#options.onTaken?.(name, bucket.tokens - this.#options.capacity);
  }

  #tokens(name: string, nowMs: number): number {
    const { capacity, refillMs } = this.#options;
    const bucket = this.#byName.get(name);
    if (bucket === undefined) return capacity;
    return Math.min(capacity, bucket.tokens + (nowMs - bucket.atMs) / refillMs);
  }
}
