import type { Command } from 'commander';
import type { GroupOptions, Surroundings } from '../../command-group.ts';

/** The commands that look for faults. */
export function addDoctorCommands(
  command: (name: string, description: string) => Command,
  { io, onExitCode, configRequest }: Surroundings,
): void {
  command('doctor', 'look at all that the gateway needs, and say what to do about each fault')
    .option('--json', 'print it as JSON')
    .action(async (options: GroupOptions) => {
      const { runDoctor } = await import('./doctor.ts');
      onExitCode(await runDoctor({ request: configRequest(options), json: options.json === true }, io));
    });
  command('support-bundle', 'write a file for support from elsewhere, without secrets')
    .argument('<file>', 'the .tar.gz to write, which must not exist')
    .action(async (file: string, options: GroupOptions) => {
      const { runSupportBundle } = await import('../support/support-bundle.ts');
      onExitCode(await runSupportBundle({ request: configRequest(options), file }, io));
    });
}
