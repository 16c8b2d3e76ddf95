import { BoundedCache } from '../../domain/bounded-cache.ts';
import { type Claimer, NAME_TIMES, type Presence } from '../../domain/sync/name-claim.ts';
import type { Now } from '../../domain/time.ts';
import type { StreamSighting } from './receive-ports.ts';

/** The last contact with a stream, by both clocks. */
export interface HeardLast {
  readonly heardAt: number;
  readonly heardMs: number;
}

interface Seen extends Presence, HeardLast {
  /** The time at which it began to claim a name that another stream holds; null if it does not. */
  readonly waitingSinceMs: number | null;
}

/** In place of a stream: all streams were put off. */
const EVERY_STREAM: Claimer = { gatewayId: '', stream: '', principal: '' };
/** The number of remembered streams: several for each of the gateways that may send here. */
const MAX_STREAMS = 10_000;

/**
 * The streams that were heard lately, with the owners of their keys (domain/sync/name-claim.ts). A key of another
 * principal cannot make a stream look alive.
 */
export class StreamPresence {
  readonly #unheard: Presence;
  /** The stream that was silent for the longest is forgotten first. */
  readonly #seen = new BoundedCache<string, Seen>(MAX_STREAMS);
  #everybodyUntilMs = Number.NEGATIVE_INFINITY;
  /** Heard since they were told to other nodes. */
  #untold = new Map<string, Claimer>();

  /** After a start no stream was heard yet: all get the time to come back. */
  constructor(startedMs: number) {
    this.#unheard = { heardMs: Number.NEGATIVE_INFINITY, aliveUntilMs: startedMs + NAME_TIMES.backWithinMs };
  }

  of(of: Claimer): Presence {
    const { heardMs, aliveUntilMs } = this.#seen.get(keyOf(of)) ?? this.#unheard;
    return { heardMs, aliveUntilMs: Math.max(aliveUntilMs, this.#everybodyUntilMs) };
  }

  /** The last time at which it was heard since the start; null if never. */
  heardLast(of: Claimer): HeardLast | null {
    return this.#seen.get(keyOf(of)) ?? null;
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
  putEverybodyOff(now: Now): void {
    this.#everybodyUntilMs = now.monotonicMs + NAME_TIMES.backWithinMs;
    this.putOff(EVERY_STREAM, now);
  }

  /** What other nodes were not told yet. */
  news(now: Now): readonly StreamSighting[] {
    const untold = [...this.#untold.values()];
    this.#untold = new Map();
    return this.sightingsOf(untold, now);
  }

  /** They could not be told. */
  keepUntold(claimers: readonly Claimer[]): void {
    for (const of of claimers) this.#untold.set(keyOf(of), of);
  }

  sightingsOf(claimers: readonly Claimer[], { monotonicMs }: Now): readonly StreamSighting[] {
    return claimers.flatMap(({ gatewayId, stream, principal }) => {
      const seen = this.#seen.get(keyOf({ gatewayId, stream, principal }));
      if (seen === undefined) return [];
      const { heardMs, aliveUntilMs, waitingSinceMs } = seen;
      const waitingForMs = waitingSinceMs === null ? null : monotonicMs - waitingSinceMs;
      const times = { heardAgoMs: monotonicMs - heardMs, aliveForMs: aliveUntilMs - monotonicMs, waitingForMs };
      return [{ gatewayId, stream, principal, ...times }];
    });
  }

  /** Streams as other nodes heard them: the later contact counts, and the earlier claim. */
  learn(sightings: readonly StreamSighting[], { monotonicMs, wallMs }: Now): void {
    for (const { heardAgoMs, aliveForMs, waitingForMs, ...of } of sightings) {
      const aliveUntilMs = monotonicMs + aliveForMs;
      if (of.gatewayId === EVERY_STREAM.gatewayId) {
        this.#everybodyUntilMs = Math.max(this.#everybodyUntilMs, aliveUntilMs);
        continue;
      }
      const before = this.#seen.get(keyOf(of));
      const heard = { heardMs: monotonicMs - heardAgoMs, heardAt: wallMs - heardAgoMs };
      const { heardMs, heardAt } = before !== undefined && before.heardMs > heard.heardMs ? before : heard;
      const told = waitingForMs === null ? null : monotonicMs - waitingForMs;
      const waitingSinceMs = earlier(before?.waitingSinceMs ?? null, told);
      const until = Math.max(aliveUntilMs, before?.aliveUntilMs ?? aliveUntilMs);
      this.#seen.set(keyOf(of), { heardMs, heardAt, aliveUntilMs: until, waitingSinceMs });
    }
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
    this.#seen.set(key, { heardMs: monotonicMs, heardAt: wallMs, aliveUntilMs: monotonicMs + forMs, waitingSinceMs });
    this.#untold.set(key, of);
  }
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function keyOf({ gatewayId, stream, principal }: Claimer): string {
  return JSON.stringify([gatewayId, stream, principal]);
}
