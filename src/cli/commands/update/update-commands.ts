import type { Command } from 'commander';
import type { Surroundings } from '../../command-group.ts';
import type { UpdateCommandOptions } from './update-command.ts';

/** `plantgate update`. */
export function addUpdateCommand(
  program: Command,
  { io, onExitCode, configRequest }: Pick<Surroundings, 'io' | 'onExitCode' | 'configRequest'>,
): void {
  program
    .command('update')
    .description('replace the installed program by that of a signed archive; one that does not serve is rolled back')
    .argument('[file]', 'the archive, as plantgate-0.2.0-linux-x64.update')
    .option('--check', 'only verify the archive')
    .option('--json', 'print the result of --check as JSON')
    .option('--allow-downgrade', 'permit an older version')
    .option('--wait <seconds>', 'how long the new version may take until it serves; default 60')
    .option('--resume', 'settle an update that was interrupted, while the gateway is stopped')
    .option('--requested', 'install the update that was requested at the page; plantgate-apply.service calls it')
    .option('--root <dir>', 'the directory of an image to work on instead of this computer', '/')
    .action(async (file: string | undefined, options: UpdateCommandOptions) => {
      const { runUpdateCommand } = await import('./update-command.ts');
      onExitCode(await runUpdateCommand(file, options, (config) => configRequest({ config }), io));
    });
}
