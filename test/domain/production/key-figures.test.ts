import { expect, it } from 'vitest';
import { keyFigures } from '../../../src/domain/production/key-figures.ts';
import { NO_SUMS, type ProductionSums, plusSums } from '../../../src/domain/production/production-sums.ts';

const HOUR = 3_600_000;

/** Worked out by hand with the formulas of ISO 22400-2. */
it.each<{ case: string; sums: Partial<ProductionSums>; expected: Partial<ReturnType<typeof keyFigures>> }>([
  {
    case: 'planned busy time: 8 h planned, 1 h planned stops and 1 h without an answer leave 6 h',
    sums: { plannedMs: 8 * HOUR, plannedStopMs: HOUR, offlineMs: HOUR },
    expected: { plannedBusyMs: 6 * HOUR },
  },
  {
    case: 'availability: it ran 4.5 h of 6 h busy time',
    sums: { plannedMs: 8 * HOUR, plannedStopMs: HOUR, offlineMs: HOUR, runningMs: 4.5 * HOUR },
    expected: { availability: 0.75 },
  },
  {
    case: 'effectiveness: 300 pieces that need 2.7 h were made in 3 h; pieces without a rate do not count',
    sums: { goodParts: 400, ratedParts: 300, idealMs: 2.7 * HOUR, ratedRunningMs: 3 * HOUR },
    expected: { effectiveness: 0.9, ratedShare: 0.75 },
  },
  {
    case: 'effectiveness above 1 is shown as it is',
    sums: { goodParts: 1, ratedParts: 1, idealMs: 2 * HOUR, ratedRunningMs: HOUR },
    expected: { effectiveness: 2 },
  },
  {
    case: 'quality ratio: 97 of 100 pieces are good',
    sums: { goodParts: 97, badParts: 3 },
    expected: { qualityRatio: 0.97 },
  },
  {
    case: 'OEE index: 0.8 × 0.9 × 0.5',
    sums: {
      plannedMs: 10 * HOUR,
      runningMs: 8 * HOUR,
      goodParts: 50,
      badParts: 50,
      ratedParts: 100,
      idealMs: 7.2 * HOUR,
      ratedRunningMs: 8 * HOUR,
    },
    expected: { oeeIndex: 0.36000000000000004, availabilityAndQuality: 0.4 },
  },
  {
    case: 'without a rate there is no OEE index, but availability × quality',
    sums: { plannedMs: 10 * HOUR, runningMs: 8 * HOUR, goodParts: 1 },
    expected: { oeeIndex: null, effectiveness: null, availabilityAndQuality: 0.8 },
  },
  {
    case: 'MTBF and MTTR: 40 h of running and 2 h of repair in 4 breakdowns',
    sums: { runningMs: 40 * HOUR, breakdowns: 4, breakdownMs: 2 * HOUR },
    expected: { mtbfMs: 10 * HOUR, mttrMs: HOUR / 2 },
  },
  {
    case: 'nothing planned and nothing made: no figure is a number',
    sums: {},
    expected: {
      availability: null,
      effectiveness: null,
      qualityRatio: null,
      oeeIndex: null,
      mtbfMs: null,
      mttrMs: null,
    },
  },
])('D-76: $case', ({ sums, expected }) => {
  expect(keyFigures({ ...NO_SUMS, ...sums })).toMatchObject(expected);
});

it('D-76: the figures of several machines come from their added times, not from the mean of their percentages', () => {
  const small = { ...NO_SUMS, plannedMs: HOUR, runningMs: 0 };
  const large = { ...NO_SUMS, plannedMs: 9 * HOUR, runningMs: 9 * HOUR };
  expect(keyFigures(plusSums(small, large)).availability).toBe(0.9);
});

it('D-76: machines without a target do not hide the target of others', () => {
  expect(plusSums({ ...NO_SUMS, targetParts: 100 }, NO_SUMS).targetParts).toBe(100);
  expect(plusSums(NO_SUMS, NO_SUMS).targetParts).toBeNull();
});
