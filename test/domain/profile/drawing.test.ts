import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DRAWING_FRAME, profileDrawing } from '../../../src/domain/profile/drawing.ts';
import { paintedLine } from '../../../src/domain/profile/painted-line.ts';
import { type Feature, SIDES } from '../../../src/domain/profile/profile.ts';
import { profilePath } from '../../../src/domain/profile/profile-path.ts';
import { SAMPLE_PROFILES } from '../../../src/simulator/plant/sample-profiles.ts';
import { anyFeatures, largestFeatures } from './any-profile.ts';

/** The ends of every line, arc and corner of the sheet. */
function sheetPoints(svg: string): readonly (readonly [x: number, y: number])[] {
  return [...svg.matchAll(/data-feature="\d+" d="M([^"]*)"/g)].flatMap(([, d = '']) => {
    const numbers = d
      .replace('h0', '')
      .split(/[ MLA]+/)
      .map((number) => Number(number));
    const [x = -1, y = -1] = numbers;
    const [toX = -1, toY = -1] = numbers.slice(-2);
    return [[x, y] as const, [toX, toY] as const];
  });
}

describe('the drawing of a profile', () => {
  it('has a path for each feature of any profile, in order, inside the frame', () => {
    fc.assert(
      fc.property(anyFeatures(), fc.constantFrom(null, ...SIDES), (features, paintedSide) => {
        const svg = profileDrawing({ features, paintedSide });
        expect(svg).not.toMatch(/NaN|Infinity|undefined|e[+-]\d/);
        const places = [...svg.matchAll(/data-feature="(\d+)"/g)].map(([, place]) => Number(place));
        expect(places).toEqual(features.map((_, place) => place));
        for (const [x, y] of sheetPoints(svg)) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(DRAWING_FRAME.width);
          expect(y).toBeGreaterThanOrEqual(0);
          expect(y).toBeLessThanOrEqual(DRAWING_FRAME.height);
        }
      }),
    );
  });

  it.each(SAMPLE_PROFILES.map((sample) => [sample.profileName, sample] as const))('%s fills its frame', (_, sample) => {
    const { features, paintedSide = null } = sample;
    const points = sheetPoints(profileDrawing({ features, paintedSide }));
    const xs = points.map(([x]) => x);
    const ys = points.map(([, y]) => y);
    const width = Math.max(...xs) - Math.min(...xs);
    const height = Math.max(...ys) - Math.min(...ys);
    expect(Math.max(width / DRAWING_FRAME.width, height / DRAWING_FRAME.height)).toBeGreaterThan(0.7);
  });

  it('keeps line widths at any size and marks only the painted side, if there is one', () => {
    const features = SAMPLE_PROFILES[0]?.features ?? [];
    const painted = profileDrawing({ features, paintedSide: 'Positive' });
    expect(painted).toContain('class="profile-paint"');
    expect(painted.match(/<path /g)).toHaveLength(features.length + 1);
    expect(painted.match(/vector-effect="non-scaling-stroke"/g)).toHaveLength(features.length + 1);
    expect(profileDrawing({ features, paintedSide: null })).not.toContain('profile-paint');
  });

  it('contains no style, script or text, so that any page can embed it', () => {
    expect(profileDrawing({ features: largestFeatures(), paintedSide: 'Negative' })).not.toMatch(
      /style|script|<text|href/,
    );
  });
});

describe('the painted line', () => {
  const straight = (length: number): Feature => ({ type: 'Straight', length, hemHeight: 0 });
  const beside = (side: 'Positive' | 'Negative', ...features: readonly Feature[]) =>
    paintedLine(profilePath(features, 0).segments, side, 1).map(({ from, to }) => ({ from, to }));
  const at = (x: number, y: number) => ({ x: expect.closeTo(x, 9), y: expect.closeTo(y, 9) });
  const corner: Feature = { type: 'Angle', angle: 90, hemHeight: 0 };

  it('lies left of the path on the positive side, cut back inside a bend', () => {
    expect(beside('Positive', straight(10), corner, straight(10))).toEqual([
      { from: at(0, 1), to: at(9, 1) },
      { from: at(9, 1), to: at(9, 10) },
    ]);
  });

  it('lies right of it on the negative side, reaching round the outside of a bend', () => {
    expect(beside('Negative', straight(10), corner, straight(10))).toEqual([
      { from: at(0, -1), to: at(11, -1) },
      { from: at(11, -1), to: at(11, 10) },
    ]);
  });

  it('reaches out to a point for folds up to 135 degrees, and runs round the tip of a sharper fold at a constant distance', () => {
    const fold = (angle: number) =>
      paintedLine(profilePath([straight(10), { ...corner, angle }, straight(10)], 0).segments, 'Negative', 1);
    const tip = 10 + Math.tan((67.5 * Math.PI) / 180);
    expect(fold(135)).toMatchObject([{ to: at(tip, -1) }, { from: at(tip, -1) }]);
    for (const angle of [135.001, 165, 179, 179.999]) {
      const sweep = (angle * Math.PI) / 180;
      const beyond = at(10 + Math.sin(sweep), -Math.cos(sweep));
      expect(fold(angle)).toMatchObject([
        { kind: 'line', to: at(10, -1) },
        { kind: 'arc', from: at(10, -1), to: beyond, radius: 1, sweep: expect.closeTo(sweep, 9) },
        { kind: 'line', from: beyond },
      ]);
    }
  });

  it('ends at the edge of a closed hem that covers it, and runs round a hem on its outside', () => {
    const hem: Feature = { type: 'ClosedHem', hemDirection: 'Positive', hemHeight: 0 };
    expect(beside('Positive', straight(10), hem, straight(3))).toEqual([{ from: at(0, 1), to: at(7, 1) }]);
    expect(beside('Negative', straight(10), hem, straight(3))).toHaveLength(3);
  });
});
