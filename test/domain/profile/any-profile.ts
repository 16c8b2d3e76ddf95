import fc from 'fast-check';
import {
  type Bend,
  type Feature,
  RADIUS_QUALITIES,
  SIDES,
  type Straight,
} from '../../../src/domain/profile/profile.ts';
import { PROFILE_LIMITS } from '../../../src/domain/profile/profile-limits.ts';

/** Profiles for properties: every kind of feature, sizes from the smallest number to the largest permitted one. */

const anySize = fc.double({ min: Number.MIN_VALUE, max: PROFILE_LIMITS.dimension, noNaN: true });
/** Sizes of real sheet: none is so small beside another that a number could not hold both. */
export const sheetSize = fc.double({ min: 1e-3, max: 1e3, noNaN: true });
const anyAngle = fc.oneof(
  fc.constantFrom(90, -90, 45, -45, 0, 179.999, -179.999),
  fc.double({ min: -180, max: 180, minExcluded: true, maxExcluded: true, noNaN: true }),
);
const anySide = fc.constantFrom(...SIDES);

function straightOf(size: fc.Arbitrary<number>): fc.Arbitrary<Straight> {
  return size.map((length) => ({ type: 'Straight', length, hemHeight: 0 }));
}

function bendOf(size: fc.Arbitrary<number>): fc.Arbitrary<Bend> {
  return fc.oneof(
    anyAngle.map((angle): Bend => ({ type: 'Angle', angle, hemHeight: 0 })),
    fc
      .tuple(anyAngle, size, fc.constantFrom(...RADIUS_QUALITIES))
      .map(([angle, radius, radiusQuality]): Bend => ({ type: 'Radius', angle, radius, radiusQuality, hemHeight: 0 })),
    fc.tuple(anySide, size).map(([hemDirection, hemHeight]): Bend => ({ type: 'OpenHem', hemDirection, hemHeight })),
    anySide.map((hemDirection): Bend => ({ type: 'ClosedHem', hemDirection, hemHeight: 0 })),
    fc
      .tuple(anySide, fc.oneof(fc.constant(0), size))
      .map(
        ([hemDirection, hemClampOffset]): Bend => ({ type: 'TearDropHem', hemDirection, hemClampOffset, hemHeight: 0 }),
      ),
  );
}

/** Features that follow the rules: straights and bends in turn, a straight at both ends. */
export function anyFeatures(maxBends = 20, size = anySize): fc.Arbitrary<readonly Feature[]> {
  return fc
    .tuple(straightOf(size), fc.array(fc.tuple(bendOf(size), straightOf(size)), { maxLength: maxBends }))
    .map(([first, rest]) => [first, ...rest.flat()]);
}

/** Features of a profile as large as it may be, like a very long corrugated panel with hems. */
export function largestFeatures(): readonly Feature[] {
  return Array.from({ length: PROFILE_LIMITS.features }, (_, place): Feature => {
    if (place % 2 === 0) return { type: 'Straight', length: 0.1, hemHeight: 0 };
    const angle = (place >> 1) % 2 === 0 ? 80 : -80;
    if (place % 7 === 0) return { type: 'Radius', angle, radius: 0.4, radiusQuality: 'Fine', hemHeight: 0 };
    return { type: 'Angle', angle, hemHeight: 0 };
  });
}

/** The content of a profile as a person enters it. */
export const PROFILE_CONTENT = {
  profileName: 'Z 200',
  description: null,
  owningCatalogId: 1,
  category: null,
  subCategory: null,
  paintedSide: null,
  features: [{ type: 'Straight', length: 12.5, hemHeight: 0 }],
} as const;
