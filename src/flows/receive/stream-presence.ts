import { type Claimer, NAME_TIMES, type Presence } from '../../domain/sync/name-claim.ts';
import type { Now } from '../../domain/time.ts';

interface Seen extends Presence {
  /** In wall-clock milliseconds. */
  readonly heardAt: number;
  /** The time at which it began to claim a name that another stream holds; null if it does not. */
  readonly waitingSinceMs: number | null;
}

/** Streams remembered, several of each of as many gateways as may send here. */
const MAX_STREAMS = 10_000;

/**
 * Which streams were heard lately, and with whose key (domain/sync/name-claim.ts). A key of another principal cannot make a
 * stream look alive.
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

  /** When it was heard last since the start, in wall-clock milliseconds; null: never. */
  heardAt(of: Claimer): number | null {
    return this.#seen.get(keyOf(of))?.heardAt ?? null;
  }

  /** It was answered, or is about to be. */
  heard(of: Claimer, now: Now): void {
    this.#note(of, now, NAME_TIMES.silenceMs);
  }

  /** It could not be served at present, and comes back. */
  putOff(of: Claimer, now: Now): void {
    this.#note(of, now, NAME_TIMES.backWithinMs);
  }

  /** Every client is told to come again. */
  putEverybodyOff({ monotonicMs }: Now): void {
    this.#everybodyUntilMs = monotonicMs + NAME_TIMES.backWithinMs;
  }

  /** It does not claim another stream's name any more. */
  served(of: Claimer): void {
    const key = keyOf(of);
    const seen = this.#seen.get(key);
    if (seen !== undefined) this.#seen.set(key, { ...seen, waitingSinceMs: null });
  }

  /** It claims a name that another stream holds. Gives since when it has, without a longer pause; null for the first time. */
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
    // The one that was silent for longest.
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}

function keyOf({ gatewayId, stream, principal }: Claimer): string {
  return JSON.stringify([gatewayId, stream, principal]);
}
