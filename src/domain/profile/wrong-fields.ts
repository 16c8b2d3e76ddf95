import type { Feature, ProfileContent } from './profile.ts';
import { PROFILE_LIMITS } from './profile-limits.ts';

/**
 * The paths of fields that `readProfile` would refuse, `features[2].length`, for a profile of which a person can only
 * type texts and numbers wrong. It is small, because the page has it. Catalog 0 means that no catalog is chosen.
 */
export function wrongFields(profile: ProfileContent): readonly string[] {
  const { profileName, description, category, subCategory, owningCatalogId, features } = profile;
  const isTooLong = (text: string | null, longest: number) => (text ?? '').length > longest;
  const wrong: Readonly<Record<string, boolean>> = {
    profileName: profileName.trim() === '' || isTooLong(profileName, PROFILE_LIMITS.profileNameLength),
    description: isTooLong(description, PROFILE_LIMITS.descriptionLength),
    category: isTooLong(category, PROFILE_LIMITS.categoryLength),
    subCategory: isTooLong(subCategory, PROFILE_LIMITS.categoryLength),
    owningCatalogId: owningCatalogId === 0,
    features: features.length > PROFILE_LIMITS.features,
  };
  return [
    ...Object.keys(wrong).filter((field) => wrong[field]),
    ...features.flatMap((feature, place) => wrongNumbers(feature).map((field) => `features[${place}].${field}`)),
  ];
}

const isPositive = (size: number) => size > 0 && size <= PROFILE_LIMITS.dimension;
const FITS = {
  length: isPositive,
  radius: isPositive,
  hemHeight: isPositive,
  hemClampOffset: (size: number) => size === 0 || isPositive(size),
  angle: (degrees: number) => Math.abs(degrees) < 180,
};

function wrongNumbers(feature: Feature): readonly string[] {
  // Only an open hem has a height; all others have it as 0 (PROF-04).
  return Object.entries({ ...feature, hemHeight: feature.type === 'OpenHem' ? feature.hemHeight : 1 }).flatMap(
    ([name, value]) => (isNumberName(name) && !FITS[name](Number(value)) ? [name] : []),
  );
}

function isNumberName(name: string): name is keyof typeof FITS {
  return name in FITS;
}
