import type { DeliveryCursor } from '../../domain/profile/delivery.ts';
import type { Drawn } from '../../domain/profile/drawing.ts';
import type { Profile } from '../../domain/profile/profile.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';

/** Ports of the profile library and of the delivery to machines: to the store, and to the API. */

/**
 * A profile from its revision on, with its picture as a data URL; null for an archived one, which machines do not get
 * any more. The store gives the change its number.
 */
export interface ProfileRecord {
  readonly kind: 'profile';
  readonly profile: Profile;
  readonly thumbnail: string | null;
}

/** D-22: each filter matches exactly; null if it is not set. */
export interface ProfileFilter {
  readonly category: string | null;
  readonly subCategory: string | null;
  readonly owningCatalogId: number | null;
  readonly name: string | null;
  readonly skip: number;
  readonly take: number;
}

/** Profiles, archived or in use, that hold a text in their name, note or category; null for all. */
export interface ProfileSearch {
  readonly text: string | null;
  readonly archived: boolean;
  readonly catalogId: number | null;
  readonly skip: number;
  readonly take: number;
}

/** The newest change number there is, and the series it belongs to (delivery.ts). */
export interface NewestChange {
  readonly epoch: string;
  readonly number: number;
}

/** A machine that asks for changes, and the catalogs it is subscribed to. */
export interface Subscriber {
  readonly serialNumber: string;
  readonly catalogs: readonly number[];
}

/** One page of the changes for a machine, ready to be sent. */
export interface ProfileChanges {
  readonly text: JsonText;
  readonly newest: NewestChange;
  /** The cursor came from another database: everything is sent. */
  readonly isForeign: boolean;
}

export interface ProfileQueries {
  profile(profileId: string): Promise<Profile | null>;
  /** Ids of profiles that are in a catalog, archived ones left out. */
  profilesIn(catalogId: number, limit: number): Promise<readonly string[]>;
  profileText(profileId: string): Promise<JsonText | null>;
  /** Whole profiles that are not archived, by name, then id; null if they are too large for one answer. */
  profileList(filter: ProfileFilter): Promise<JsonText | null>;
  /** `{total, items}` by name, then id; null if the items are too large for one answer. */
  profileSearch(search: ProfileSearch): Promise<JsonText | null>;
  /**
   * An array of profiles that are not archived, in the form of a plant file, in the order of their ids, behind `after`.
   */
  profileRecords(after: string, limit: number): Promise<JsonText>;
  /** `cursor` is null if no gateway made it. */
  profileChanges(cursor: DeliveryCursor | null, subscriber: Subscriber): Promise<ProfileChanges>;
}

/** Makes pictures of profiles off the main thread. */
export interface ThumbnailArtist {
  /** A small PNG as a data URL. Rejects with `internal` when it cannot be made. */
  draw(drawn: Drawn): Promise<string>;
}

/** A catalog as it is listed (D-22). */
export interface CatalogView {
  readonly catalogId: number;
  readonly name: string;
  readonly isDefault: boolean;
}

/** The answer to a machine for which nothing changed. */
export interface NoProfileChanges {
  readonly cursor: string;
  readonly more: false;
  readonly changes: readonly [];
}
