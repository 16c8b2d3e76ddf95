import { CodedError, foundText } from '../domain/error.ts';
import { type GatewayStream, judgeClaim, NAME_TIMES, type NameRecord } from '../domain/sync/name-claim.ts';
import type { Clock, Incidents } from './ports.ts';
import type { NameStanding } from './receive-ports.ts';
import { StreamPresence } from './stream-presence.ts';

export interface NameClaimsOptions {
  readonly store: { write(records: readonly NameRecord[]): Promise<void> };
  readonly incidents: Incidents;
  readonly clock: Clock;
}

/** Who brings a batch, and with whose key. */
export interface Claimer extends GatewayStream {
  readonly principal: string;
}

/**
 * Sees to it that one data directory at a time sends under a gateway's name (domain/sync/name-claim.ts). What is decided is
 * on disk before anything of the stream is carried out.
 */
export class NameClaims {
  readonly #options: NameClaimsOptions;
  readonly presence: StreamPresence;

  constructor(options: NameClaimsOptions) {
    this.#options = options;
    this.presence = new StreamPresence(options.clock.now().monotonicMs);
  }

  /**
   * Resolves where the name is the claimer's, or has become so. Rejects with `held` where it may be later, with
   * `not-permitted` where a person has to say so first. To be asked in the turn of the gateway, as `grant` is.
   */
  async require(claimer: Claimer, { holder, isRefused }: NameStanding): Promise<void> {
    const { gatewayId, stream } = claimer;
    if (holder === stream) return;
    if (holder === null) {
      await this.#options.store.write([{ kind: 'nameTaken', gatewayId, stream }]);
      return;
    }
    const now = this.#options.clock.now();
    const waitingSinceMs = this.presence.waits(claimer, now);
    const claim = { isRefused, holder: this.presence.of({ gatewayId, stream: holder }), waitingSinceMs };
    switch (judgeClaim(claim, now.monotonicMs)) {
      case 'take':
        await this.#options.store.write([{ kind: 'nameTaken', gatewayId, stream }]);
        this.presence.served(claimer);
        this.#report(claimer, succession(claimer, holder));
        return;
      case 'wait':
        this.#report(claimer, waiting(claimer, holder));
        throw new CodedError('held', waiting(claimer, holder));
      case 'refuse':
        await this.#refuse(claimer, isRefused);
        throw new CodedError('not-permitted', refusal(claimer));
    }
  }

  /** A person says that the stream is the gateway's. Rejects with `conflict` where it is not there to take the name. */
  async grant(of: GatewayStream): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const { gatewayId, stream } = of;
    if (now.monotonicMs - this.presence.of(of).heardMs > NAME_TIMES.backWithinMs) {
      const expected = `one that was heard within ${NAME_TIMES.backWithinMs / 1_000} s: start its gateway first`;
      throw new CodedError('conflict', `stream: found ${foundText(stream)}, expected ${expected}`);
    }
    await store.write([{ kind: 'nameGranted', gatewayId, stream, at: Math.round(now.wallMs) }]);
    this.presence.served(of);
    this.#report(of, `a person gave the name of gateway ${gatewayId} to stream ${stream}`);
  }

  async #refuse(claimer: Claimer, isKnown: boolean): Promise<void> {
    const { gatewayId, stream, principal } = claimer;
    const { store, clock } = this.#options;
    const at = Math.round(clock.now().wallMs);
    if (!isKnown) await store.write([{ kind: 'nameRefused', gatewayId, stream, principal, at }]);
    this.#report(claimer, refusal(claimer));
  }

  #report({ gatewayId, stream }: GatewayStream, detail: string): void {
    this.#options.incidents.report({ kind: 'sendingGateway', subject: `${gatewayId} (stream ${stream})`, detail });
  }
}

function whose({ gatewayId, principal }: Claimer): string {
  return `gateway ${gatewayId} (key of ${principal})`;
}

function succession(claimer: Claimer, holder: string): string {
  const change = `${whose(claimer)} numbers anew: stream ${claimer.stream} follows ${holder}`;
  const cause = 'which is silent. It was restored, copied or made anew, or this central server was restored';
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
