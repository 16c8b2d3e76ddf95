import { stat } from 'node:fs/promises';
import { listBackups } from '../../../adapters/store/backup/backup-files.ts';
import type { Config } from '../../../config/config-schema.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import { isWritable, nearestDir } from './check-data-dir.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const CHECK = 'backups';
/** A missed backup is taken within an hour, so two days without one are no accident. */
const MAX_AGE_MS = 48 * HOUR_MS;

/** The daily backups: their directory, and the age of the newest. */
export async function checkBackups({ dataDir, storage }: Config, now: Date): Promise<Finding> {
  const directory = storage.backups?.directory;
  if (directory === undefined) {
    return warning(CHECK, 'none is taken by itself', 'Set storage.backups.directory, best on another disk.');
  }
  const nearest = await nearestDir(directory);
  if (!(await isWritable(nearest))) {
    const remedy = `Make it for the service: "install -d -m 0700 -o plantgate -g plantgate ${directory}", and permit it by "systemctl edit plantgate" with ReadWritePaths=${directory}.`;
    return fault(CHECK, `${nearest} may not be written`, remedy);
  }
  const [newest] = nearest === directory ? await listBackups(directory) : [];
  const place = (await isOnOneDisk(nearest, dataDir)) ? `${directory}, on the disk of the data` : directory;
  if (newest === undefined) return ok(CHECK, `none was taken yet in ${place}`);
  const found = `the newest in ${place} is of ${newest.takenAt}`;
  if (now.getTime() - Date.parse(newest.takenAt) <= MAX_AGE_MS) return ok(CHECK, found);
  const remedy = 'Look for the reason with "journalctl -u plantgate | grep backup".';
  return warning(CHECK, found, remedy);
}

async function isOnOneDisk(directory: string, dataDir: string): Promise<boolean> {
  const [one, other] = await Promise.all([stat(directory), stat(await nearestDir(dataDir))]);
  return one.dev === other.dev;
}
