import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../domain/plant.ts';
import type { CommandIo } from './command-io.ts';
import { createKey, listKeys, revokeKeys } from './keys.ts';

interface Surroundings {
  readonly io: CommandIo;
  readonly onExitCode: (code: number) => void;
  /** The data directory of the gateway that is meant; null: the configuration has faults, and they were told. */
  readonly dataDirOf: (options: { readonly config?: string }) => string | null;
}

interface OwnOptions {
  readonly config?: string;
  readonly json?: true;
}

/** The commands below `plantgate key` (contract.md, The program). */
export function addKeyCommands(key: Command, { io, onExitCode, dataDirOf }: Surroundings): void {
  const command = (words: string, description: string): Command =>
    key
      .command(words)
      .description(description)
      .option('--json', 'print it as JSON')
      .option('--config <file>', 'configuration file');
  const run = async (options: OwnOptions, act: (own: { dataDir: string; json: boolean }) => Promise<number>) => {
    const dataDir = dataDirOf(options);
    if (dataDir !== null) onExitCode(await act({ dataDir, json: options.json === true }));
  };

  command('create', 'make a key and print it, this once')
    .requiredOption('--principal <name>', 'who acts by it')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--id <id>', 'what this key is called; by default it gets a name of its own')
    .action((options: OwnOptions & { principal: string; role: Role; id?: string }) => {
      const { principal, role, id = null } = options;
      return run(options, (own) => createKey({ ...own, principal, role, id }, io));
    });
  command('list', 'every key, without its secret').action((options: OwnOptions) => {
    return run(options, (own) => listKeys(own, io));
  });
  command('revoke [name]', 'take away the keys of a principal, or the one of this id')
    .option('--id <id>', 'the one key of this id, even where a principal is called so')
    .action((name: string | undefined, options: OwnOptions & { id?: string }) => {
      const { id } = options;
      if ((name === undefined) === (id === undefined)) key.error('error: expected a principal or an id');
      const meant = id === undefined ? { by: 'name' as const, name: name ?? '' } : { by: 'id' as const, name: id };
      return run(options, (own) => revokeKeys({ ...own, ...meant }, io));
    });
}
