import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonDepthExceeds } from '../../../src/domain/json/json.ts';

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('the depth of JSON', () => {
  it.each([
    [nested(64), false],
    [nested(65), true],
    ['{"a":'.repeat(65), true],
    [`"${'['.repeat(200)}"`, false],
    [`{"a\\"${'{'.repeat(200)}":1}`, false],
    [`["${'\\\\'.repeat(40)}",${nested(63)}]`, false],
    [`["${'\\\\'.repeat(40)}",${nested(64)}]`, true],
    ['[],'.repeat(500), false],
    [`"never closed ${'['.repeat(100)}`, false],
    ['', false],
  ])('D-13 is judged right for %s', (json, exceeds) => {
    expect(jsonDepthExceeds(json, 64)).toBe(exceeds);
    expect(jsonDepthExceeds(new TextEncoder().encode(json), 64)).toBe(exceeds);
  });

  it('D-13 agrees with the depth of the parsed value', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 6 }), (json, limit) => {
        const exceeds = depthOf(JSON.parse(json)) > limit;
        expect(jsonDepthExceeds(json, limit)).toBe(exceeds);
        expect(jsonDepthExceeds(new TextEncoder().encode(json), limit)).toBe(exceeds);
      }),
    );
  });

  it('D-13 is measured even for nesting that would exhaust a parser', () => {
    expect(jsonDepthExceeds('['.repeat(1_000_000))).toBe(true);
  });
});
