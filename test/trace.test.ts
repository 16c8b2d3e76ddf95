import { expect, it } from 'vitest';
import { idsToTest, namedIds, unknownReferences } from './trace.ts';

it('every requirement and decision that is not planned is named by a test', () => {
  const named = namedIds(import.meta.dirname);
  expect(idsToTest().length).toBeGreaterThan(100);
  expect(idsToTest().filter((id) => !named.has(id))).toEqual([]);
});

it('every id and document that a source or a test names exists in docs', () => {
  expect(unknownReferences()).toEqual([]);
});
