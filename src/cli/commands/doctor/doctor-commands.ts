import type { Command } from 'commander';
import type { GroupOptions, Surroundings } from '../../command-group.ts';
import { runSupportBundle } from '../support/support-bundle.ts';
import { runDoctor } from './doctor.ts';

/** The commands that look into what is wrong. */
export function addDoctorCommands(
  command: (name: string, description: string) => Command,
  { io, onExitCode, configRequest }: Surroundings,
): void {
  command('doctor', 'look at all that the gateway needs, and say what to do about each fault')
    .option('--json', 'print it as JSON')
    .action(async (options: GroupOptions) => {
      onExitCode(await runDoctor({ request: configRequest(options), json: options.json === true }, io));
    });
  command('support-bundle', 'write what somebody who helps from elsewhere needs into one file, without secrets')
    .argument('<file>', 'the .tar.gz to write, which must not exist')
    .action(async (file: string, options: GroupOptions) => {
      onExitCode(await runSupportBundle({ request: configRequest(options), file }, io));
    });
}
