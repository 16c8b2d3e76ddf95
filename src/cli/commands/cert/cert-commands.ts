import path from 'node:path';
import type { Command } from 'commander';
import type { Surroundings } from '../../command-group.ts';

/** `plantgate cert`. */
export function addCertCommand(program: Command, { io, onExitCode }: Pick<Surroundings, 'io' | 'onExitCode'>): void {
  program
    .command('cert')
    .description('make a local authority and a server certificate, by openssl; run again, renew the certificate')
    .argument('<dir>', 'where they are put')
    .option(
      '--host <names...>',
      'host names and addresses of this gateway; default those of the present certificate, else of this computer',
    )
    .action(async (dir: string, { host = [] }: { readonly host?: readonly string[] }) => {
      const { runCert } = await import('./cert.ts');
      onExitCode(await runCert({ dir: path.resolve(dir), hosts: host }, io));
    });
}
