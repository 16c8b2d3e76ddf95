import { expect, it } from 'vitest';
import { lossesAfter, type Misses } from '../../../src/domain/mirror/losses.ts';

const NONE: Misses = new Map();

function passesUntilGone(missing: readonly string[], present: number): number {
  let misses = NONE;
  for (let pass = 1; pass < 100; pass++) {
    const losses = lossesAfter(misses, missing, present);
    if (losses.gone.length > 0) return pass;
    misses = losses.misses;
  }
  return Number.POSITIVE_INFINITY;
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `C-${index}`);

it.each([
  ['one of many', ids(1), 1_000, 2],
  ['the only one', ids(1), 1, 12],
  ['all of few', ids(9), 9, 12],
  ['most of few', ids(8), 9, 2],
  ['half of many', ids(50), 100, 2],
  ['more than half of many', ids(51), 100, 12],
  ['all of many', ids(1_000), 1_000, 12],
])('UP-07 %s is removed after the set number of readings that lack it', (_, missing, present, passes) => {
  expect(passesUntilGone(missing, present)).toBe(passes);
});

it('UP-07 a reading that has the record restarts the count', () => {
  const once = lossesAfter(NONE, ['C-1'], 10);
  const held = lossesAfter(once.misses, [], 10);
  expect(lossesAfter(held.misses, ['C-1'], 10).gone).toEqual([]);
  expect(lossesAfter(once.misses, ['C-1', 'C-2'], 10)).toEqual({ gone: ['C-1'], misses: new Map([['C-2', 1]]) });
});
