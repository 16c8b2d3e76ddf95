import { type Claimer, NAME_TIMES, type Presence } from '../../domain/sync/name-claim.ts';
import type { Now } from '../../domain/time.ts';

interface Seen extends Presence {
  /** In wall-clock milliseconds. */
  readonly heardAt: number;
  /** The time at which it began to claim a name that another stream holds; null if it does not. */
  readonly waitingSinceMs: number | null;
}

/** The number of remembered streams: several for each of the gateways that may send here. */
const MAX_STREAMS = 10_000;

/**
 * The streams that were heard lately, with the owners of their keys (domain/sync/name-claim.ts). A key of another
 * principal cannot make a stream look alive.
 */
export class StreamPresence {
  readonly #unheard: Presence;
  readonly #seen = new Map<string, Seen>();
  #everybodyUntilMs = Number.NEGATIVE_INFINITY;

  /** After a start no stream was heard yet: all get the time to come back. */
  constructor(startedMs: number) {
    this.#unheard = { heardMs: Number.NEGATIVE_INFINITY, aliveUntilMs: startedMs + NAME_TIMES.backWithinMs };
  }

  of(of: Claimer): Presence {
    const { heardMs, aliveUntilMs } = this.#seen.get(keyOf(of)) ?? this.#unheard;
    return { heardMs, aliveUntilMs: Math.max(aliveUntilMs, this.#everybodyUntilMs) };
  }

  /** The last time at which it was heard since the start, in wall-clock milliseconds; null if never. */
  heardAt(of: Claimer): number | null {
    return this.#seen.get(keyOf(of))?.heardAt ?? null;
  }

  /** Notes that the stream was answered, or is about to be. */
  heard(of: Claimer, now: Now): void {
    this.#note(of, now, NAME_TIMES.silenceMs);
  }

  /** Notes that the stream could not be served at present, and will come back. */
  putOff(of: Claimer, now: Now): void {
    this.#note(of, now, NAME_TIMES.backWithinMs);
  }

  /** Notes that every stream was asked to come back later: silence proves nothing for `backWithinMs`. */
  putEverybodyOff({ monotonicMs }: Now): void {
    this.#everybodyUntilMs = monotonicMs + NAME_TIMES.backWithinMs;
  }

  /** Notes that it does not claim another stream's name any more. */
  served(of: Claimer): void {
    const key = keyOf(of);
    const seen = this.#seen.get(key);
    if (seen !== undefined) this.#seen.set(key, { ...seen, waitingSinceMs: null });
  }

  /**
   * Notes a claim on a name that another stream holds. Gives the time since which it has claimed it without a longer
   * pause; null for the first time.
   */
  waits(of: Claimer, { monotonicMs }: Now): number | null {
    const key = keyOf(of);
    const seen = this.#seen.get(key);
    if (seen === undefined || seen.waitingSinceMs !== null) return seen?.waitingSinceMs ?? null;
    this.#seen.set(key, { ...seen, waitingSinceMs: monotonicMs });
    return null;
  }

  #note(of: Claimer, { monotonicMs, wallMs }: Now, forMs: number): void {
    const key = keyOf(of);
    const before = this.#seen.get(key);
    const isBackInTime = before !== undefined && monotonicMs - before.heardMs <= NAME_TIMES.backWithinMs;
    const waitingSinceMs = isBackInTime ? before.waitingSinceMs : null;
    this.#seen.delete(key);
    this.#seen.set(key, { heardMs: monotonicMs, heardAt: wallMs, aliveUntilMs: monotonicMs + forMs, waitingSinceMs });
    if (this.#seen.size <= MAX_STREAMS) return;
    // The stream that was silent for the longest.
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}

function keyOf({ gatewayId, stream, principal }: Claimer): string {
  return JSON.stringify([gatewayId, stream, principal]);
}
