import type { Feature, Profile, Side } from './profile.ts';

/** A profile as machines get it: without the labels of its features (contract.md, Machine delivery; SYNC-03). */
export interface DeliveredProfile {
  readonly change: 'upsert';
  readonly profileId: string;
  readonly revision: number;
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly subCategory: string | null;
  readonly paintedSide: Side | null;
  readonly blankWidth: number;
  readonly features: readonly Omit<Feature, 'name'>[];
  /** `data:image/png;base64,…` */
  readonly thumbnail: string;
}

export function deliveredProfile(profile: Profile, thumbnail: string): DeliveredProfile {
  const { profileId, revision, profileName, description, category, subCategory, paintedSide, blankWidth } = profile;
  return {
    change: 'upsert',
    profileId,
    revision,
    name: profileName,
    description,
    category,
    subCategory,
    paintedSide,
    blankWidth,
    features: profile.features.map(({ name, ...feature }) => feature),
    thumbnail,
  };
}

/** A profile that machines are to forget. */
export function removedProfile(profileId: string): { readonly change: 'remove'; readonly profileId: string } {
  return { change: 'remove', profileId };
}
