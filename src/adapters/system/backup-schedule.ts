import { cronOf, newestBackup } from '../../domain/backup/backup-times.ts';
import { errorMessage } from '../../domain/error-text.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Backups } from '../../flows/backup/backups.ts';
import type { Log } from '../../flows/ports.ts';
import { longestPauseMs, runAt } from './timetable.ts';

const MINUTES_AN_HOUR = 60;

export interface BackupTimes {
  /** A time of day as `HH:MM`, or a cron expression with one minute. */
  readonly at: string;
  readonly timeZone: string;
}

/**
 * Takes backups at their times. One that fails is an incident. If the newest one is older than the longest pause between
 * two times plus an hour, one is taken within the hour: it failed, the computer was off, or the clocks were put forward
 * over its time.
 */
export function scheduleBackups(
  backups: Pick<Backups, 'takeAndRotate' | 'list'>,
  { at, timeZone }: BackupTimes,
  log: Log,
): { stop(): void } {
  const cron = cronOf(at);
  const betweenMinute = (Number.parseInt(cron, 10) + MINUTES_AN_HOUR / 2) % MINUTES_AN_HOUR;
  const attempt = (act: () => Promise<unknown>) => () =>
    act().catch((error: unknown) => log.error({ error: errorMessage(error) }, 'the scheduled backup was not taken'));
  const takeIfMissed = async () => {
    const newest = newestBackup(await backups.list(), Date.now());
    const maxAgeMs = longestPauseMs(cron) + HOUR_MS;
    if (newest === undefined || Date.now() - Date.parse(newest.takenAt) > maxAgeMs) await backups.takeAndRotate();
  };
  const scheduled = [
    runAt(
      { cron, timeZone, log },
      attempt(() => backups.takeAndRotate()),
    ),
    runAt({ cron: `${betweenMinute} * * * *`, timeZone, log }, attempt(takeIfMissed)),
  ];
  const stop = () => {
    for (const each of scheduled) each.stop();
  };
  return { stop };
}
