interface Bucket {
  tokens: number;
  atMs: number;
}

export interface TokenBucketsOptions {
  readonly capacity: number;
  readonly refillMs: number;
  /** Names that are remembered at once. Beyond it the one that took none for the longest is forgotten. */
  readonly mostNames: number;
}

/** Gives each name `capacity` tokens at first, and one more every `refillMs` until it has `capacity` again. */
export class TokenBuckets {
  readonly #options: TokenBucketsOptions;
  readonly #byName = new Map<string, Bucket>();

  constructor(options: TokenBucketsOptions) {
    this.#options = options;
  }

  has(name: string, nowMs: number): boolean {
    return this.#tokens(name, nowMs) >= 1;
  }

  /** Takes a token, even if none is left. Then the count falls below 0, and the next token takes longer. */
  take(name: string, nowMs: number): void {
    const tokens = this.#tokens(name, nowMs) - 1;
    this.#byName.delete(name);
    this.#byName.set(name, { tokens, atMs: nowMs });
    if (this.#byName.size <= this.#options.mostNames) return;
    const oldest = this.#byName.keys().next();
    if (oldest.done === false) this.#byName.delete(oldest.value);
  }

  /** Whether this name took a token before. */
  remembers(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Gives this name all its tokens back. */
  forget(name: string): void {
    this.#byName.delete(name);
  }

  #tokens(name: string, nowMs: number): number {
    const { capacity, refillMs } = this.#options;
    const bucket = this.#byName.get(name);
    if (bucket === undefined) return capacity;
    return Math.min(capacity, bucket.tokens + (nowMs - bucket.atMs) / refillMs);
  }
}
