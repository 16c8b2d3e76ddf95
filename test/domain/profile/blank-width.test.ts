import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankWidth } from '../../../src/domain/profile/blank-width.ts';
import type { Feature } from '../../../src/domain/profile/profile.ts';
import { processorMs } from '../../rounds.ts';
import { largestFeatures } from './any-profile.ts';

function straights(...lengths: readonly number[]): readonly Feature[] {
  return lengths.flatMap((length, place): readonly Feature[] => {
    const straight: Feature = { type: 'Straight', length, hemHeight: 0 };
    return place === 0 ? [straight] : [{ type: 'Angle', angle: 45, hemHeight: 0 }, straight];
  });
}

describe('PROF-03 the blank width', () => {
  it.each([
    [[0.1, 0.2], 0.3],
    [Array(10).fill(0.1), 1],
    [[1e6, 1e-6], 1_000_000.000001],
    [[5e-324], 5e-324],
  ])('of straights %j is %d, without binary noise', (lengths, expected) => {
    expect(blankWidth(straights(...lengths))).toBe(expected);
  });

  it('is the sum of lengths and radii; angles and hems add nothing', () => {
    const features: readonly Feature[] = [
      { type: 'Straight', length: 0.7, hemHeight: 0 },
      { type: 'OpenHem', hemDirection: 'Positive', hemHeight: 5 },
      { type: 'Straight', length: 0.1, hemHeight: 0 },
      { type: 'Radius', angle: 170, radius: 0.25, radiusQuality: 'Fine', hemHeight: 0 },
      { type: 'Straight', length: 0.2, hemHeight: 0 },
      { type: 'TearDropHem', hemDirection: 'Positive', hemClampOffset: 3, hemHeight: 0 },
      { type: 'Straight', length: 0.4, hemHeight: 0 },
    ];
    expect(blankWidth(features)).toBe(1.65);
  });

  it('is right to the hundredth for any profile in hundredths', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1, maxLength: 499 }), (hundredths) => {
        const sum = hundredths.reduce((total, part) => total + part, 0);
        expect(blankWidth(straights(...hundredths.map((part) => part / 100)))).toBe(sum / 100);
      }),
    );
  });

  it('of the largest profile takes very little time', () => {
    const from = processorMs();
    expect(blankWidth(largestFeatures())).toBeGreaterThan(50);
    expect(processorMs() - from).toBeLessThan(50);
  });
});
