import type { Command } from 'commander';
import type { Surroundings } from '../../command-group.ts';
import { runRestore } from './restore.ts';
import { runBackup, runVerify } from './take-backup.ts';

interface BackupOptions {
  readonly config?: string;
  readonly verify?: true;
}

/** `plantgate backup` and `plantgate restore`. */
export function addBackupCommands(
  command: (name: string, description: string) => Command,
  { io, onExitCode, dataDirOf }: Surroundings,
): void {
  command('backup', 'take a verified backup of all state of the running gateway')
    .argument('<file>', 'the file to write, which must not exist')
    .option('--verify', 'only check that a backup is whole')
    .action(async (file: string, options: BackupOptions) => {
      if (options.verify) return onExitCode(runVerify(file, io));
      const dataDir = dataDirOf(options);
      if (dataDir !== null) onExitCode(await runBackup({ dataDir, file }, io));
    });
  command('restore', 'put a backup in the place of the state of a stopped gateway')
    .argument('<file>', 'the backup')
    .action((file: string, options: BackupOptions) => {
      const dataDir = dataDirOf(options);
      if (dataDir !== null) onExitCode(runRestore({ dataDir, file }, io));
    });
}
