import { schedule } from 'node-cron';
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
    // A later time than now comes from a clock that was wrong, and does not show when a backup was taken.
    const ages = (await backups.list()).map(({ takenAt }) => Date.now() - Date.parse(takenAt));
    if (!ages.some((ageMs) => ageMs >= 0 && ageMs <= MAX_AGE_MS)) await backups.take();
  };
  const betweenMinute = (minute + MINUTES_AN_HOUR / 2) % MINUTES_AN_HOUR;
  const tasks = [
    schedule(
      `${minute} ${hour} * * *`,
      attempt(() => backups.take()),
      { timezone: timeZone },
    ),
    schedule(`${betweenMinute} * * * *`, attempt(takeIfMissed), { timezone: timeZone }),
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
