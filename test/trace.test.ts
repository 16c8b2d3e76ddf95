import { expect, it } from 'vitest';
import { allIds, namedIds } from './trace.ts';

it('every requirement and decision is named by a test', () => {
  const named = namedIds(import.meta.dirname);
  expect(allIds().filter((id) => !named.has(id))).toEqual([]);
});
