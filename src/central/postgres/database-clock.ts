import type { Now } from '../../domain/time.ts';
import type { Clock } from '../../flows/ports.ts';
import type { Postgres } from './postgres.ts';

/** As for the clock of a gateway. */
export const MAX_DIFFERENCE_MS = 5_000;
/** The present time of the database in wall-clock milliseconds, as a part of a query. */
export const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::float8';
const LOOK = `SELECT pg_is_in_recovery() AS "isStandby", ${DATABASE_NOW} AS "wallMs"`;

interface Look {
  readonly isStandby: boolean;
  readonly wallMs: number;
}

/**
 * The time by which the nodes of a database judge gateways (D-103): the clock of this node, or that of the database where
 * they differ by more than the way of a question explains.
 */
export class DatabaseClock implements Clock {
  readonly #own: Clock;
  /** The database's time less the monotonic clock here, so that a node whose clock is set knows it at once. Null: not known yet. */
  #found: { readonly offsetMs: number; readonly withinMs: number } | null = null;

  constructor(own: Clock) {
    this.#own = own;
  }

  now(): Now {
    const own = this.#own.now();
    const aheadMs = this.#aheadMs(own);
    return aheadMs === 0 ? own : { ...own, wallMs: Math.round(own.wallMs - aheadMs) };
  }

  /** How far this node's clock is off, and what to do, in words; empty: not far. */
  get risks(): readonly string[] {
    const aheadMs = this.#aheadMs(this.#own.now());
    if (aheadMs === 0) return [];
    const found = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database`;
    return [`clock: found ${found}, expected at most ${MAX_DIFFERENCE_MS / 1_000} s: set both computers by NTP`];
  }

  /** Compares the clocks. The same question tells whether the database is a standby that takes no writes, which it gives. */
  async compare(postgres: Postgres): Promise<boolean> {
    const startedMs = this.#own.now().monotonicMs;
    const [look] = await postgres.query<Look>(LOOK);
    if (look === undefined) return false;
    const withinMs = (this.#own.now().monotonicMs - startedMs) / 2;
    this.#found = { offsetMs: look.wallMs - startedMs - withinMs, withinMs };
    return look.isStandby;
  }

  /** 0 if the difference is small. */
  #aheadMs({ monotonicMs, wallMs }: Now): number {
    if (this.#found === null) return 0;
    const { offsetMs, withinMs } = this.#found;
    const aheadMs = wallMs - monotonicMs - offsetMs;
    return Math.abs(aheadMs) - withinMs > MAX_DIFFERENCE_MS ? aheadMs : 0;
  }
}
