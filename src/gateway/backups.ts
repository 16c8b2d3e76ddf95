import path from 'node:path';
import { backupFiles } from '../adapters/store/backup/backup-files.ts';
import { scheduleBackups } from '../adapters/system/backup-schedule.ts';
import { settingsFileOf } from '../config/chosen-settings.ts';
import type { Config } from '../config/config-schema.ts';
import type { BackupApi } from '../flows/backup/backup-ports.ts';
import { Backups } from '../flows/backup/take-backups.ts';
import type { Clock, Incidents, Log } from '../flows/ports.ts';
import type { Store } from '../flows/store-ports.ts';
import { threadEntry } from '../threads/thread-entry.ts';

export interface BackupsBase {
  readonly config: Pick<Config, 'dataDir' | 'storage' | 'shifts'>;
  readonly store: Pick<Store, 'backUp'>;
  readonly clock: Clock;
  readonly incidents: Incidents;
  readonly log: Log;
}

/** The number of backups that stay without a schedule, where nothing but a backup by hand deletes the oldest. */
const KEPT_WITHOUT_SCHEDULE = 7;

export interface OpenBackups extends BackupApi {
  /** Begins to take them by themselves, if times are configured. Gives a function that ends it. */
  schedule(): () => void;
}

/** Puts backups together. */
export function openBackups({ config, store, ...base }: BackupsBase): OpenBackups {
  const { backups: settings } = config.storage;
  const backups = new Backups({
    ...base,
    copy: (file) => store.backUp(file),
    files: backupFiles({
      dataDir: config.dataDir,
      directory: settings?.directory ?? path.join(config.dataDir, 'backups'),
      settingsFile: settingsFileOf(config.dataDir),
      threadEntry: threadEntry('verify-thread'),
    }),
    keep: settings?.keep ?? KEPT_WITHOUT_SCHEDULE,
  });
  const list = () => backups.list();
  const takeAndRotate = () => backups.takeAndRotate();
  if (settings === undefined) return { take: takeAndRotate, list, schedule: () => () => undefined };
  // A backup by hand deletes nothing. The next scheduled one deletes the oldest beyond `keep`, of both kinds.
  const { timeZone } = config.shifts;
  const times = { at: settings.at, timeZone };
  const schedule = () => scheduleBackups({ take: takeAndRotate, list }, times, base.log).stop;
  return { take: () => backups.take(), list, schedule };
}
