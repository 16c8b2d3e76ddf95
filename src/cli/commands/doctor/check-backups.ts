import { stat } from 'node:fs/promises';
import path from 'node:path';
import { listBackups } from '../../../adapters/store/backup/backup-files.ts';
import { DATABASE_FILE } from '../../../adapters/store/thread/database/database-files.ts';
import { longestPauseMs } from '../../../adapters/system/timetable.ts';
import type { Config } from '../../../config/config-schema.ts';
import { statOrNull } from '../../../config/read-file.ts';
import { cronOf } from '../../../domain/backup/backup-times.ts';
import { newestBackup } from '../../../domain/backup/newest-backup.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { isWritable, nearestDir } from './check-data-dir.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const CHECK = 'backups';
/** A missed backup is taken within an hour, so one more day without one is no accident. */
const GRACE_MS = DAY_MS;
const WHY = 'One is taken within an hour of the start. Later: "journalctl -u plantgate | grep backup" has the reason.';

/** The scheduled backups: their directory, and the age of the newest. */
export async function checkBackups({ dataDir, storage }: Config, now: Date): Promise<Finding> {
  const { directory, at } = storage.backups ?? {};
  if (directory === undefined || at === undefined) {
    return warning(CHECK, 'none is taken by itself', 'Set storage.backups.directory, best on another disk.');
  }
  const nearest = await nearestDir(directory);
  if (!(await isWritable(nearest))) {
    const remedy = `Make it for the service: "install -d -m 0700 -o plantgate -g plantgate ${directory}", and permit it by "systemctl edit plantgate" with the lines [Service] and ReadWritePaths=-${directory}, then restart it.`;
    return fault(CHECK, `${nearest} may not be written`, remedy);
  }
  const backups = nearest === directory ? await listBackups(directory) : [];
  const maxAgeMs = longestPauseMs(cronOf(at)) + GRACE_MS;
  const newest = newestBackup(backups, now.getTime());
  const place = (await isOnOneDisk(nearest, dataDir)) ? `${directory}, on the disk of the data` : directory;
  if (newest === undefined) {
    const found =
      backups.length === 0
        ? `none was taken yet in ${place}`
        : `each in ${place} has a later time than now, so a clock was wrong`;
    return (await isOlderThan(maxAgeMs, dataDir, now)) ? warning(CHECK, found, WHY) : ok(CHECK, found);
  }
  const found = `the newest in ${place} is of ${newest.takenAt}`;
  if (now.getTime() - Date.parse(newest.takenAt) <= maxAgeMs) return ok(CHECK, found);
  return warning(CHECK, found, WHY);
}

/** Whether the gateway has been here for this long. Some file systems give no time of birth. */
async function isOlderThan(ageMs: number, dataDir: string, now: Date): Promise<boolean> {
  const stats = await statOrNull(path.join(dataDir, DATABASE_FILE));
  return stats !== null && stats.birthtimeMs > 0 && now.getTime() - stats.birthtimeMs > ageMs;
}

async function isOnOneDisk(directory: string, dataDir: string): Promise<boolean> {
  const [one, other] = await Promise.all([stat(directory), stat(await nearestDir(dataDir))]);
  return one.dev === other.dev;
}
