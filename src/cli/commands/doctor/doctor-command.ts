import type { AddCommand, GroupOptions, Surroundings } from '../../command-group.ts';

/** `plantgate doctor`. */
export function addDoctorCommand(command: AddCommand, { io, onExitCode, configRequest }: Surroundings): void {
  command('doctor', 'look at all that the gateway needs, and say what to do about each fault')
    .option('--json', 'print it as JSON')
    .action(async (options: GroupOptions) => {
      const { runDoctor } = await import('./doctor.ts');
      onExitCode(await runDoctor({ request: configRequest(options), json: options.json === true }, io));
    });
}
