/** Every bound of a profile, in one place. Lengths are in the tenant's units. */
export const PROFILE_LIMITS = {
  /** D-24. */
  features: 999,
  /** The largest length, radius, hem height or clamp offset. */
  dimension: 1_000_000,
  profileNameLength: 256,
  categoryLength: 256,
  descriptionLength: 10_000,
  featureNameLength: 256,
} as const;
