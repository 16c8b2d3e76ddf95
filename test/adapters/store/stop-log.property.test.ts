import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { openTestStore, RF1, START_AT } from './open-test-store.ts';

const NOW = START_AT;
const RANGE = { from: START_AT - 1_000_000, to: START_AT };

/** Times that do not overlap: pauses and lengths in turn. The last may still last. */
const anyTimes = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 1_400 }),
  isOpen: fc.boolean(),
});

function timesOf({ lengths, isOpen }: { readonly lengths: readonly number[]; readonly isOpen: boolean }) {
  let at = RANGE.from - 500;
  const times = [];
  for (let place = 0; place + 1 < lengths.length; place += 2) {
    const startedAt = at + (lengths[place] ?? 0);
    at = startedAt + (lengths[place + 1] ?? 0);
    times.push({ startedAt, endedAt: at as number | null });
  }
  const last = times.at(-1);
  if (last !== undefined && isOpen) last.endedAt = null;
  return times;
}

it('D-86: each line and its sums are what a look at every pair of stop and fault gives', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(anyTimes, anyTimes, fc.integer({ min: 1, max: 700 }), async (anyStops, anyFaults, limit) => {
      const { store } = await openTestStore();
      const [stops, faults] = [timesOf(anyStops), timesOf(anyFaults)];
      await store.write([
        ...stops.map((times, place): StoreRecord => {
          const about = { downtimeId: `D-${place}`, machineId: RF1, reasonId: null, note: null, userName: null };
          return { kind: 'downtime', downtime: { ...about, ...times } };
        }),
        ...faults.map((times, place): StoreRecord => {
          return { kind: 'span', span: { spanId: `S-${place}`, machineId: RF1, activity: 'fault', ...times } };
        }),
      ]);
      const filter = { part: null, reasonId: null, search: null, breakdownReasons: new Set<string>() };
      const page = await store.stopLog({ machineIds: [RF1], ranges: [RANGE], filter, limit, nowAt: NOW });
      const expected = naively(stops, faults);
      expect(page.count).toBe(expected.length);
      expect(page.totalMs).toBe(sum(expected.map(({ startedAt, endedAt }) => (endedAt ?? NOW) - startedAt)));
      expect(page.faultMs).toBe(sum(expected.map(({ faultMs }) => faultMs)));
      expect(page.rows.map(({ startedAt, endedAt, faultMs }) => ({ startedAt, endedAt, faultMs }))).toEqual(
        expected.slice(0, limit),
      );
      await store.close();
    }),
    { numRuns: 15 },
  );
});

type Times = ReturnType<typeof timesOf>[number];

function naively(stops: readonly Times[], faults: readonly Times[]) {
  const shared = (one: Times, other: Times) =>
    Math.min(one.endedAt ?? NOW, other.endedAt ?? NOW) - Math.max(one.startedAt, other.startedAt);
  const ofStops = stops.map((stop) => ({
    ...stop,
    faultMs: sum(faults.map((fault) => Math.max(0, shared(stop, fault)))),
  }));
  const alone = faults
    .filter((fault) => stops.every((stop) => shared(fault, stop) <= 0))
    .map((fault) => ({ ...fault, faultMs: (fault.endedAt ?? NOW) - fault.startedAt }));
  return [...ofStops, ...alone]
    .filter(({ startedAt }) => startedAt >= RANGE.from && startedAt < RANGE.to)
    .sort((one, other) => other.startedAt - one.startedAt);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
