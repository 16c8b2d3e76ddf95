import { CodedError, type ErrorCode } from '../../domain/error.ts';
import type { BatchAnswer } from '../../domain/sync/batch.ts';
import type { Claimer, Sender } from '../../domain/sync/name-claim.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import { NameClaims } from './name-claims.ts';
import type {
  BatchBody,
  BatchOutcome,
  BatchReading,
  GatewayTurns,
  OperationPage,
  PresenceExchange,
  ReceiveCounters,
} from './receive-ports.ts';
import type { ReceivedOperationsFlow } from './received-operations-flow.ts';
import type { HeardLast } from './stream-presence.ts';

export interface BatchReceiverOptions {
  readonly store: Pick<Store, 'readBatch' | 'judgeBatch' | 'applyBatch' | 'batchOperations' | 'dropBatch' | 'write'>;
  /** The business of a plant, which the operations of its gateways change. Throws `not-permitted` if it is not there. */
  readonly operationsIn: (plantId: string) => Pick<ReceivedOperationsFlow, 'carryOut' | 'known'>;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly turns: GatewayTurns;
  /** Null: this is the only node. */
  readonly exchange: PresenceExchange | null;
}

/** The number of readings of a batch if the store lost it. */
const MAX_READINGS = 3;

const FAULTS: Readonly<Record<Extract<BatchReading, { kind: 'refused' }>['fault'], ErrorCode>> = {
  malformed: 'invalid-input',
  tooLarge: 'too-large',
  busy: 'rate-limited',
};

/** The principal and the plant of a gateway, as its API key gives them. */
type SenderKey = Pick<Sender, 'principal' | 'plantId'>;

type Settled = Exclude<BatchOutcome, { kind: 'gone' }>;

/**
 * Takes the batches of other gateways (contract.md, Upstream; D-27): first its operations, one by one through this
 * gateway's own rules, then all the rest of it at once. Batches of one gateway take turns; batches of several gateways
 * go side by side. A batch that was not answered is sent again unchanged: the done parts are recognised by its digest
 * or by its operation ids.
 */
export class BatchReceiver {
  readonly #options: BatchReceiverOptions;
  readonly #names: NameClaims;
  readonly #counters = { records: 0, refused: 0, applied: 0, repeated: 0, diverged: 0, failed: 0 };

  constructor(options: BatchReceiverOptions) {
    this.#options = options;
    this.#names = new NameClaims(options);
  }

  /**
   * Resolves once the whole batch is on disk, or was before. Rejects with `conflict` if it does not follow the received
   * batches, with `not-permitted` if another data directory has the gateway's name, with `invalid-input`, `too-large`,
   * and with errors after which the sender tries again: `rate-limited`, `store-unavailable`, `held`.
   */
  async receive(body: BatchBody, key: SenderKey): Promise<BatchAnswer> {
    try {
      return await this.#receive(body, key);
    } catch (error) {
      if (!isConflict(error)) this.#counters.failed += 1;
      throw error;
    }
  }

  /** Takes the sign of life of a gateway that has nothing to send. */
  heard(claimer: Claimer): void {
    this.#names.presence.heard(claimer, this.#options.clock.now());
  }

  /** The last time at which a stream was heard since the start; null if never. */
  heardLast(claimer: Claimer): HeardLast | null {
    return this.#names.presence.heardLast(claimer);
  }

  /** Works in the gateway's turn, so that no batch is judged before the grant and applied after it. */
  grant(claimer: Claimer): Promise<void> {
    return this.#options.turns.runExclusive(claimer.gatewayId, () => this.#names.grant(claimer));
  }

  /** Does something to a gateway between two of its batches. */
  inTurn(gatewayId: string, act: () => Promise<void>): Promise<void> {
    return this.#options.turns.runExclusive(gatewayId, act);
  }

  /** Tells the other nodes which streams were heard since the last call. */
  async tellHeard(): Promise<void> {
    const { exchange, clock } = this.#options;
    const { presence } = this.#names;
    const news = presence.news(clock.now());
    if (news.length === 0) return;
    try {
      await exchange?.tell(news);
    } catch (error) {
      presence.keepUntold(news);
      throw error;
    }
  }

  counters(): ReceiveCounters {
    return { ...this.#counters };
  }

  async #receive(body: BatchBody, key: SenderKey): Promise<BatchAnswer> {
    const { store, turns } = this.#options;
    for (let readings = 0; readings < MAX_READINGS; readings += 1) {
      const reading = await store.readBatch(body);
      if (reading.kind === 'refused') {
        if (reading.fault === 'busy') this.#names.presence.putEverybodyOff(this.#options.clock.now());
        throw new CodedError(FAULTS[reading.fault], reading.reason);
      }
      const { ticket, gatewayId, stream } = reading;
      const claimer = { gatewayId, stream, ...key };
      try {
        const outcome = await turns.runExclusive(gatewayId, () => this.#take(ticket, claimer));
        if (outcome.kind !== 'gone') return this.#answer(outcome);
      } catch (error) {
        // If a batch does not follow the one before, its gateway continues under another stream.
        if (!isConflict(error)) this.#names.presence.putOff(claimer, this.#options.clock.now());
        await store.dropBatch(ticket);
        throw error;
      }
    }
    throw new CodedError('store-unavailable', 'the store lost the batch before it was applied: send it again');
  }

  async #take(ticket: number, claimer: Sender): Promise<BatchOutcome> {
    const { store } = this.#options;
    const { principal } = claimer;
    const verdict = await store.judgeBatch(ticket);
    if (verdict.kind === 'repeated') this.heard(claimer);
    if (verdict.kind !== 'next') return verdict;
    this.heard(claimer);
    await this.#names.require(claimer, verdict.standing);
    const refused = await this.#carryOutOperations(ticket, claimer);
    if (refused === null) return { kind: 'gone' };
    const at = Math.round(this.#options.clock.now().wallMs);
    const outcome = await store.applyBatch(ticket, { refused, principal, at });
    this.heard(claimer);
    return outcome;
  }

  /** The refused operations; null if the store lost the batch. */
  async #carryOutOperations(ticket: number, sender: Sender): Promise<BatchAnswer['refused'] | null> {
    const refused: { seq: number; reason: string }[] = [];
    for (let after = -1; ; ) {
      const page = await this.#options.store.batchOperations(ticket, after);
      if (page.kind === 'gone') return null;
      refused.push(...(await this.#carryOut(page.operations, sender)));
      if (page.isEnd) return refused;
      after = page.operations.at(-1)?.seq ?? after;
    }
  }

  /** Carries out what was not carried out before, in its order. */
  async #carryOut(
    operations: OperationPage['operations'],
    { gatewayId, plantId }: Sender,
  ): Promise<BatchAnswer['refused']> {
    if (operations.length === 0) return [];
    const business = this.#options.operationsIn(plantId);
    const known = await business.known(operations.map(({ queued }) => queued.operationId));
    const refused: { seq: number; reason: string }[] = [];
    for (const { seq, queued } of operations) {
      const reason = known.has(queued.operationId) ? null : await business.carryOut(gatewayId, queued);
      if (reason !== null) refused.push({ seq, reason });
    }
    return refused;
  }

  #answer(outcome: Settled) {
    switch (outcome.kind) {
      case 'applied':
        this.#counters.applied += 1;
        this.#counters.records += outcome.records;
        this.#counters.refused += outcome.answer.refused.length;
        return outcome.answer;
      case 'repeated':
        this.#counters.repeated += 1;
        return outcome.answer;
      case 'diverged':
        this.#counters.diverged += 1;
        throw new CodedError('conflict', outcome.reason);
      case 'refused':
        throw new CodedError('not-permitted', outcome.reason);
      case 'disk':
        throw new CodedError('store-unavailable', `the disk cannot be written at the moment: ${outcome.reason}`);
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'conflict';
}
