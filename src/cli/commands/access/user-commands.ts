import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../../../domain/plant/plant.ts';
import { commandGroup, type GroupOptions, PLANTS_OPTION, type Surroundings } from '../../command-group.ts';

const userActs = () => import('./users.ts');

/** The commands below `plantgate user` (contract.md, The program). */
export function addUserCommands(user: Command, surroundings: Surroundings): void {
  const { io } = surroundings;
  const { command, run } = commandGroup(user, surroundings);
  command('add <name>', 'let a person sign in at the page; the password is asked for, or read from standard input')
    .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
    .option(...PLANTS_OPTION)
    .action((name: string, options: GroupOptions & { role: Role; plant?: readonly string[] }) => {
      const { role, plant } = options;
      const made = { name, role, ...(plant !== undefined && { plants: plant }) };
      return run(options, async (dataDir) => (await userActs()).addUser({ dataDir, ...made }, io));
    });
  command('list', 'list everybody who may sign in')
    .option('--json', 'print it as JSON')
    .action((options: GroupOptions) =>
      run(options, async (dataDir) => (await userActs()).listUsers({ dataDir, json: options.json === true }, io)),
    );
  command('revoke <name>', 'a person may sign in no more, and is signed out').action(
    (name: string, options: GroupOptions) =>
      run(options, async (dataDir) => (await userActs()).revokeUser({ dataDir, name }, io)),
  );
}
