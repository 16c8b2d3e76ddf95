import path from 'node:path';
import type { AddCommand, Surroundings } from '../../command-group.ts';

interface ServiceOptions {
  readonly root: string;
  readonly purge?: true;
}

/** `plantgate install` and `plantgate uninstall`. */
export function addServiceCommands(
  command: AddCommand,
  { io, onExitCode }: Pick<Surroundings, 'io' | 'onExitCode'>,
): void {
  const ROOT = ['--root <dir>', 'the directory of an image to work on instead of this computer', '/'] as const;
  const install = command('install', 'install this program as a service and start it; run again, upgrade it').option(
    ...ROOT,
  );
  install.action(async ({ root }: ServiceOptions) => {
    const { commandTree } = await import('../completion/command-tree.ts');
    const { runInstall } = await import('./install.ts');
    const { ownBinary } = await import('./service-files.ts');
    onExitCode(
      await runInstall(
        { root: path.resolve(root), binary: ownBinary(), commands: commandTree(install.parent ?? install) },
        io,
      ),
    );
  });
  command('uninstall', 'take the service away; data and configuration stay')
    .option(...ROOT)
    .option('--purge', 'remove data, configuration and user too')
    .action(async ({ root, purge }: ServiceOptions) => {
      const { runUninstall } = await import('./uninstall.ts');
      onExitCode(await runUninstall({ root: path.resolve(root), purge: purge === true }, io));
    });
}
