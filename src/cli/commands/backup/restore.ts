import { existsSync, statSync } from 'node:fs';
import { restoreBackup } from '../../../adapters/store/backup/restore-backup.ts';
import { StoreOpenError } from '../../../adapters/store/store-open-error.ts';
import { settingsFileOf } from '../../../config/chosen-settings.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { type Installation, installationOf } from '../service/installation.ts';
import { findServiceUser } from '../service/service-user.ts';

const NO_SETTINGS =
  'This backup has no settings of the page (time zone, shifts, central server), because an earlier version took it or it is a plain database. The present settings stay.';

/**
 * `plantgate restore FILE`: puts a verified backup in the place of the database of a stopped gateway, and of the
 * settings chosen at the page. The former ones are kept beside it. Gives the exit code; 75 while the gateway runs.
 */
export function runRestore(
  { dataDir, file }: { readonly dataDir: string; readonly file: string },
  io: CommandIo,
): number {
  const isNew = !existsSync(dataDir);
  try {
    const installation = installationOf(dataDir);
    const serviceUser = findServiceUser(installation);
    const place = { dataDir, settingsFile: settingsFileOf(dataDir), serviceUser };
    const { keptFile, settings } = restoreBackup(file, place, new Date());
    io.stdout(
      `${dataDir} holds the state of ${file}. Start the gateway, as by "systemctl start ${installation.service}".`,
    );
    if (settings === 'notInBackup') io.stdout(NO_SETTINGS);
    if (isNew && process.getuid?.() === 0 && statSync(dataDir).uid === 0) io.stdout(ofRoot(dataDir, installation));
    for (const kept of [keptFile, typeof settings === 'object' ? settings.kept : null]) {
      if (kept !== null) io.stdout(`What was there before is kept: ${kept}`);
    }
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    io.stderr(`The backup was not restored: ${error.message}.`);
    return error.refusal === 'locked' ? EXIT.tryAgain : error.exitCode;
  }
}

function ofRoot(dataDir: string, { service }: Installation): string {
  return `${dataDir} was made now and belongs to root. If the service is to use it: "chown -R ${service}:${service} ${dataDir}".`;
}
