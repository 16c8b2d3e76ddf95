import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelledPath } from '../../../src/domain/profile/drawing.ts';
import type { Bend, Feature } from '../../../src/domain/profile/profile.ts';
import { type Point, profilePath, type Segment } from '../../../src/domain/profile/profile-path.ts';
import { processorMs } from '../../rounds.ts';
import { anyFeatures, largestFeatures, sheetSize } from './any-profile.ts';

function straight(length: number): Feature {
  return { type: 'Straight', length, hemHeight: 0 };
}

const RADIUS = { type: 'Radius', radius: 2, radiusQuality: 'Fine', hemHeight: 0 } as const;

function endOf(...features: readonly Feature[]): { readonly x: number; readonly y: number } {
  return profilePath(features, 0).segments.at(-1)?.to ?? { x: Number.NaN, y: Number.NaN };
}

function near({ x, y }: Point) {
  return { x: expect.closeTo(x, 9), y: expect.closeTo(y, 9) };
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

describe('the path of a cross-section', () => {
  it.each<[string, Bend, Point]>([
    ['a positive angle turns left on the spot', { type: 'Angle', angle: 90, hemHeight: 0 }, { x: 10, y: 3 }],
    ['a negative angle turns right', { type: 'Angle', angle: -90, hemHeight: 0 }, { x: 10, y: -3 }],
    ['an angle of 0 goes on', { type: 'Angle', angle: 0, hemHeight: 0 }, { x: 13, y: 0 }],
    ['a radius is an arc tangent to both', { ...RADIUS, angle: 90 }, { x: 12, y: 5 }],
    ['a negative one to the right', { ...RADIUS, angle: -90 }, { x: 12, y: -5 }],
    ['an open hem leaves its height', { type: 'OpenHem', hemDirection: 'Positive', hemHeight: 0.5 }, { x: 7, y: 0.5 }],
    ['to the right when negative', { type: 'OpenHem', hemDirection: 'Negative', hemHeight: 0.5 }, { x: 7, y: -0.5 }],
    // A flat hem, except for the sixtieth part that makes it visible.
    [
      'a closed hem lies on the sheet',
      { type: 'ClosedHem', hemDirection: 'Positive', hemHeight: 0 },
      { x: 7, y: 13 * 0.016 },
    ],
  ])('%s', (_, bend, end) => {
    expect(endOf(straight(10), bend, straight(3))).toEqual(near(end));
  });

  it.each([0, 0.2, 2])('ends the leg of a teardrop at its clamp offset of %d from the sheet', (hemClampOffset) => {
    const hem: Bend = { type: 'TearDropHem', hemDirection: 'Positive', hemClampOffset, hemHeight: 0 };
    expect(endOf(straight(10), hem, straight(1)).y).toBeCloseTo(hemClampOffset, 9);
    const { segments } = profilePath([straight(1), hem, straight(10)], 0);
    const [leg, , sheet] = segments;
    if (leg === undefined || sheet === undefined) throw new Error('three segments');
    const direction = Math.atan2(sheet.to.y - sheet.from.y, sheet.to.x - sheet.from.x);
    const tip = { x: leg.from.x - sheet.from.x, y: leg.from.y - sheet.from.y };
    expect(Math.abs(tip.x * Math.sin(direction) - tip.y * Math.cos(direction))).toBeCloseTo(hemClampOffset, 9);
  });

  it('has bounds that include the bulge of an arc, not only its ends', () => {
    const { bounds } = profilePath([straight(1), { ...RADIUS, angle: 179 }, straight(0.001)], 0);
    expect(bounds.maxX).toBeCloseTo(3, 6);
  });

  it('has one segment for each feature, which begins at the end of the one before, with all numbers present', () => {
    fc.assert(
      fc.property(anyFeatures(), fc.double({ min: -1_000, max: 1_000, noNaN: true }), (features, startDegrees) => {
        const { segments, bounds } = profilePath(features, startDegrees);
        expect(segments.map(({ feature }) => feature)).toEqual(features.map((_, place) => place));
        let end: Point = { x: 0, y: 0 };
        for (const segment of segments) {
          expect(segment.from).toEqual(end);
          end = segment.to;
          checkSegment(segment, features[segment.feature]);
          expect(end.x).toBeGreaterThanOrEqual(bounds.minX);
          expect(end.x).toBeLessThanOrEqual(bounds.maxX);
          expect(end.y).toBeGreaterThanOrEqual(bounds.minY);
          expect(end.y).toBeLessThanOrEqual(bounds.maxY);
        }
      }),
    );
  });
});

/** Checks that lines have their length and arc ends lie on their circle, to a billionth. */
function checkSegment(segment: Segment, feature: Feature | undefined): void {
  const precision = (1 + Math.abs(segment.to.x) + Math.abs(segment.to.y)) * 1e-9;
  expect(Number.isFinite(segment.to.x) && Number.isFinite(segment.to.y)).toBe(true);
  if (segment.kind === 'line') {
    const length = feature?.type === 'Straight' ? feature.length : Number.NaN;
    expect(Math.abs(distance(segment.from, segment.to) - length)).toBeLessThan(precision);
  }
  if (segment.kind === 'arc') {
    const slack = precision + segment.radius * 1e-9;
    expect(Math.abs(distance(segment.centre, segment.to) - segment.radius)).toBeLessThan(slack);
  }
}

describe('the levelled path', () => {
  const angle = (degrees: number): Feature => ({ type: 'Angle', angle: degrees, hemHeight: 0 });

  it.each<[string, readonly Feature[], (segments: readonly Segment[]) => number]>([
    [
      'lays the web of a channel flat',
      [straight(1), angle(90), straight(4), angle(90), straight(1)],
      (s) => rise(s[2]),
    ],
    ['lays a ridge cap on its two edges', [straight(6), angle(-36), straight(6)], (s) => rise(s[0]) + rise(s[2])],
    ['lays the longest of similar legs flat', [straight(4), angle(-90), straight(4.5)], (s) => rise(s[2])],
  ])('%s', (_, features, slope) => {
    expect(slope(levelledPath(features).segments)).toBeCloseTo(0, 9);
  });

  it('runs from left to right', () => {
    fc.assert(
      // At sizes near the smallest number, the rounding is larger than the profile.
      fc.property(anyFeatures(20, sheetSize), (features) => {
        const { segments, bounds } = levelledPath(features);
        const width = bounds.maxX - bounds.minX;
        expect(segments.at(-1)?.to.x).toBeGreaterThanOrEqual(-width * 0.051);
      }),
    );
  });

  it('of the largest profile is made in milliseconds', () => {
    const features = largestFeatures();
    levelledPath(features);
    const from = processorMs();
    expect(levelledPath(features).segments).toHaveLength(999);
    expect(processorMs() - from).toBeLessThan(50);
  });
});

function rise(segment: Segment | undefined): number {
  return segment === undefined ? Number.NaN : segment.to.y - segment.from.y;
}
