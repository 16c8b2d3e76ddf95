import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scheduleRetention } from '../../../src/adapters/system/retention-schedule.ts';
import type { RetentionResult } from '../../../src/flows/store-ports.ts';
import { quietLog } from '../store/open-test-store.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;
const DONE: RetentionResult = { state: 'done', deletedRows: 0, deletedBlocks: 0, deletedPoints: 0 };
const REFUSED: RetentionResult = { state: 'refused', reason: 'the clock is wrong' };

interface Hours {
  /** Local time. */
  readonly from: readonly [month: number, day: number, hour: number];
  readonly hours: number;
  /** The number of tries that are refused at first. */
  readonly refusals?: number;
  /** The year to which the clock is set after half an hour. */
  readonly setTo?: number;
}

/** The local times of the tries, and the number of reported refusals. */
async function triesDuring({ from: [month, day, hour], hours, refusals = 0, setTo }: Hours) {
  vi.setSystemTime(new Date(2027, month - 1, day, hour));
  const tries: string[] = [];
  const retain = async () => {
    const now = new Date();
    tries.push(`${now.getDate()}. ${now.getHours()}:${now.getMinutes()}`);
    return tries.length > refusals ? DONE : REFUSED;
  };
  const report = vi.fn();
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const schedule = scheduleRetention({ store: { retain }, timeZone, incidents: { report }, log: quietLog });
  if (setTo !== undefined) {
    await vi.advanceTimersByTimeAsync(HOUR_MS / 2);
    vi.setSystemTime(new Date(setTo, month - 1, day, hour));
  }
  await vi.advanceTimersByTimeAsync(hours * HOUR_MS);
  schedule.stop();
  await vi.advanceTimersByTimeAsync(72 * HOUR_MS);
  return { tries, reports: report.mock.calls.length };
}

it.each<readonly [string, Hours, readonly string[], number]>([
  [
    'within an hour of the start, then each night',
    { from: [2, 1, 12], hours: 40 },
    ['1. 12:17', '2. 3:17', '3. 3:17'],
    0,
  ],
  ['on a computer that is off at night', { from: [2, 1, 6], hours: 14 }, ['1. 6:17'], 0],
  [
    'again each hour after a refusal, which is reported if it is repeated',
    { from: [2, 1, 6], hours: 5, refusals: 2 },
    ['1. 6:17', '1. 7:17', '1. 8:17'],
    1,
  ],
  [
    'again within an hour after one refusal, which is not reported',
    { from: [2, 1, 6], hours: 5, refusals: 1 },
    ['1. 6:17', '1. 7:17'],
    0,
  ],
  [
    'each night also after a clock that was wrong by ten years is put back',
    { from: [2, 1, 12], hours: 40, setTo: 2017 },
    ['1. 12:17', '2. 3:17', '3. 3:17'],
    0,
  ],
  [
    'once, not for each night that the clock leaves out, if it is put forward by ten years',
    { from: [2, 1, 12], hours: 16, setTo: 2037 },
    ['1. 12:17', '2. 3:17'],
    0,
  ],
])('old records are deleted %s', async (_, hours, tries, reports) => {
  expect(await triesDuring(hours)).toEqual({ tries, reports });
});

it('D-56 old records are deleted at night in the time zone of the shifts', async () => {
  vi.setSystemTime(new Date('2027-10-30T22:00:00Z'));
  const tries: string[] = [];
  const retain = async () => {
    tries.push(new Date().toISOString().slice(5, 16));
    return DONE;
  };
  const options = { store: { retain }, incidents: { report: () => undefined }, log: quietLog };
  const schedule = scheduleRetention({ ...options, timeZone: 'Asia/Tokyo' });
  await vi.advanceTimersByTimeAsync(30 * HOUR_MS);
  schedule.stop();
  expect(tries).toEqual(['10-30T22:17', '10-31T18:17']);
});
