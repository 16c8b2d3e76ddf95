import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../../../domain/plant/plant.ts';
import { commandGroup, type GroupOptions, PLANTS_OPTION, type Surroundings } from '../../command-group.ts';

const keyActs = () => import('./keys.ts');

/** The commands below `plantgate key` (contract.md, The program). */
export function addKeyCommands(key: Command, surroundings: Surroundings): void {
  const { io } = surroundings;
  const group = commandGroup(key, surroundings);
  const command = (words: string, description: string) =>
    group.command(words, description).option('--json', 'print it as JSON');
  const run = (options: GroupOptions, act: (own: { dataDir: string; json: boolean }) => Promise<number>) =>
    group.run(options, (dataDir) => act({ dataDir, json: options.json === true }));

  command('create', 'make a key and print it; it cannot be printed again')
    .requiredOption('--principal <name>', 'the person or program that uses it')
    .addOption(new Option('--role <role>', 'its permissions').choices(ROLES).makeOptionMandatory())
    .option('--id <id>', 'the id of this key; default: a generated one')
    .option(...PLANTS_OPTION)
    .action((options: GroupOptions & { principal: string; role: Role; id?: string; plant?: readonly string[] }) => {
      const { principal, role, id = null, plant } = options;
      const made = { principal, role, id, ...(plant !== undefined && { plants: plant }) };
      return run(options, async (own) => (await keyActs()).createKey({ ...own, ...made }, io));
    });
  command('list', 'list all keys, without their secrets').action((options: GroupOptions) => {
    return run(options, async (own) => (await keyActs()).listKeys(own, io));
  });
  command('revoke [name]', 'revoke all keys of a principal, or the key with this id')
    .option('--id <id>', 'the one key of this id, even where a principal is called so')
    .action((name: string | undefined, options: GroupOptions & { id?: string }) => {
      const { id } = options;
      if ((name === undefined) === (id === undefined)) key.error('error: expected a principal or an id');
      const meant = id === undefined ? { by: 'name' as const, name: name ?? '' } : { by: 'id' as const, name: id };
      return run(options, async (own) => (await keyActs()).revokeKeys({ ...own, ...meant }, io));
    });
}
