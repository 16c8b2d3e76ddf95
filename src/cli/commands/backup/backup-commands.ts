import { type AddCommand, OF_PLANT, type Surroundings } from '../../command-group.ts';

interface BackupOptions {
  readonly config?: string;
  readonly verify?: true;
  readonly json?: true;
  readonly plant?: string;
}

/** `plantgate backup` and `plantgate restore`. */
export function addBackupCommands(command: AddCommand, { io, onExitCode, dataDirOf }: Surroundings): void {
  command('backup', 'take a verified backup of all state of the running gateway')
    .argument('<file>', 'the file to write, which must not exist')
    .option(...OF_PLANT)
    .option('--verify', 'only check that a backup is whole')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: BackupOptions) => {
      const { runBackup, runVerify } = await import('./take-backup.ts');
      const json = options.json === true;
      if (options.verify) return onExitCode(await runVerify({ file, json }, io));
      const dataDir = await dataDirOf(options);
      if (dataDir !== null) onExitCode(await runBackup({ dataDir, file, plantId: options.plant ?? null, json }, io));
    });
  command('restore', 'put a backup in the place of the state of a stopped gateway')
    .argument('<file>', 'the backup')
    .option(...OF_PLANT)
    .action(async (file: string, options: BackupOptions) => {
      const dataDir = await dataDirOf(options, true);
      if (dataDir === null) return;
      const [{ runRestore }, { dataDirOfPlant }] = await Promise.all([
        import('./restore.ts'),
        import('../../../config/plant-data-dir.ts'),
      ]);
      onExitCode(runRestore({ dataDir: dataDirOfPlant(dataDir, options.plant ?? null), file }, io));
    });
}
