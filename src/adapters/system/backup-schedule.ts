import { schedule } from 'node-cron';
import type { BackupApi } from '../../flows/backup/backup-ports.ts';
import type { Log } from '../../flows/ports.ts';

/** Takes a backup each day. `at` is a time of day as `HH:MM`, in `timeZone`. A backup that fails is an incident. */
export function scheduleBackups(
  backups: Pick<BackupApi, 'take'>,
  { at, timeZone }: { readonly at: string; readonly timeZone: string },
  log: Log,
): { stop(): void } {
  const [hour = '', minute = ''] = at.split(':');
  const take = () =>
    backups.take().then(
      () => undefined,
      (error: unknown) => log.error({ error: String(error) }, 'the daily backup was not taken'),
    );
  const task = schedule(`${Number(minute)} ${Number(hour)} * * *`, take, { timezone: timeZone });
  return {
    stop: () => {
      Promise.resolve(task.stop()).catch((error: unknown) =>
        log.error({ error: String(error) }, 'the schedule of backups did not stop'),
      );
    },
  };
}
