import { describe, expect, it } from 'vitest';
import {
  DIMENSIONED_FRAMES,
  dimensionedDrawing,
  overallSize,
} from '../../../src/domain/profile/dimensioned-drawing.ts';
import type { Feature } from '../../../src/domain/profile/profile.ts';
import { SAMPLE_PROFILES } from '../../../src/simulator/plant/sample-profiles.ts';

const straight = (length: number): Feature => ({ type: 'Straight', length, hemHeight: 0 });
const angle = (degrees: number): Feature => ({ type: 'Angle', angle: degrees, hemHeight: 0 });
const CHANNEL = [straight(1.5), angle(90), straight(3.25), angle(90), straight(2)];

const textsAs = (text: (size: number) => string, frame: keyof typeof DIMENSIONED_FRAMES = 'large') => ({
  length: text,
  overall: text,
  frame: DIMENSIONED_FRAMES[frame],
});

function textsOf(svg: string) {
  return [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</g)].map(([, x, y, text]) => ({
    x: Number(x),
    y: Number(y),
    text: text ?? '',
  }));
}

describe('F12 the drawing of a profile', () => {
  it('has the length of each straight, and the overall width and height', () => {
    const svg = dimensionedDrawing({ features: CHANNEL, paintedSide: 'Positive' }, textsAs(String), null);
    expect(
      textsOf(svg)
        .map(({ text }) => text)
        .sort(),
    ).toEqual(['1.5', '2', '2', '3.25', '3.25']);
    expect(overallSize(CHANNEL)).toEqual({ width: expect.closeTo(2), height: expect.closeTo(3.25) });
  });

  it('writes sizes as the page does, as text and never as markup', () => {
    const svg = dimensionedDrawing(
      { features: CHANNEL, paintedSide: null },
      textsAs((size) => `<${size * 2}>`),
      null,
    );
    expect(svg).toContain('&lt;6.5>');
  });

  const samples = SAMPLE_PROFILES.map(
    (profile) => [profile.profileName, profile.features as readonly Feature[]] as const,
  );
  it.each(
    (['large', 'small'] as const).flatMap((frame) =>
      samples.map(([name, features]) => [frame, name, features] as const),
    ),
  )('has in a %s frame texts of %s that lie in it and not on each other', (frame, _, features) => {
    const { width, height } = DIMENSIONED_FRAMES[frame];
    const inches = (size: number) => size.toFixed(2);
    const texts = textsOf(dimensionedDrawing({ features, paintedSide: 'Negative' }, textsAs(inches, frame), null));
    expect(texts.length).toBeGreaterThan(1);
    for (const [place, { x, y, text }] of texts.entries()) {
      // Digits of a wide font.
      const half = text.length * 4;
      expect(x - half).toBeGreaterThan(0);
      expect(x + half).toBeLessThan(width);
      expect(y).toBeLessThan(height);
      for (const other of texts.slice(place + 1)) {
        const isBeside = Math.abs(x - other.x) >= half + other.text.length * 4;
        expect(isBeside || Math.abs(y - other.y) >= 14).toBe(true);
      }
    }
  });

  it('shows the length of the chosen straight where there is no room for all', () => {
    const comb = Array.from({ length: 199 }, (_, at) =>
      at % 2 === 0 ? straight(0.37) : angle(at % 4 === 1 ? 90 : -90),
    );
    const chosen = comb.map((feature, at) => (at === 100 ? straight(0.41) : feature));
    const texts = (selected: number | null) =>
      textsOf(dimensionedDrawing({ features: chosen, paintedSide: null }, textsAs(String), selected)).map(
        ({ text }) => text,
      );
    expect(texts(100)).toContain('0.41');
    expect(texts(null).length).toBeLessThan(100);
  });

  it('takes no longer than a key press, at the most features', () => {
    const long = Array.from({ length: 999 }, (_, at) => (at % 2 === 0 ? straight(1) : angle(at % 4 === 1 ? 60 : -60)));
    const startedMs = performance.now();
    dimensionedDrawing({ features: long, paintedSide: 'Positive' }, textsAs(String), null);
    expect(performance.now() - startedMs).toBeLessThan(500);
  });
});
