import { describe, expect, it } from 'vitest';
import { bendOfType, directionOf, turnedTo } from '../../../src/domain/profile/edit-bend.ts';
import { type Bend, FEATURE_TYPES, SIDES } from '../../../src/domain/profile/profile.ts';
import { readProfile } from '../../../src/domain/profile/read-profile.ts';

const TYPES = FEATURE_TYPES.filter((type) => type !== 'Straight');
const BENDS: readonly Bend[] = SIDES.flatMap((side) => [
  { type: 'Angle', angle: side === 'Positive' ? 104 : -104, hemHeight: 0, name: 'A' },
  { type: 'Radius', angle: side === 'Positive' ? 60 : -60, radius: 2, radiusQuality: 'Fine', hemHeight: 0 },
  { type: 'OpenHem', hemDirection: side, hemHeight: 0.2 },
  { type: 'ClosedHem', hemDirection: side, hemHeight: 0 },
  { type: 'TearDropHem', hemDirection: side, hemClampOffset: 0, hemHeight: 0 },
]);

describe('F12 a bend at the page', () => {
  it.each(BENDS.flatMap((bend) => TYPES.map((type) => [bend, type] as const)))(
    '%j becomes a valid %s to the same side, with its label',
    (bend, type) => {
      const made = bendOfType(bend, type, 0.5);
      expect([made.type, directionOf(made), made.name]).toEqual([type, directionOf(bend), bend.name]);
      const straight = { type: 'Straight', length: 1 };
      const profile = { profileName: 'P', features: [straight, made, straight] };
      const read = readProfile(profile, { ids: new Set([1]), fallback: 1 });
      expect(read.ok && read.content.features[1]).toEqual(made);
    },
  );

  it.each(BENDS.flatMap((bend) => SIDES.map((side) => [bend, side] as const)))('%j turns to %s', (bend, side) => {
    const turned = turnedTo(bend, side);
    expect(directionOf(turned)).toBe(side);
    expect(turnedTo(turned, directionOf(bend))).toEqual(bend);
  });

  it('keeps its angle as an arc, and becomes a right angle out of a hem', () => {
    expect(bendOfType({ type: 'Angle', angle: -104, hemHeight: 0 }, 'Radius', 0.5)).toMatchObject({ angle: -104 });
    expect(bendOfType({ type: 'ClosedHem', hemDirection: 'Negative', hemHeight: 0 }, 'Angle', 1)).toMatchObject({
      angle: -90,
    });
  });
});
