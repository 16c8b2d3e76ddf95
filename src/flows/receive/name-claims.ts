import { CodedError, foundText } from '../../domain/error.ts';
import {
  type Claimer,
  type GatewayStream,
  judgeClaim,
  NAME_TIMES,
  type NameRecord,
  type Sender,
} from '../../domain/sync/name-claim.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { NameStanding, PresenceExchange } from './receive-ports.ts';
import { StreamPresence } from './stream-presence.ts';

export interface NameClaimsOptions {
  readonly store: { write(records: readonly NameRecord[]): Promise<void> };
  readonly incidents: Incidents;
  readonly clock: Clock;
  /** Null: this is the only node. */
  readonly exchange: PresenceExchange | null;
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
  async require(claimer: Sender, { holder, owner, plantId, isRefused }: NameStanding): Promise<void> {
    const { gatewayId, stream, principal } = claimer;
    const isOwnersKey = owner === null || owner === principal;
    if (holder === null || (holder === stream && owner === null)) {
      await this.#take(claimer);
      return;
    }
    if (holder === stream && isOwnersKey) {
      // Its key may be for another plant than before.
      if (plantId !== claimer.plantId) await this.#take(claimer);
      return;
    }
    const now = this.#options.clock.now();
    await this.#learn(claimer);
    const waitingSinceMs = this.presence.waits(claimer, now);
    await this.#options.exchange?.tellWaiting(claimer, true);
    const holding = this.presence.of({ gatewayId, stream: holder, principal });
    const claim = { isRefused, isOwnersKey, holder: holding, waitingSinceMs };
    switch (judgeClaim(claim, now.monotonicMs)) {
      case 'take':
        await this.#take(claimer);
        await this.#served(claimer);
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
    await this.#learn(claimer);
    if (now.monotonicMs - this.presence.of(claimer).heardMs > NAME_TIMES.backWithinMs) {
      const expected = `one that was heard within ${NAME_TIMES.backWithinMs / 1_000} s: start its gateway first`;
      throw new CodedError('conflict', `stream: found ${foundText(stream)}, expected ${expected}`);
    }
    await store.write([{ kind: 'nameGranted', gatewayId, stream, principal, at: Math.round(now.wallMs) }]);
    await this.#served(claimer);
    this.#report(claimer, `a person gave the name of gateway ${gatewayId} to stream ${stream} (key of ${principal})`);
  }

  /** Other nodes hear other streams: asks them, and tells them of the claimer, before a name is judged. */
  async #learn(claimer: Claimer): Promise<void> {
    const { exchange, clock } = this.#options;
    if (exchange === null) return;
    const now = clock.now();
    this.presence.learn(await exchange.sightings(claimer.gatewayId), now);
    await exchange.tell(this.presence.sightingsOf([claimer], now));
  }

  async #served(claimer: Claimer): Promise<void> {
    this.presence.served(claimer);
    await this.#options.exchange?.tellWaiting(claimer, false);
  }

  async #take({ gatewayId, stream, principal, plantId }: Sender): Promise<void> {
    await this.#options.store.write([{ kind: 'nameTaken', gatewayId, stream, principal, plantId }]);
  }

  async #refuse(claimer: Claimer, isKnown: boolean, reason: string): Promise<void> {
    const { gatewayId, stream, principal } = claimer;
    const { store, clock } = this.#options;
    const at = Math.round(clock.now().wallMs);
    if (!isKnown) await store.write([{ kind: 'nameRefused', gatewayId, stream, principal, at }]);
    this.#report(claimer, reason);
  }

  #report({ gatewayId, stream }: GatewayStream, detail: string): void {
    const subject = `${gatewayId} (stream ${stream})`;
    this.#options.incidents.report({ kind: 'sendingGateway', subject, gatewayId, detail });
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
