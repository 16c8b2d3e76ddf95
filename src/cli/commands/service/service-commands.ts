import path from 'node:path';
import type { Command } from 'commander';
import type { Surroundings } from '../../command-group.ts';
import { runInstall } from './install.ts';
import { ownBinary } from './service-files.ts';
import { runUninstall } from './uninstall.ts';

interface ServiceOptions {
  readonly root: string;
  readonly purge?: true;
}

/** `plantgate install` and `plantgate uninstall`. */
export function addServiceCommands(
  command: (name: string, description: string) => Command,
  { io, onExitCode }: Pick<Surroundings, 'io' | 'onExitCode'>,
): void {
  const ROOT = ['--root <dir>', 'the directory of an image to work on instead of this computer', '/'] as const;
  command('install', 'install this program as a service and start it; run again, upgrade it')
    .option(...ROOT)
    .action(({ root }: ServiceOptions) =>
      onExitCode(runInstall({ root: path.resolve(root), binary: ownBinary() }, io)),
    );
  command('uninstall', 'take the service away; data and configuration stay')
    .option(...ROOT)
    .option('--purge', 'remove data, configuration and user too')
    .action(({ root, purge }: ServiceOptions) =>
      onExitCode(runUninstall({ root: path.resolve(root), purge: purge === true }, io)),
    );
}
