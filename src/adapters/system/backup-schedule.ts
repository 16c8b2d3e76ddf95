import { schedule } from 'node-cron';
import { newestBackup } from '../../domain/backup/newest-backup.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { BackupApi } from '../../flows/backup/backup-ports.ts';
import type { Log } from '../../flows/ports.ts';

/** Longer than the longest day, in which the clocks are put back. */
const MAX_AGE_MS = 25 * 3_600_000;
const MINUTES_AN_HOUR = 60;

/**
 * Takes a backup each day. `at` is a time of day as `HH:MM`, in `timeZone`. A backup that fails is an incident. One that
 * was missed is taken within an hour: it failed, the computer was off, or the clocks were put forward over this time.
 */
export function scheduleBackups(
  backups: BackupApi,
  { at, timeZone }: { readonly at: string; readonly timeZone: string },
  log: Log,
): { stop(): void } {
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  const attempt = (act: () => Promise<unknown>) => () =>
    act().then(
      () => undefined,
      (error: unknown) => log.error({ error: errorMessage(error) }, 'the daily backup was not taken'),
    );
  const takeIfMissed = async () => {
    const newest = newestBackup(await backups.list(), Date.now());
    if (newest === undefined || Date.now() - Date.parse(newest.takenAt) > MAX_AGE_MS) await backups.take();
  };
  const betweenMinute = (minute + MINUTES_AN_HOUR / 2) % MINUTES_AN_HOUR;
  const tasks = [
    schedule(
      `${minute} ${hour} * * *`,
      attempt(() => backups.take()),
      { timezone: timeZone },
    ),
    // A disk that hangs must not hold one more thread of the process each hour.
    schedule(`${betweenMinute} * * * *`, attempt(takeIfMissed), { timezone: timeZone, noOverlap: true }),
  ];
  return {
    stop: () => {
      for (const task of tasks) {
        Promise.resolve(task.stop()).catch((error: unknown) =>
          log.error({ error: errorMessage(error) }, 'the schedule of backups did not stop'),
        );
      }
    },
  };
}
