import { BoundedCache } from '../domain/bounded-cache.ts';
import { errorMessage } from '../domain/error-text.ts';
import { TokenBuckets, type TokenBucketsOptions } from '../domain/token-buckets.ts';
import type { Clock, Log } from './ports.ts';

/** Tokens of a name that a node took; below 0, it gave them back. */
export interface Taken {
  readonly limit: string;
  readonly name: string;
  readonly tokens: number;
}

export interface TakenElsewhere extends Taken {
  readonly agoMs: number;
}

export interface LimitExchange {
  /**
   * Tells the other nodes what this one took, and resolves with what is new of them, in the order of time. What was taken
   * longer ago than a limit needs to be whole again is left out, and so are limits without such a time.
   */
  exchange(taken: readonly Taken[], wholeAfterMs: Readonly<Record<string, number>>): Promise<readonly TakenElsewhere[]>;
}

/** Gives the buckets of a limit, whose name is the same at every node. Opened again, it is the same limit. */
export type OpenLimit = (limit: string, options: TokenBucketsOptions) => TokenBuckets;

export interface SharedLimitsOptions {
  /** Null: no other node counts. */
  readonly exchange: LimitExchange | null;
  readonly clock: Clock;
  readonly log: Log;
}

interface Limit {
  readonly buckets: TokenBuckets;
  readonly wholeAfterMs: number;
  /** Tokens that were taken here since the last exchange. */
  readonly taken: BoundedCache<string, number>;
}

const EXCHANGE_EVERY_MS = 1_000;

/**
 * Limits that several nodes count together (D-113). Each node decides by its own buckets, at once, and takes from them
 * what the others took. What cannot be told is not told later: then each node counts for itself.
 */
export class SharedLimits {
  readonly #options: SharedLimitsOptions;
  readonly #limits = new Map<string, Limit>();
  #isExchanging = false;
  #isAway = false;

  constructor(options: SharedLimitsOptions) {
    this.#options = options;
  }

  readonly open: OpenLimit = (limit, options) => {
    const known = this.#limits.get(limit);
    if (known !== undefined) return known.buckets;
    const taken = new BoundedCache<string, number>(options.mostNames);
    const onTaken = (name: string, tokens: number) => taken.set(name, (taken.get(name) ?? 0) + tokens);
    const buckets = new TokenBuckets({ ...options, ...(this.#options.exchange !== null && { onTaken }) });
    this.#limits.set(limit, { buckets, wholeAfterMs: options.capacity * options.refillMs, taken });
    return buckets;
  };

  /** Begins to exchange, and gives a function that ends it. To be called once all limits are open. */
  start(): () => void {
    if (this.#options.exchange === null) return () => undefined;
    void this.exchange();
    const timer = setInterval(() => void this.exchange(), EXCHANGE_EVERY_MS).unref();
    return () => clearInterval(timer);
  }

  /** Exchanges once, if the other nodes can be asked. */
  async exchange(): Promise<void> {
    const { exchange, clock, log } = this.#options;
    if (exchange === null || this.#isExchanging) return;
    this.#isExchanging = true;
    try {
      const times = [...this.#limits].map(([limit, { wholeAfterMs }]) => [limit, wholeAfterMs] as const);
      const taken = await exchange.exchange(this.#takenSince(), Object.fromEntries(times));
      const nowMs = clock.now().monotonicMs;
      for (const { limit, name, tokens, agoMs } of taken) {
        this.#limits.get(limit)?.buckets.takenElsewhere(name, nowMs - agoMs, tokens);
      }
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) log.debug({ error: errorMessage(error) }, 'this node counts limits for itself');
      this.#isAway = true;
    } finally {
      this.#isExchanging = false;
    }
  }

  #takenSince(): readonly Taken[] {
    return [...this.#limits].flatMap(([limit, { taken }]) => {
      const rows = [...taken.entries()].map(([name, tokens]) => ({ limit, name, tokens }));
      taken.clear();
      return rows.filter(({ tokens }) => tokens !== 0);
    });
  }
}
