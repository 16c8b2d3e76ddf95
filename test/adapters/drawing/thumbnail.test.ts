import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Drawn, profileDrawing, profileOutline } from '../../../src/domain/profile/drawing.ts';
import { type Feature, SIDES } from '../../../src/domain/profile/profile.ts';
import { SAMPLE_PROFILES } from '../../../src/simulator/plant/sample-profiles.ts';
import { anyFeatures, sheetSize } from '../../domain/profile/any-profile.ts';

const FRAME = { width: 256, height: 160 };

beforeAll(async () => {
  const wasmFile = createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm');
  await initWasm(readFileSync(wasmFile));
});

/** The most ink in the outermost pixels of a picture: 0 to 255. */
function inkAtTheEdge(svg: string): number {
  const { pixels, width, height } = new Resvg(svg, { font: { loadSystemFonts: false } }).render();
  const opacity = (x: number, y: number) => pixels[(y * width + x) * 4 + 3] ?? 0;
  const columns = Array.from({ length: width }, (_, x) => Math.max(opacity(x, 0), opacity(x, height - 1)));
  const rows = Array.from({ length: height }, (_, y) => Math.max(opacity(0, y), opacity(width - 1, y)));
  return Math.max(...columns, ...rows);
}

/** Less ink is not visible, for example of a line that ends at the very edge. */
const FAINT = 16;

function expectInside(drawn: Drawn): void {
  expect(inkAtTheEdge(profileOutline(drawn, FRAME))).toBeLessThan(FAINT);
  expect(inkAtTheEdge(profileDrawing(drawn, FRAME))).toBeLessThan(FAINT);
}

const straight: Feature = { type: 'Straight', length: 5, hemHeight: 0 };
const SHARP = [90, 120, 130, 135, 136, 140, 143, 150, 165, 175, 179, 179.999].flatMap((angle) => [angle, -angle]);

describe('SYNC-03 a picture of a profile shows the whole profile and its paint within the frame', () => {
  it.each(SHARP)('folded by %d degrees', (angle) => {
    for (const paintedSide of SIDES) {
      expectInside({ features: [straight, { type: 'Angle', angle, hemHeight: 0 }, straight], paintedSide });
    }
  });

  it.each(SAMPLE_PROFILES.map(({ profileName, features }) => [profileName, features] as const))('%s', (_, features) => {
    for (const paintedSide of SIDES) expectInside({ features, paintedSide });
  });

  it('of any shape', () => {
    fc.assert(
      fc.property(anyFeatures(6, sheetSize), fc.constantFrom(...SIDES), (features, paintedSide) =>
        expectInside({ features, paintedSide }),
      ),
    );
  });
});
