import { CodedError } from '../domain/error.ts';
import { judgeClaim, NAME_TIMES, type NameRecord } from '../domain/sync/name-claim.ts';
import type { Clock, Incidents } from './ports.ts';
import type { NameStanding } from './receive-ports.ts';

export interface NameClaimsOptions {
  readonly store: { write(records: readonly NameRecord[]): Promise<void> };
  readonly incidents: Incidents;
  readonly clock: Clock;
}

/** Who brings a batch. */
export interface Claimer {
  readonly gatewayId: string;
  readonly stream: string;
  readonly principal: string;
}

/** Streams remembered as heard and as waiting, several of each of as many gateways as may send here. */
const MAX_STREAMS = 10_000;

/** Sees to it that one data directory at a time sends under a gateway's name (domain/sync/name-claim.ts). */
export class NameClaims {
  readonly #options: NameClaimsOptions;
  readonly #startedMs: number;
  readonly #heardMs = new Map<string, number>();
  readonly #waitingSinceMs = new Map<string, number>();

  constructor(options: NameClaimsOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now().monotonicMs;
  }

  /** The stream lives. One that waits for the name is not heard by this. */
  heard(gatewayId: string, stream: string): void {
    remember(this.#heardMs, keyOf(gatewayId, stream), this.#options.clock.now().monotonicMs);
  }

  /**
   * Resolves where the name is the claimer's, or becomes so with the batch it brings. Rejects with `held` where it may be
   * later, with `not-permitted` where a person has to say so first.
   */
  async require(claimer: Claimer, { holder, ...standing }: NameStanding): Promise<void> {
    if (holder === null) return;
    const { gatewayId, stream } = claimer;
    const nowMs = this.#options.clock.now().monotonicMs;
    const key = keyOf(gatewayId, stream);
    // After a start nobody was heard yet: everybody gets the time to be.
    const holderHeardMs = this.#heardMs.get(keyOf(gatewayId, holder)) ?? this.#startedMs;
    const waitingSinceMs = this.#waitingSinceMs.get(key) ?? null;
    switch (judgeClaim({ ...standing, holderHeardMs, waitingSinceMs }, nowMs)) {
      case 'take':
        this.#waitingSinceMs.delete(key);
        return;
      case 'wait':
        if (waitingSinceMs === null) remember(this.#waitingSinceMs, key, nowMs);
        throw new CodedError('held', waiting(claimer, holder));
      case 'refuse':
        if (!standing.isRefused) await this.#refuse(claimer);
        throw new CodedError('not-permitted', refusal(claimer));
    }
  }

  async #refuse(claimer: Claimer): Promise<void> {
    const { store, incidents, clock } = this.#options;
    const at = Math.round(clock.now().wallMs);
    await store.write([{ kind: 'nameRefused', ...claimer, at }]);
    const subject = `${claimer.gatewayId} (clone)`;
    incidents.report({ kind: 'sendingGateway', subject, detail: refusal(claimer) });
  }
}

function waiting({ gatewayId, stream }: Claimer, holder: string): string {
  const first = `gateway ${gatewayId} sends from another data directory (stream ${holder})`;
  return `${first}: stream ${stream} is taken once that one is silent for ${NAME_TIMES.silenceMs / 1_000} s`;
}

function refusal({ gatewayId, stream, principal }: Claimer): string {
  const two = `two data directories send as gateway ${gatewayId} (key of ${principal}): one is a copy of the other`;
  const remedy = 'give its gateway a gatewayId of its own, or the name to it with "plantgate gateways grant"';
  return `${two}. Stream ${stream} is refused: ${remedy}`;
}

function keyOf(gatewayId: string, stream: string): string {
  return JSON.stringify([gatewayId, stream]);
}

/** The one that was remembered longest ago goes where there are too many. */
function remember(times: Map<string, number>, key: string, nowMs: number): void {
  times.delete(key);
  times.set(key, nowMs);
  if (times.size <= MAX_STREAMS) return;
  const [oldest] = times.keys();
  if (oldest !== undefined) times.delete(oldest);
}
