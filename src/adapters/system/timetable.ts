import { createTask, parse, schedule } from 'node-cron';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
import type { Log } from '../../flows/ports.ts';

/** Smaller differences are the slow corrections of a healthy clock. */
const CLOCK_JUMP_MS = 1_000;
/** More than the days of a month: the longest row of days in a pattern of weeks or months. */
const DAYS_AHEAD = 32;

export interface Timetable {
  /** Five fields: minute, hour, day of the month, month and day of the week. */
  readonly cron: string;
  readonly timeZone: string;
  readonly log: Log;
}

/**
 * Calls `act` at times of the wall clock. A time at which the last call is still under way is left out and logged.
 * node-cron plans the next time alone, so it plans anew within a minute after the clock was set: times that the clock
 * leaves out are left out.
 */
export function runAt({ cron, timeZone, log }: Timetable, act: () => Promise<unknown>): { stop(): void } {
  const tell = (message: string | Error) => log.warn({ cron }, String(message));
  const task = schedule(cron, act, {
    timezone: timeZone,
    noOverlap: true,
    missedExecutionTolerance: MINUTE_MS,
    suppressMissedWarning: true,
    unref: true,
    logger: { info: tell, warn: tell, error: tell, debug: tell },
  });
  let offsetMs = Date.now() - performance.now();
  const watching = setInterval(() => {
    const foundMs = Date.now() - performance.now();
    if (Math.abs(foundMs - offsetMs) < CLOCK_JUMP_MS) return;
    offsetMs = foundMs;
    void task.stop();
    void task.start();
  }, MINUTE_MS).unref();
  const stop = () => {
    clearInterval(watching);
    void task.destroy();
  };
  return { stop };
}

/** The longest time between two runs. An hour that a day has twice or not at all does not count. */
export function longestPauseMs(cron: string): number {
  const hours = parse(cron).hour.toSorted((one, other) => one - other);
  const betweenHours = Math.max(...steps(hours)) * HOUR_MS;
  const nightMs = ((hours[0] ?? 0) - (hours.at(-1) ?? 0)) * HOUR_MS;
  return Math.max(betweenHours, longestPauseDays(cron) * DAY_MS + nightMs);
}

function longestPauseDays(cron: string): number {
  const [, , ...days] = cron.split(' ');
  const task = createTask(['0', '12', ...days].join(' '), () => undefined, { timezone: 'UTC' });
  const noons = task.getNextRuns(DAYS_AHEAD).map((noon) => Math.floor(noon.getTime() / DAY_MS));
  void task.destroy();
  return Math.max(...steps([Math.floor(Date.now() / DAY_MS), ...noons]));
}

/** The differences from each number to the next, after a 0. */
function steps(numbers: readonly number[]): readonly number[] {
  return numbers.map((number, place) => number - (numbers[place - 1] ?? number));
}
