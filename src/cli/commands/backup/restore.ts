import { restoreBackup } from '../../../adapters/store/backup/restore-backup.ts';
import { StoreOpenError } from '../../../adapters/store/store-open-error.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';

/**
 * `plantgate restore FILE`: puts a verified backup in the place of the database of a stopped gateway. The former
 * database is kept beside it. Gives the exit code; 75 while the gateway runs.
 */
export function runRestore(
  { dataDir, file }: { readonly dataDir: string; readonly file: string },
  io: CommandIo,
): number {
  try {
    const { keptFile } = restoreBackup(file, dataDir, new Date());
    io.stdout(`${dataDir} holds the state of ${file}. Start the gateway, as by "systemctl start plantgate".`);
    if (keptFile !== null) io.stdout(`What was there before is kept: ${keptFile}`);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    io.stderr(`Nothing was restored: ${error.message}.`);
    return error.refusal === 'locked' ? EXIT.tryAgain : error.exitCode;
  }
}
