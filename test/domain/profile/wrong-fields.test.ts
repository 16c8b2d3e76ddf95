import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bend, Feature, ProfileContent } from '../../../src/domain/profile/profile.ts';
import { readProfile } from '../../../src/domain/profile/read-profile.ts';
import { wrongFields } from '../../../src/domain/profile/wrong-fields.ts';

const size = fc.oneof(
  fc.constantFrom(0, -1, Number.NaN, 1_000_000, 1_000_001, Number.POSITIVE_INFINITY, 0.25),
  fc.double(),
);
const degrees = fc.oneof(fc.constantFrom(180, -180, 179.9, Number.NaN, 0), fc.double({ min: -200, max: 200 }));
const side = fc.constantFrom('Positive' as const, 'Negative' as const);
const bend: fc.Arbitrary<Bend> = fc.oneof(
  degrees.map((angle) => ({ type: 'Angle', angle, hemHeight: 0 }) as const),
  fc
    .tuple(degrees, size)
    .map(([angle, radius]) => ({ type: 'Radius', angle, radius, radiusQuality: 'Medium', hemHeight: 0 }) as const),
  fc.tuple(side, size).map(([hemDirection, hemHeight]) => ({ type: 'OpenHem', hemDirection, hemHeight }) as const),
  side.map((hemDirection) => ({ type: 'ClosedHem', hemDirection, hemHeight: 0 }) as const),
  fc
    .tuple(side, size)
    .map(
      ([hemDirection, hemClampOffset]) =>
        ({ type: 'TearDropHem', hemDirection, hemClampOffset, hemHeight: 0 }) as const,
    ),
);
const straight = size.map((length) => ({ type: 'Straight', length, hemHeight: 0 }) as const);
const features: fc.Arbitrary<readonly Feature[]> = fc
  .tuple(straight, fc.array(fc.tuple(bend, straight), { maxLength: 5 }))
  .map(([first, others]) => [first, ...others.flat()]);
const text = (longest: number) =>
  fc.option(fc.constantFrom('', ' ', 'x', 'x'.repeat(longest), 'x'.repeat(longest + 1)), { nil: null });
const content: fc.Arbitrary<ProfileContent> = fc.record({
  profileName: text(256).map((name) => name ?? 'P'),
  description: text(10_000),
  owningCatalogId: fc.constantFrom(0, 1),
  category: text(256),
  subCategory: text(256),
  paintedSide: fc.option(side, { nil: null }),
  features,
});

describe('F12, D-23 the faults that the page marks', () => {
  it('are those of the rules of profiles: the same profiles are refused, and every refused field is marked', () => {
    fc.assert(
      fc.property(content, (profile) => {
        const wrong = wrongFields(profile);
        const read = readProfile(profile, { ids: new Set([1]), fallback: null });
        expect(wrong.length === 0).toBe(read.ok);
        if (!read.ok) expect(wrong).toEqual(expect.arrayContaining(read.error.faults.map(({ path }) => path)));
      }),
    );
  });

  it('has more features than a profile may have', () => {
    const many = Array.from(
      { length: 1001 },
      (_, at): Feature =>
        at % 2 === 0 ? { type: 'Straight', length: 1, hemHeight: 0 } : { type: 'Angle', angle: 9, hemHeight: 0 },
    );
    const profile = { profileName: 'P', description: null, owningCatalogId: 1, category: null, subCategory: null };
    expect(wrongFields({ ...profile, paintedSide: null, features: many })).toEqual(['features']);
  });
});
