import type { AddCommand, GroupOptions, Surroundings } from '../command-group.ts';

/** `plantgate status`. */
export function addStatusCommand(command: AddCommand, { io, onExitCode, dataDirOf }: Surroundings): void {
  command('status', 'show machines, decisions, queue and upstream of the running gateway')
    .option('--json', 'print it as JSON')
    .action(async (options: GroupOptions) => {
      const dataDir = await dataDirOf(options);
      if (dataDir === null) return;
      const { runStatus } = await import('./status.ts');
      const terminal = process.stdout.isTTY ? { columns: process.stdout.columns } : null;
      onExitCode(await runStatus({ dataDir, terminal, json: options.json === true }, io));
    });
}
