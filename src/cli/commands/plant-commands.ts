import { type AddCommand, type GroupOptions, OF_PLANT, type Surroundings } from '../command-group.ts';
import { printableLines } from '../terminal-text.ts';

interface PlantOptions extends GroupOptions {
  readonly plant?: string;
}

interface ApplyOptions extends PlantOptions {
  readonly dryRun?: true;
}

/** The plant as a file: it is checked, loaded into the running gateway, or printed from it. */
export function addPlantCommands(
  command: AddCommand,
  { io, onExitCode, dataDirOf, configRequest }: Surroundings,
): void {
  command('check', 'validate configuration and plant file')
    .option('--json', 'print it as JSON')
    .action(async (options: GroupOptions) => {
      const { runCheck } = await import('./check.ts');
      const write = (text: string) => io.stdout(printableLines(text.trimEnd()));
      onExitCode(runCheck({ ...configRequest(options), json: options.json === true, write }));
    });
  command('apply', 'load a plant file into the running gateway, all or nothing')
    .argument('<file>', 'the plant file')
    .option('--dry-run', 'only print what it would change')
    .option(...OF_PLANT)
    .option('--json', 'print what it changed as JSON')
    .action(async (file: string, options: ApplyOptions) => {
      const dataDir = await dataDirOf(options);
      if (dataDir === null) return;
      const { dryRun = false, json = false, plant: plantId = null } = options;
      const { runApply } = await import('./apply.ts');
      onExitCode(await runApply({ dataDir, file, plantId, dryRun, json }, io));
    });
  command('export', 'print the plant of the running gateway as a plant file')
    .option(...OF_PLANT)
    .action(async (options: PlantOptions) => {
      const dataDir = await dataDirOf(options);
      if (dataDir === null) return;
      const { runExport } = await import('./export.ts');
      onExitCode(await runExport({ dataDir, plantId: options.plant ?? null }, io));
    });
}
