import { CodedError, foundText, noSuch } from '../../domain/error.ts';
import {
  archivedProfile,
  createdProfile,
  type ProfileEdit,
  restoredProfile,
  revisedProfile,
} from '../../domain/profile/library.ts';
import type { Profile, ProfileContent } from '../../domain/profile/profile.ts';
import { catalogChoice } from '../../domain/profile/profile-entry.ts';
import { type CatalogChoice, readProfile } from '../../domain/profile/read-profile.ts';
import { type RequestReceipt, receiptsOf } from '../../domain/request-receipt.ts';
import type { Operation, OperationRecord } from '../../domain/sync/operation.ts';
import { isoTime } from '../../domain/time.ts';
import { NO_OPERATIONS, type OperationQueue } from '../forward/operation-queue-flow.ts';
import type { KeyedMutex } from '../keyed-mutex.ts';
import type { Plant } from '../plant/plant.ts';

import type { Clock } from '../ports.ts';
import type { ReadWriteLock } from '../read-write-lock.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';
import type {
  CatalogView,
  ProfileFilter,
  ProfileQueries,
  ProfileRecord,
  ProfileSearch,
  ThumbnailArtist,
} from './profile-ports.ts';

export interface ProfileFlowOptions {
  readonly plant: Pick<Plant, 'catalogs'>;
  readonly store: Pick<ProfileQueries, 'profile' | 'profileText' | 'profileList' | 'profileSearch'> & {
    write(records: readonly (ProfileRecord | OperationRecord | RequestReceipt)[]): Promise<void>;
  };
  readonly artist: ThumbnailArtist;
  /** Edits of one profile take turns, including those of the plant file. */
  readonly turns: KeyedMutex;
  /** Shared by all flows that put profiles into catalogs: a catalog cannot be removed meanwhile. */
  readonly catalogLock: ReadWriteLock;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Left out: without a central server. */
  readonly operations?: OperationQueue;
  /** Called when a change is on disk. */
  readonly onChange: () => void;
}

/** The profile library: edits are on disk before they are answered, and those of one profile never interleave. */
export class ProfileFlow {
  readonly #options: ProfileFlowOptions;

  constructor(options: ProfileFlowOptions) {
    this.#options = options;
  }

  /** `body` is the unchanged body, `principal` the owner of its key. Gives the profile as it was stored. */
  create(body: unknown, principal: string, receipt: RequestReceipt | null = null): Promise<Profile> {
    const { plant, newId, catalogLock } = this.#options;
    return catalogLock.read(async () => {
      const content = readContent(body, catalogChoice(plant.catalogs()));
      return this.#keep(createdProfile(newId(), content, this.#editBy(principal)), receipt);
    });
  }

  /** A new revision with the content of `body`; without an owningCatalogId it stays in its catalog. */
  update(profileId: string, body: unknown, principal: string, receipt: RequestReceipt | null = null): Promise<Profile> {
    const { plant, turns, catalogLock } = this.#options;
    const revise = async () => {
      const profile = await this.#find(profileId);
      if (profile.archived) throw new CodedError('conflict', `profile ${foundText(profileId)} is archived`);
      const choice = { ...catalogChoice(plant.catalogs()), fallback: profile.owningCatalogId };
      return this.#keep(revisedProfile(profile, readContent(body, choice), this.#editBy(principal)), receipt);
    };
    return turns.runExclusive(profileId, () => catalogLock.read(revise));
  }

  /** Archiving an archived profile changes nothing. */
  archive(profileId: string, principal: string, receipt: RequestReceipt | null = null): Promise<void> {
    return this.#options.turns.runExclusive(profileId, async () => {
      const profile = await this.#find(profileId);
      const archived = archivedProfile(profile, this.#editBy(principal));
      if (archived === profile) return this.#options.store.write(receiptsOf(receipt));
      await this.#write(
        { kind: 'profile', profile: archived, thumbnail: null },
        { type: 'profileArchived', profileId },
        receiptsOf(receipt),
      );
    });
  }

  /** Takes an archived profile into use again; one in use stays as it is. Rejects with `conflict` if its catalog is gone. */
  restore(profileId: string, principal: string): Promise<Profile> {
    const { plant, turns, catalogLock } = this.#options;
    const restore = async () => {
      const profile = await this.#find(profileId);
      const restored = restoredProfile(profile, this.#editBy(principal));
      if (restored === profile) return profile;
      const { owningCatalogId } = profile;
      if (plant.catalogs().some(({ catalogId }) => catalogId === owningCatalogId)) return this.#keep(restored, null);
      throw new CodedError(
        'conflict',
        `catalog ${owningCatalogId} of profile ${foundText(profileId)} is gone: copy it`,
      );
    };
    return turns.runExclusive(profileId, () => catalogLock.read(restore));
  }

  async text(profileId: string): Promise<JsonText> {
    const text = await this.#options.store.profileText(profileId);
    if (text === null) throw noSuch('profile', profileId);
    return text;
  }

  async list(filter: ProfileFilter): Promise<JsonText> {
    const text = await this.#options.store.profileList(filter);
    if (text === null) throw tooLong(filter.take);
    return text;
  }

  async find(search: ProfileSearch): Promise<JsonText> {
    const text = await this.#options.store.profileSearch(search);
    if (text === null) throw tooLong(search.take);
    return text;
  }

  catalogs(): readonly CatalogView[] {
    const catalogs = this.#options.plant.catalogs();
    return catalogs.map((catalog) => ({
      catalogId: catalog.catalogId,
      name: catalog.name,
      isDefault: catalog.default,
    }));
  }

  async #find(profileId: string): Promise<Profile> {
    const profile = await this.#options.store.profile(profileId);
    if (profile === null) throw noSuch('profile', profileId);
    return profile;
  }

  async #keep(profile: Profile, receipt: RequestReceipt | null): Promise<Profile> {
    const thumbnail = await this.#options.artist.draw(profile);
    const receipts = receiptsOf(receipt, { of: 'profile', profileId: profile.profileId });
    await this.#write({ kind: 'profile', profile, thumbnail }, { type: 'profilePut', profile }, receipts);
    return profile;
  }

  async #write(record: ProfileRecord, operation: Operation, receipts: readonly RequestReceipt[]): Promise<void> {
    const { store, operations = NO_OPERATIONS, onChange } = this.#options;
    await store.write([record, ...operations.recordsOf(operation, record.profile.editedBy), ...receipts]);
    onChange();
  }

  #editBy(principal: string): ProfileEdit {
    return { principal, date: isoTime(this.#options.clock.now().wallMs) };
  }
}

function readContent(body: unknown, choice: CatalogChoice): ProfileContent {
  const read = readProfile(body, choice);
  if (!read.ok) throw read.error;
  return read.content;
}

function tooLong(take: number): CodedError {
  return new CodedError('too-large', `A list of ${take} profiles is too long for one answer: ask for fewer with take`);
}
