import { PROFILE_LIMITS } from './profile-limits.ts';

const { features, dimension, profileNameLength, categoryLength, descriptionLength, featureNameLength } = PROFILE_LIMITS;

/**
 * Every sentence with which a profile is refused, in the order of the list (D-23). The first twelve are the interface's
 * to the letter (interface.md, Errors); the others are about bounds and types that the interface leaves open.
 */
export const PROFILE_MESSAGES = {
  profileName: 'ProfileName must not be empty.',
  owningCatalogId: 'OwningCatalogId must refer to a valid catalog.',
  featuresEmpty: 'Features list cannot be empty.',
  featuresAlternate:
    'Features must be a list of feature objects, that alternates between Straight and non-Straight types, and always starts and ends with a Straight.',
  featureNames: 'Feature names must be unique within a profile.',
  angle: 'Valid angle values are -180° - 180°.',
  hemDirection: "Hems must have a hemDirection of 'Positive' or 'Negative'.",
  hemHeight: 'Open hems require a non-negative hemHeight.',
  hemClampOffset: 'Teardrop hems require a non-negative hemClampOffset',
  radius: 'Radius bends require a non-negative radius.',
  radiusQuality: "Radius bends must have a radiusQuality of 'Coarse', 'Medium', or 'Fine'.",
  length: 'Straight features require a non-negative, non-zero length.',
  body: 'A profile must be a JSON object.',
  profileNameLength: `ProfileName must not be longer than ${profileNameLength} characters.`,
  description: `Description must be text of at most ${descriptionLength} characters.`,
  category: `Category must be text of at most ${categoryLength} characters.`,
  subCategory: `SubCategory must be text of at most ${categoryLength} characters.`,
  paintedSide: "PaintedSide must be 'Positive' or 'Negative', or left out.",
  featuresTooMany: `Features list cannot have more than ${features} features.`,
  featureName: `Feature names must be text of at most ${featureNameLength} characters.`,
  dimension: `Lengths, radii, hem heights and clamp offsets must not be greater than ${dimension}.`,
} as const;

export type ProfileMessage = keyof typeof PROFILE_MESSAGES;
