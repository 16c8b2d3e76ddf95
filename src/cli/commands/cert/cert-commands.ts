import path from 'node:path';
import type { Command } from 'commander';
import type { Surroundings } from '../../command-group.ts';

interface CertOptions {
  readonly host?: readonly string[];
  readonly rsa?: boolean;
}

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
    .option('--rsa', 'keys with RSA, for controllers that know no others; renewals keep the kind')
    .action(async (dir: string, { host = [], rsa = false }: CertOptions) => {
      const { runCert } = await import('./cert.ts');
      onExitCode(await runCert({ dir: path.resolve(dir), hosts: host, rsa }, io));
    });
}
