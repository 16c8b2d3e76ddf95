import path from 'node:path';
import { backupFiles } from '../adapters/store/backup/backup-files.ts';
import { scheduleBackups } from '../adapters/system/backup-schedule.ts';
import { settingsFileOf } from '../config/chosen-settings.ts';
import type { Config } from '../config/config-schema.ts';
import { Backups } from '../flows/backup/backups.ts';
import type { Incidents } from '../flows/ports.ts';
import type { Store } from '../flows/store-ports.ts';
import { threadEntry } from '../threads.ts';
import type { Base } from './gateway-parts.ts';

/** The number of backups that stay without a schedule, where nothing but a backup by hand deletes the oldest. */
const KEPT_WITHOUT_SCHEDULE = 7;

/** Puts backups together. `schedule` begins to take them by themselves, if times are configured, and gives its end. */
export function openBackups(
  {
    config,
    store,
    clock,
    incidents,
    log,
  }: Pick<Base, 'clock' | 'log'> & {
    readonly config: Pick<Config, 'dataDir' | 'storage' | 'shifts'>;
    readonly store: Pick<Store, 'backUp'>;
    readonly incidents: Incidents;
  },
  others: readonly Backups[] = [],
) {
  const { backups: settings } = config.storage;
  const backups = new Backups({
    others,
    clock,
    incidents,
    log,
    copy: (file) => store.backUp(file),
    files: backupFiles({
      dataDir: config.dataDir,
      directory: settings?.directory ?? path.join(config.dataDir, 'backups'),
      settingsFile: settingsFileOf(config.dataDir),
      threadEntry: threadEntry('verify-thread'),
    }),
    keep: settings?.keep ?? KEPT_WITHOUT_SCHEDULE,
    isScheduled: settings !== undefined,
  });
  const schedule = (): (() => void) => {
    if (settings === undefined) return () => undefined;
    return scheduleBackups(backups, { at: settings.at, timeZone: config.shifts.timeZone }, log).stop;
  };
  return { backups, schedule };
}
