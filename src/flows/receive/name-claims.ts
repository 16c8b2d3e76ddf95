import { BoundedCache } from '../../domain/bounded-cache.ts';
import { CodedError, foundText } from '../../domain/error.ts';
import {
  type Claimer,
  type GatewayStream,
  judgeClaim,
  NAME_TIMES,
  type NameRecord,
  type Presence,
} from '../../domain/sync/name-claim.ts';
import type { Now } from '../../domain/time.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { NameStanding } from './receive-ports.ts';

export interface NameClaimsOptions {
  readonly store: { write(records: readonly NameRecord[]): Promise<void> };
  readonly incidents: Incidents;
  readonly clock: Clock;
}

/**
 * Lets one data directory at a time send under a gateway's name (domain/sync/name-claim.ts). A decision is on disk
 * before any record of the stream is carried out.
 */
export class NameClaims {
  readonly #options: NameClaimsOptions;
  readonly presence: StreamPresence;

  constructor(options: NameClaimsOptions) {
    this.#options = options;
    this.presence = new StreamPresence(options.clock.now().monotonicMs);
  }

  /**
   * Resolves when the claimer has the name. Rejects with `held` if the claimer has to wait, and with `not-permitted` if
   * a person has to grant it the name. To be called in the turn of the gateway, like `grant`.
   */
  async require(claimer: Claimer, { holder, owner, isRefused }: NameStanding): Promise<void> {
    const { gatewayId, stream, principal } = claimer;
    const isOwnersKey = owner === null || owner === principal;
    if (holder === null || (holder === stream && owner === null)) {
      await this.#take(claimer);
      return;
    }
    if (holder === stream && isOwnersKey) return;
    const now = this.#options.clock.now();
    const waitingSinceMs = this.presence.waits(claimer, now);
    const holding = this.presence.of({ gatewayId, stream: holder, principal });
    const claim = { isRefused, isOwnersKey, holder: holding, waitingSinceMs };
    switch (judgeClaim(claim, now.monotonicMs)) {
      case 'take':
        await this.#take(claimer);
        this.presence.served(claimer);
        this.#report(claimer, succession(claimer, holder));
        return;
      case 'wait':
        this.#report(claimer, waiting(claimer, holder));
        throw new CodedError('held', waiting(claimer, holder));
      case 'refuse': {
        const reason = isOwnersKey ? refusal(claimer) : refusalOfOtherKey(claimer, owner ?? '');
        await this.#refuse(claimer, isRefused, reason);
        throw new CodedError('not-permitted', reason);
      }
    }
  }

  /**
   * Gives the name to the stream by the act of a person. Rejects with `conflict` if the stream was not heard lately.
   */
  async grant(claimer: Claimer): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const { gatewayId, stream, principal } = claimer;
    if (now.monotonicMs - this.presence.of(claimer).heardMs > NAME_TIMES.backWithinMs) {
      const expected = `one that was heard within ${NAME_TIMES.backWithinMs / 1_000} s: start its gateway first`;
      throw new CodedError('conflict', `stream: found ${foundText(stream)}, expected ${expected}`);
    }
    await store.write([{ kind: 'nameGranted', gatewayId, stream, principal, at: Math.round(now.wallMs) }]);
    this.presence.served(claimer);
    this.#report(claimer, `a person gave the name of gateway ${gatewayId} to stream ${stream} (key of ${principal})`);
  }

  async #take({ gatewayId, stream, principal }: Claimer): Promise<void> {
    await this.#options.store.write([{ kind: 'nameTaken', gatewayId, stream, principal }]);
  }

  async #refuse(claimer: Claimer, isKnown: boolean, reason: string): Promise<void> {
    const { gatewayId, stream, principal } = claimer;
    const { store, clock } = this.#options;
    const at = Math.round(clock.now().wallMs);
    if (!isKnown) await store.write([{ kind: 'nameRefused', gatewayId, stream, principal, at }]);
    this.#report(claimer, reason);
  }

  #report({ gatewayId, stream }: GatewayStream, detail: string): void {
    this.#options.incidents.report({ kind: 'sendingGateway', subject: `${gatewayId} (stream ${stream})`, detail });
  }
}

function whose({ gatewayId, principal }: Claimer): string {
  return `gateway ${gatewayId} (key of ${principal})`;
}

function succession(claimer: Claimer, holder: string): string {
  const change = `${whose(claimer)} starts its numbers again: stream ${claimer.stream} follows ${holder}`;
  const cause = 'which is silent. It was restored, copied or created again, or this central server was restored';
  return `${change}, ${cause}: what machines made between a copy and now may be counted again in the first shift after it`;
}

function waiting({ gatewayId, stream }: Claimer, holder: string): string {
  const first = `gateway ${gatewayId} sends from another data directory (stream ${holder})`;
  return `${first}: stream ${stream} is taken once that one is silent for ${NAME_TIMES.silenceMs / 1_000} s`;
}

function refusal(claimer: Claimer): string {
  const two = `two data directories send as ${whose(claimer)}: one is a copy, or both were given one name`;
  const remedy = 'give its gateway a gatewayId of its own, or the name to it with "plantgate gateways grant"';
  return `${two}. Stream ${claimer.stream} is refused: ${remedy}`;
}

function refusalOfOtherKey({ gatewayId, stream, principal }: Claimer, owner: string): string {
  const fault = `gateway ${gatewayId} belongs to ${owner}, and this key is one of ${principal}`;
  const remedy = `use a key of ${owner}, give this gateway a gatewayId of its own`;
  return `${fault}: ${remedy}, or give it the name with "plantgate gateways grant ${gatewayId} ${stream}"`;
}

/** The last contact with a stream, by both clocks. */
export interface HeardLast {
  readonly heardAt: number;
  readonly heardMs: number;
}

interface Seen extends Presence, HeardLast {
  /** The time at which it began to claim a name that another stream holds; null if it does not. */
  readonly waitingSinceMs: number | null;
}

/** The number of remembered streams: several for each of the gateways that may send here. */
const MAX_STREAMS = 10_000;

/**
 * The streams that were heard lately, with the owners of their keys (domain/sync/name-claim.ts). A key of another
 * principal cannot make a stream look alive.
 */
class StreamPresence {
  readonly #unheard: Presence;
  /** The stream that was silent for the longest is forgotten first. */
  readonly #seen = new BoundedCache<string, Seen>(MAX_STREAMS);
  #everybodyUntilMs = Number.NEGATIVE_INFINITY;

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
    this.#seen.set(key, { heardMs: monotonicMs, heardAt: wallMs, aliveUntilMs: monotonicMs + forMs, waitingSinceMs });
  }
}

function keyOf({ gatewayId, stream, principal }: Claimer): string {
  return JSON.stringify([gatewayId, stream, principal]);
}
