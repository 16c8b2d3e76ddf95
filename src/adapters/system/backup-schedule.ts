import { newestBackup } from '../../domain/backup/newest-backup.ts';
import { errorMessage } from '../../domain/error-text.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { BackupApi } from '../../flows/backup/backup-ports.ts';
import type { Log } from '../../flows/ports.ts';
import { everyMinute } from './every-minute.ts';

/** Longer than the longest day, in which the clocks are put back. */
const MAX_AGE_MS = 25 * HOUR_MS;
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
  // Swedish times are written as `2027-02-01 02:47`.
  const localTime = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const betweenMinute = (Number(at.slice(-2)) + MINUTES_AN_HOUR / 2) % MINUTES_AN_HOUR;
  let lastDay = '';
  let isLooking = false;
  const attempt = (act: () => Promise<unknown>) =>
    act().catch((error: unknown) => log.error({ error: errorMessage(error) }, 'the daily backup was not taken'));
  const takeIfMissed = async () => {
    const newest = newestBackup(await backups.list(), Date.now());
    if (newest === undefined || Date.now() - Date.parse(newest.takenAt) > MAX_AGE_MS) await backups.take();
  };
  return everyMinute((wallMs) => {
    const [day = '', time = ''] = localTime.format(wallMs).split(' ');
    if (time === at && day !== lastDay) {
      // The clocks may be put back over this time.
      lastDay = day;
      void attempt(() => backups.take());
      return;
    }
    // A disk that hangs must not hold one more thread of the process each hour.
    if (Number(time.slice(-2)) !== betweenMinute || isLooking) return;
    isLooking = true;
    void attempt(takeIfMissed).finally(() => {
      isLooking = false;
    });
  });
}
