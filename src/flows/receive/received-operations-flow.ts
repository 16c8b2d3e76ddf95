import { CodedError, type ErrorCode, foundText, invalidInput, noSuch } from '../../domain/error.ts';
import { tidyOrderKey } from '../../domain/order/tidy-order.ts';
import { blankWidth } from '../../domain/profile/blank-width.ts';
import { archivedProfile } from '../../domain/profile/library.ts';
import type { Profile } from '../../domain/profile/profile.ts';
import { catalogChoice, profileContent } from '../../domain/profile/profile-entry.ts';
import { readProfile } from '../../domain/profile/read-profile.ts';
import { archivalRefusal, receivedProfile } from '../../domain/profile/received-profile.ts';
import type { QueuedOperation } from '../../domain/sync/operation.ts';
import type { OperationReceipt } from '../../domain/sync/operation-receipt.ts';
import { isoTime } from '../../domain/time.ts';
import type { KeyedMutex } from '../keyed-mutex.ts';
import type { ThumbnailArtist } from '../library/profile-ports.ts';
import { MAX_ORDERS } from '../orders/order-flow.ts';
import type { Plant } from '../plant/plant.ts';

import type { Clock, Incidents, SharedDecisions } from '../ports.ts';
import type { ReadWriteLock } from '../read-write-lock.ts';
import type { Store } from '../store-ports.ts';
import type { WarehouseOperationsFlow } from '../warehouse/warehouse-operations-flow.ts';

export interface ReceivedOperationsOptions {
  readonly store: Pick<Store, 'write' | 'readOrder' | 'profile' | 'knownOperations'>;
  readonly warehouse: Pick<WarehouseOperationsFlow, 'adopt' | 'adoptMove'>;
  readonly plant: Pick<Plant, 'catalogs'>;
  readonly artist: ThumbnailArtist;
  /** Shared by all flows that edit profiles. */
  readonly profileMutex: KeyedMutex;
  readonly catalogLock: ReadWriteLock;
  /** Called when a change of a profile is on disk. */
  readonly onProfileChanged: () => void;
  readonly incidents: Incidents;
  readonly clock: Clock;
  /** Left out or null: no other node of a central server decides. */
  readonly decisions?: SharedDecisions | null;
}

/**
 * The errors for which an operation is answered as `refused`, because they will not change. After every other error the
 * sender tries again.
 */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'invalid-input',
  'malformed',
  'not-found',
  'conflict',
  'not-permitted',
  'not-licensed',
  'too-large',
  // An operation that fails by a lasting fault of this gateway must not delay those behind it.
  'internal',
]);

/**
 * Carries out here the operations of people and API clients at another gateway (D-27). Each operation is on disk
 * together with its receipt, so that it is carried out once even if it comes several times.
 */
export class ReceivedOperationsFlow {
  readonly #options: ReceivedOperationsOptions;

  constructor(options: ReceivedOperationsOptions) {
    this.#options = options;
  }

  /** The operations among these that were carried out before. */
  known(operationIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#options.store.knownOperations(operationIds);
  }

  /**
   * Gives null once it is on disk, or the reason for which it never will be. Rejects if that is not known at present.
   */
  async carryOut(gatewayId: string, queued: QueuedOperation): Promise<string | null> {
    const { operationId } = queued;
    const at = Math.round(this.#options.clock.now().wallMs);
    try {
      await this.#decide(() => this.#carryOut(queued, { kind: 'receivedOperation', operationId, gatewayId, at }));
      return null;
    } catch (error) {
      if (!(error instanceof CodedError) || !REFUSALS.has(error.code)) throw error;
      if (error.code !== 'internal') return error.message;
      const detail = `act ${operationId} of gateway ${gatewayId}: ${error.message}`;
      this.#options.incidents.report({ kind: 'internal', subject: 'sync', detail });
      return 'internal error: see the log and diagnostics of the central gateway';
    }
  }

  #decide(operation: () => Promise<void>): Promise<void> {
    return this.#options.decisions?.decide(operation) ?? operation();
  }

  #carryOut({ act: operation, principal, at }: QueuedOperation, receipt: OperationReceipt): Promise<void> {
    const { warehouse } = this.#options;
    switch (operation.type) {
      case 'taskOperation':
        return warehouse.adopt(operation.taskId, operation.operation, { principal, at, receipt });
      case 'coilMove':
        return warehouse.adoptMove(operation.coilId, operation.location, { principal, at, receipt });
      case 'orderPut':
        return this.#putOrder(operation.orderKey, operation.json, at, principal, receipt);
      case 'orderRemoved':
        return this.#options.store.write([
          ...keysOf(operation.orderKey).map((orderKey) => ({ kind: 'orderRemoved', orderKey }) as const),
          receipt,
        ]);
      case 'profilePut':
        return this.#inProfileTurn(operation.profile.profileId, () =>
          this.#options.catalogLock.read(() => this.#putProfile(operation.profile, receipt)),
        );
      case 'profileArchived':
        return this.#inProfileTurn(operation.profileId, () =>
          this.#archiveProfile(operation.profileId, at, principal, receipt),
        );
    }
  }

  async #putOrder(
    orderKey: string,
    json: string,
    at: number,
    principal: string,
    receipt: OperationReceipt,
  ): Promise<void> {
    const { store } = this.#options;
    const read = await store.readOrder(json);
    if (!read.ok) throw invalidInput(read.faults);
    if (read.orderKey !== tidyOrderKey(orderKey)) {
      throw invalidInput([{ path: 'orderKey', found: foundText(orderKey), expected: foundText(read.orderKey) }]);
    }
    if (read.isNew && read.orders >= MAX_ORDERS) {
      throw new CodedError('conflict', `orders: found ${read.orders} kept, expected at most ${MAX_ORDERS}`);
    }
    const order = { orderKey: read.orderKey, json: read.json ?? json, at, principal };
    await store.write([{ kind: 'orderPut', order }, receipt]);
  }

  #inProfileTurn(profileId: string, write: () => Promise<void>): Promise<void> {
    return this.#options.profileMutex.runExclusive(profileId, write);
  }

  async #putProfile(incoming: Profile, receipt: OperationReceipt): Promise<void> {
    const { store, artist, onProfileChanged } = this.#options;
    const received = receivedProfile(this.#checked(incoming), await store.profile(incoming.profileId));
    if (received.kind === 'refused') throw received.error;
    if (received.kind === 'same') return store.write([receipt]);
    const { profile } = received;
    const thumbnail = profile.archived ? null : await artist.draw(profile);
    await store.write([{ kind: 'profile', profile, thumbnail }, receipt]);
    onProfileChanged();
  }

  async #archiveProfile(profileId: string, at: number, principal: string, receipt: OperationReceipt): Promise<void> {
    const { store, onProfileChanged } = this.#options;
    const present = await store.profile(profileId);
    if (present === null) throw noSuch('profile', profileId);
    if (present.archived) return store.write([receipt]);
    const refusal = archivalRefusal(present, at);
    if (refusal !== null) throw refusal;
    const profile = archivedProfile(present, { principal, date: isoTime(at) });
    await store.write([{ kind: 'profile', profile, thumbnail: null }, receipt]);
    onProfileChanged();
  }

  /** Checks a profile by the rules of our own library, because machines get its content. */
  #checked(profile: Profile): Profile {
    const { profileId, revision, archived, createdBy, createdDate, editedBy, editedDate } = profile;
    const choice = { ...catalogChoice(this.#options.plant.catalogs()), fallback: null };
    const read = readProfile(profileContent(profile), choice);
    if (!read.ok) throw read.error;
    const { content } = read;
    const own = { profileId, revision, archived, createdBy, createdDate, editedBy, editedDate };
    return { ...own, ...content, blankWidth: blankWidth(content.features) };
  }
}

/** A gateway of an earlier version may name an order by a code with blanks outside, and so may its record here (D-53). */
function keysOf(orderKey: string): readonly string[] {
  return [...new Set([orderKey, tidyOrderKey(orderKey)])];
}
