import type { Catalog } from '../plant/plant.ts';
import type { Profile, ProfileContent } from './profile.ts';
import { type CatalogChoice, type ReadProfile, readProfile } from './read-profile.ts';

/**
 * A profile in a plant file: the body of a create, and the id. Without an id the name is the id. Its fields are judged
 * by the interface's rules for profiles.
 */
export interface ProfileEntry {
  readonly profileId?: string;
  readonly profileName: string;
  readonly features: readonly object[];
  readonly description?: unknown;
  readonly owningCatalogId?: unknown;
  readonly category?: unknown;
  readonly subCategory?: unknown;
  readonly paintedSide?: unknown;
}

/** A longer name is no id: its entry needs a profileId. */
const MAX_ID_LENGTH = 128;

/** The id of the profile that an entry is about; null if it gives none and its name cannot be one. */
export function profileEntryId({ profileId, profileName }: ProfileEntry): string | null {
  if (profileId !== undefined) return profileId;
  const canBeId = profileName.trim() === profileName && profileName !== '' && !/\p{Cc}/u.test(profileName);
  return canBeId && profileName.length <= MAX_ID_LENGTH ? profileName : null;
}

/** Applies the entry to a profile. Fields that it does not name stay as they are (contract.md, Plant file). */
export function seededContent(entry: ProfileEntry, existing: Profile | null, catalogs: CatalogChoice): ReadProfile {
  const { profileId, ...named } = entry;
  if (existing === null) return readProfile(named, catalogs);
  const choice = { ...catalogs, fallback: existing.owningCatalogId };
  return readProfile({ ...profileContent(existing), ...named }, choice);
}

/** The profile as an entry with all its fields. */
export function profileEntry(profile: Profile): ProfileEntry {
  return { profileId: profile.profileId, ...profileContent(profile) };
}

/** A profile as clients sent it, without the fields that the server assigns. */
export function profileContent(profile: Profile): ProfileContent {
  const { profileName, description, owningCatalogId, category, subCategory, paintedSide, features } = profile;
  return { profileName, description, owningCatalogId, category, subCategory, paintedSide, features };
}

/** The catalogs that a profile may be in; a profile without a catalog goes into the default one. */
export function catalogChoice(catalogs: readonly Pick<Catalog, 'catalogId' | 'default'>[]): CatalogChoice {
  const fallback = catalogs.find((catalog) => catalog.default)?.catalogId ?? null;
  return { ids: new Set(catalogs.map(({ catalogId }) => catalogId)), fallback };
}
