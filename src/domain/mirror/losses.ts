/**
 * Decides when a record is removed here because the central server no longer lists it. One list proves little: a server
 * that is starting gives an empty list, and pages shift while they are read. So:
 *
 * - A record is gone once it was missing from `PASSES` complete readings in a row.
 * - If all records are missing, or more than half of them and at least `MANY`, this takes `PASSES_OF_MANY` readings.
 * - A reading that contains the record sets its count back to 0.
 */
const PASSES = 2;
const MANY = 10;
const PASSES_OF_MANY = 12;

/** The number of readings in a row in which each record was missing. */
export type Misses = ReadonlyMap<string, number>;

export interface Losses {
  readonly misses: Misses;
  readonly gone: readonly string[];
}

/** The losses after a complete reading that lacks `missing` of the `present` records here. */
export function lossesAfter(before: Misses, missing: readonly string[], present: number): Losses {
  const isMany = missing.length === present || (missing.length >= MANY && missing.length > present / 2);
  const needed = isMany ? PASSES_OF_MANY : PASSES;
  const counts = missing.map((id): readonly [string, number] => [id, (before.get(id) ?? 0) + 1]);
  return {
    misses: new Map(counts.filter(([, count]) => count < needed)),
    gone: counts.filter(([, count]) => count >= needed).map(([id]) => id),
  };
}
