import { deliveredProfile } from '../../../../domain/profile/delivered-profile.ts';
import type { ProfileRecord } from '../../../../flows/library/profile-ports.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { catalogMembership, profile as profileTable } from '../database/schema/profiles.ts';
import { ChangeNumbers } from './change-numbers.ts';

interface Prior {
  readonly revision: number;
  readonly archived: number;
  readonly catalog_id: number;
}

/** Writes profiles, each change with its number, and the catalogs that they are in. */
export class ProfileWriter {
  readonly #numbers: ChangeNumbers;
  readonly #prior;
  readonly #put;
  readonly #leave;
  readonly #enter;

  constructor(connection: Connection) {
    this.#numbers = new ChangeNumbers(connection);
    this.#prior = connection.prepare<[string], Prior>(
      'SELECT revision, archived, catalog_id FROM profile WHERE profile_id = ?',
    );
    this.#put = insertInto(connection, profileTable, { or: 'REPLACE' });
    this.#leave = connection.prepare(
      'UPDATE catalog_membership SET until_number = ? WHERE profile_id = ? AND until_number IS NULL',
    );
    this.#enter = insertInto(connection, catalogMembership);
  }

  follow(epoch: string): void {
    this.#numbers.follow(epoch);
  }

  /** A revision that is known already, or an older one, changes nothing. To be called within a transaction. */
  write({ profile, thumbnail }: ProfileRecord): void {
    const { profileId, revision, owningCatalogId, archived, profileName, category, subCategory } = profile;
    const prior = this.#prior.get(profileId);
    if (prior !== undefined && prior.revision >= revision) return;
    const number = this.#numbers.next();
    const delivered = thumbnail === null ? '' : JSON.stringify(deliveredProfile(profile, thumbnail));
    this.#put({
      ...{ profileId, revision, changeNumber: number, catalogId: owningCatalogId, archived: archived ? 1 : 0 },
      ...{ name: profileName, category, subCategory, json: JSON.stringify(profile), delivered },
    });
    const before = prior === undefined || prior.archived === 1 ? null : prior.catalog_id;
    const after = archived ? null : owningCatalogId;
    if (before === after) return;
    if (before !== null) this.#leave.run(number, profileId);
    if (after !== null) this.#enter({ profileId, fromNumber: number, catalogId: after, untilNumber: null });
  }
}
