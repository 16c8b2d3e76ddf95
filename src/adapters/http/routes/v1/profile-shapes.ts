import * as Type from 'typebox';
import { FEATURE_TYPES, RADIUS_QUALITIES, SIDES } from '../../../../domain/profile/profile.ts';
import { PROFILE_LIMITS } from '../../../../domain/profile/profile-limits.ts';
import { choice } from '../shapes.ts';

/** Shapes of the profile routes' requests and answers (interface.md, Profiles; D-22). */

const TEXT_OR_NULL = Type.Union([Type.String(), Type.Null()]);
const SIDE_OR_NULL = Type.Union([choice(SIDES), Type.Null()]);

const FEATURE = Type.Object(
  {
    type: choice(FEATURE_TYPES),
    length: Type.Optional(Type.Number({ description: 'Straight: greater than 0' })),
    angle: Type.Optional(Type.Number({ description: 'Angle, Radius: between -180 and 180 degrees of bend' })),
    radius: Type.Optional(Type.Number({ description: 'Radius: greater than 0' })),
    radiusQuality: Type.Optional(choice(RADIUS_QUALITIES)),
    hemDirection: Type.Optional(choice(SIDES)),
    hemHeight: Type.Optional(Type.Number({ description: 'OpenHem: greater than 0; any other type: 0' })),
    hemClampOffset: Type.Optional(Type.Number({ description: 'TearDropHem: 0 or more' })),
    name: Type.Optional(Type.String({ description: 'Unique within the profile in any case; never sent to machines' })),
  },
  { title: 'Feature' },
);

export const PROFILE = Type.Object(
  {
    profileId: Type.String(),
    revision: Type.Integer(),
    profileName: Type.String(),
    description: TEXT_OR_NULL,
    owningCatalogId: Type.Integer(),
    category: TEXT_OR_NULL,
    subCategory: TEXT_OR_NULL,
    paintedSide: SIDE_OR_NULL,
    features: Type.Array(FEATURE),
    blankWidth: Type.Number(),
    archived: Type.Boolean(),
    createdBy: Type.String(),
    createdDate: Type.String({ format: 'date-time' }),
    editedBy: Type.String(),
    editedDate: Type.String({ format: 'date-time' }),
  },
  { title: 'Profile' },
);

/** The required fields. The profile rules refuse in their own words. Fields that the server assigns are ignored. */
export const PROFILE_BODY = Type.Object(
  {
    profileName: Type.String(),
    features: Type.Array(FEATURE, {
      description: `Straights and bends in turns, 1 to ${PROFILE_LIMITS.features}, a Straight at both ends`,
    }),
    description: Type.Optional(TEXT_OR_NULL),
    owningCatalogId: Type.Optional(Type.Integer({ description: 'Left out: the default catalog, or where it is' })),
    category: Type.Optional(TEXT_OR_NULL),
    subCategory: Type.Optional(TEXT_OR_NULL),
    paintedSide: Type.Optional(SIDE_OR_NULL),
  },
  { title: 'ProfileContent' },
);

export const CATALOG = Type.Object(
  { catalogId: Type.Integer(), name: Type.String(), isDefault: Type.Boolean() },
  { title: 'Catalog' },
);
