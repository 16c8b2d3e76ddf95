import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Activity, WorkSession } from '../../../src/domain/machine/records.ts';
import { type ShiftRecords, summariseShift } from '../../../src/domain/production/shift-summary.ts';
import { machine } from '../../adapters/store/open-test-store.ts';

const MINUTE = 60_000;
const SHIFT = {
  shiftDate: '2026-11-24',
  shiftName: 'Early',
  startMs: 0,
  endMs: 480 * MINUTE,
  isPlanned: true,
  breaks: [{ from: 240 * MINUTE, to: 270 * MINUTE }],
};

/** Times of the cases are minutes since the start of the shift. */
const span = (activity: Activity, from: number, to: number | null) => ({
  activity,
  startedAt: from * MINUTE,
  endedAt: to === null ? null : to * MINUTE,
});
const stop = (reasonId: string | null, from: number, to: number | null) => ({
  reasonId,
  startedAt: from * MINUTE,
  endedAt: to === null ? null : to * MINUTE,
});
const session = (partId: string | null, from: number, to: number | null, goodParts: number): WorkSession => ({
  sessionId: `${partId}-${from}`,
  machineId: machine('RF-01'),
  jobNumber: null,
  partId,
  userId: null,
  startedAt: from * MINUTE,
  lastActiveAt: (to ?? 480) * MINUTE,
  endedAt: to === null ? null : to * MINUTE,
  goodParts,
  badParts: 0,
  cycles: goodParts,
});
const made = (goodParts: number) => ({ goodParts, badParts: 0, cycles: goodParts });

const minutes = (records: Partial<ShiftRecords>, nowMinute = 480) => {
  const { times, stops } = summariseShift(
    SHIFT,
    { made: made(0), spans: [], downtimes: [], sessions: [], ...records },
    nowMinute * MINUTE,
  );
  const { runningMs, breakMs, faultMs, shortMs, offlineMs } = times;
  return {
    running: runningMs / MINUTE,
    break: breakMs / MINUTE,
    fault: faultMs / MINUTE,
    short: shortMs / MINUTE,
    offline: offlineMs / MINUTE,
    stops: stops.map(({ reasonId, count, ms, longestMs }) => [reasonId, count, ms / MINUTE, longestMs / MINUTE]),
  };
};

it.each([
  {
    case: 'a machine that is never heard does not respond for the whole shift',
    records: {},
    expected: { running: 0, break: 0, fault: 0, short: 0, offline: 480, stops: [] },
  },
  {
    case: 'a break counts only while the machine does not run in it',
    records: { spans: [span('running', 0, 250), span('stopped', 250, 280), span('running', 280, 480)] },
    expected: { running: 450, break: 20, fault: 0, short: 10, offline: 0, stops: [] },
  },
  {
    case: 'the part of a downtime in a break counts as the break alone',
    records: {
      spans: [span('running', 0, 230), span('down', 230, 300), span('running', 300, 480)],
      downtimes: [stop('DT-1', 230, 300)],
    },
    expected: { running: 410, break: 30, fault: 0, short: 0, offline: 0, stops: [['DT-1', 1, 40, 70]] },
  },
  {
    case: 'time without an answer is not a stop, also within a downtime',
    records: {
      spans: [span('running', 0, 100), span('down', 100, 120), span('offline', 120, 150), span('down', 150, 200)],
      downtimes: [stop(null, 100, 200)],
    },
    expected: { running: 100, break: 0, fault: 0, short: 0, offline: 310, stops: [[null, 1, 70, 100]] },
  },
  {
    case: 'a fault within a downtime belongs to its reason',
    records: {
      spans: [span('running', 0, 100), span('fault', 100, 160), span('running', 160, 480)],
      downtimes: [stop('DT-2', 110, 160)],
    },
    expected: { running: 420, break: 0, fault: 10, short: 0, offline: 0, stops: [['DT-2', 1, 50, 50]] },
  },
  {
    case: 'a stop that began before the shift counts its time here, and is counted there',
    records: {
      spans: [span('down', -60, 30), span('running', 30, 480)],
      downtimes: [stop('DT-1', -60, 30)],
    },
    expected: { running: 450, break: 0, fault: 0, short: 0, offline: 0, stops: [['DT-1', 0, 30, 0]] },
  },
  {
    case: 'a stop that lasts counts up to now',
    records: { spans: [span('running', 0, 60), span('down', 60, null)], downtimes: [stop(null, 60, null)] },
    now: 90,
    expected: { running: 60, break: 0, fault: 0, short: 0, offline: 0, stops: [[null, 1, 30, 30]] },
  },
])('D-74: $case', ({ records, expected, now }) => {
  expect(minutes(records, now)).toEqual(expected);
});

/** The ends of stretches that follow each other. */
function following(lengths: readonly number[], start: number): readonly number[] {
  let end = start;
  return lengths.map((length) => {
    end += length;
    return end;
  });
}

const ACTIVITIES: readonly Activity[] = ['running', 'stopped', 'down', 'fault', 'offline'];

it('D-74: the times and stops of a shift add up to its length, whatever the records are', () => {
  const stretch = fc.tuple(fc.integer({ min: 1, max: 120 }), fc.constantFrom(...ACTIVITIES));
  fc.assert(
    fc.property(
      fc.array(stretch, { maxLength: 12 }),
      fc.array(fc.integer({ min: 0, max: 600 }), { maxLength: 8 }),
      (stretches, cuts) => {
        const ends = following(
          stretches.map(([length]) => length),
          -60,
        );
        const spans = stretches.map(([length, activity], place) =>
          span(activity, (ends[place] ?? 0) - length, ends[place] ?? 0),
        );
        const times = [...cuts].sort((one, other) => one - other);
        const downtimes = times.flatMap((at, place) =>
          place % 2 === 1 ? [stop(`DT-${place % 3}`, times[place - 1] ?? 0, at)] : [],
        );
        const sums = minutes({ spans, downtimes });
        const stopped = sums.stops.reduce((sum, [, , length]) => sum + Number(length), 0);
        expect(sums.running + sums.break + sums.fault + sums.short + sums.offline + stopped).toBeCloseTo(480);
      },
    ),
  );
});

it.each([
  {
    case: 'sessions within the shift have their own counts',
    sessions: [session('P-1', 0, 200, 60), session('P-2', 200, 480, 40)],
    pieces: 100,
    expected: [
      ['P-1', 60],
      ['P-2', 40],
    ],
  },
  {
    case: 'a session that reaches over the end of the shift has what is left of its pieces',
    sessions: [session('P-1', 0, 200, 60), session('P-2', 200, 900, 500)],
    pieces: 100,
    expected: [
      ['P-1', 60],
      ['P-2', 40],
    ],
  },
  {
    case: 'two sessions that reach over its ends share what is left by the time that the machine ran in them',
    sessions: [session('P-0', -300, 120, 800), session('P-2', 120, 900, 500)],
    pieces: 101,
    expected: [
      ['P-0', 25],
      ['P-2', 76],
    ],
  },
  { case: 'pieces without a session have no part', sessions: [], pieces: 7, expected: [[null, 7]] },
])('D-75: $case', ({ sessions, pieces, expected }) => {
  const records = { made: made(pieces), spans: [span('running', 0, 480)], downtimes: [], sessions };
  const { work } = summariseShift(SHIFT, records, 480 * MINUTE);
  expect(work.map(({ partId, goodParts }) => [partId, goodParts])).toEqual(expected);
});

it('D-75: the pieces of all parts add up to those of the shift', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 6 }), fc.nat(500), (lengths, pieces) => {
      const ends = following(lengths, -100);
      const sessions = lengths.map((length, place) =>
        session(`P-${length}`, (ends[place] ?? 0) - length, ends[place] ?? 0, 0),
      );
      const records = { made: made(pieces), spans: [span('running', 0, 480)], downtimes: [], sessions };
      const { work } = summariseShift(SHIFT, records, 480 * MINUTE);
      const sum = work.reduce((total, { goodParts }) => total + goodParts, 0);
      expect(sum).toBe(pieces);
    }),
  );
});
