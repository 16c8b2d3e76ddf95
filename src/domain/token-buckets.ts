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

/** For each name `capacity` tokens at once, then one more every `refillMs`. */
export class TokenBuckets {
  readonly #options: TokenBucketsOptions;
  readonly #byName = new Map<string, Bucket>();

  constructor(options: TokenBucketsOptions) {
    this.#options = options;
  }

  has(name: string, nowMs: number): boolean {
    return this.#tokens(name, nowMs) >= 1;
  }

  /** Takes a token, also where none is left. */
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
