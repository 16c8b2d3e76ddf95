import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearestName } from '../../src/domain/nearest-name.ts';

/** The textbook's distance with whole rows: letters to add, leave out, change, or swap with their neighbour. */
function distance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, column) => (row === 0 ? column : row)),
  );
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    for (let column = 1; column <= other.length; column++) {
      const [letter, before] = [one[row - 1], one[row - 2]];
      const isSwapped = row > 1 && column > 1 && letter === other[column - 2] && before === other[column - 1];
      rows[row]?.splice(
        column,
        1,
        Math.min(
          at(row - 1, column - 1) + (letter === other[column - 1] ? 0 : 1),
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}

const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 10 });

it('D-36 the name that is meant differs by no, one or two letters, depending on its length', () => {
  const mostDifferences = (length: number) => (length < 4 ? 0 : length < 8 ? 1 : 2);
  fc.assert(
    fc.property(name, fc.array(name, { maxLength: 5 }), (wanted, candidates) => {
      const found = nearestName(wanted, candidates);
      const distances = candidates.map((candidate) => distance(wanted, candidate));
      const least = Math.min(...distances, Number.POSITIVE_INFINITY);
      const expected = least <= mostDifferences(wanted.length) ? candidates[distances.indexOf(least)] : null;
      expect(found).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});
