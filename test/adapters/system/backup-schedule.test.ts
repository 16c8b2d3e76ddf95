import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scheduleBackups } from '../../../src/adapters/system/backup-schedule.ts';
import type { BackupView } from '../../../src/flows/backup/backup-ports.ts';
import { quietLog } from '../store/open-test-store.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

interface Days {
  /** 02:47 without it. */
  readonly at?: string;
  readonly from: string;
  /** The time of the newest backup at the beginning. */
  readonly newest: string | null;
  readonly hours: number;
  readonly failures?: number;
  /** The clock is set to this time after half an hour. */
  readonly setTo?: string;
}

/** The times of the backups that were taken. */
async function takenDuring({
  at = '02:47',
  from,
  newest,
  hours,
  failures = 0,
  setTo,
}: Days): Promise<readonly string[]> {
  vi.setSystemTime(new Date(from));
  const backup = (takenAt: string): BackupView => ({ file: '', takenAt, bytes: 0 });
  const taken: BackupView[] = newest === null ? [] : [backup(newest)];
  const known = taken.length;
  let failed = 0;
  const take = async () => {
    if (failed++ < failures) throw new Error('no room');
    taken.unshift(backup(new Date().toISOString()));
    return taken[0] ?? backup('');
  };
  const times = { at, timeZone: 'America/Chicago' };
  const daily = scheduleBackups({ takeAndRotate: take, list: async () => taken }, times, quietLog);
  if (setTo !== undefined) {
    await vi.advanceTimersByTimeAsync(HOUR_MS / 2);
    vi.setSystemTime(new Date(setTo));
  }
  await vi.advanceTimersByTimeAsync(hours * HOUR_MS);
  daily.stop();
  await vi.advanceTimersByTimeAsync(72 * HOUR_MS);
  return taken
    .slice(0, taken.length - known)
    .map(({ takenAt }) => takenAt.slice(5, 16))
    .toReversed();
}

it.each<readonly [string, Days, readonly string[]]>([
  [
    'each day, at its time in the time zone of the shifts',
    { from: '2027-02-01T00:00:00Z', newest: '2027-01-31T08:47:00Z', hours: 60 },
    ['02-01T08:47', '02-02T08:47', '02-03T08:47'],
  ],
  [
    'a day after the other, on the day of 25 hours too',
    { from: '2027-11-06T20:00:00Z', newest: '2027-11-06T07:47:00Z', hours: 40 },
    ['11-07T08:47', '11-08T08:47'],
  ],
  [
    'once (D-56) on the day that has its time twice',
    { at: '01:30', from: '2027-11-06T20:00:00Z', newest: '2027-11-06T06:30:00Z', hours: 40 },
    ['11-07T06:30', '11-08T07:30'],
  ],
  [
    'at the times of a cron expression (D-56)',
    { at: '5 6,18 * * 1-5', from: '2027-02-05T00:00:00Z', newest: '2027-02-04T12:05:00Z', hours: 96 },
    ['02-05T00:05', '02-05T12:05', '02-06T00:05', '02-08T12:05'],
  ],
  [
    'at once if the longest pause of the cron expression is over, as after a month off',
    { at: '47 2 * * 0', from: '2027-03-01T12:00:00Z', newest: '2027-01-31T08:47:00Z', hours: 100 },
    ['03-01T12:17'],
  ],
  [
    'no earlier than that: on a day off there is none',
    { at: '47 2 * * 1-5', from: '2027-02-06T12:00:00Z', newest: '2027-02-05T08:47:00Z', hours: 48 },
    ['02-08T08:47'],
  ],
  [
    'within an hour (D-49) although the newest one is of a later time, when the clock was wrong',
    { from: '2027-02-01T10:00:00Z', newest: '2028-01-31T08:47:00Z', hours: 20 },
    ['02-01T10:17'],
  ],
  [
    'also on the day that does not have its time',
    { from: '2027-03-13T20:00:00Z', newest: '2027-03-13T08:47:00Z', hours: 30 },
    ['03-14T10:17'],
  ],
  [
    'after a night in which the computer was off',
    { from: '2027-02-02T12:00:00Z', newest: '2027-01-31T09:00:00Z', hours: 3 },
    ['02-02T12:17'],
  ],
  ['soon after the first start', { from: '2027-02-02T12:00:00Z', newest: null, hours: 3 }, ['02-02T12:17']],
  [
    'again after one that failed',
    { from: '2027-02-01T00:00:00Z', newest: '2027-01-31T08:47:00Z', hours: 14, failures: 3 },
    ['02-01T12:17'],
  ],
  [
    'at its time after a clock that was wrong by ten years is put back',
    { from: '2037-02-01T00:00:00Z', newest: '2037-01-31T08:47:00Z', hours: 60, setTo: '2027-02-01T00:00:00Z' },
    ['02-01T00:17', '02-01T08:47', '02-02T08:47', '02-03T08:47'],
  ],
  [
    'once, not for each day that the clock leaves out, if it is put forward by ten years',
    { from: '2017-02-01T00:00:00Z', newest: '2017-01-31T08:47:00Z', hours: 20, setTo: '2027-02-01T00:00:00Z' },
    ['02-01T00:17', '02-01T08:47'],
  ],
])('a backup is taken %s', async (_, days, expected) => {
  expect(await takenDuring(days)).toEqual(expected);
});
