import { expect, it } from 'vitest';
import { builtIds, namedIds } from './trace.ts';

it('every requirement and decision that is built is named by a test', () => {
  const named = namedIds(import.meta.dirname);
  expect(builtIds().filter((id) => !named.has(id))).toEqual([]);
});
