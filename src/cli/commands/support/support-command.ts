import type { AddCommand, GroupOptions, Surroundings } from '../../command-group.ts';

/** `plantgate support-bundle`. */
export function addSupportCommand(command: AddCommand, { io, onExitCode, configRequest }: Surroundings): void {
  command('support-bundle', 'write a file for support from elsewhere, without secrets')
    .argument('<file>', 'the .tar.gz to write, which must not exist')
    .action(async (file: string, options: GroupOptions) => {
      const { runSupportBundle } = await import('./support-bundle.ts');
      onExitCode(await runSupportBundle({ request: configRequest(options), file }, io));
    });
}
