import type { Command } from 'commander';
import { commandGroup, type GroupOptions, type Surroundings } from '../../command-group.ts';

const accountActs = () => import('./accounts.ts');

interface AddOptions extends GroupOptions {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly machine: readonly string[];
  readonly clientId?: string;
}

/** The commands below `plantgate account` (contract.md, The program). */
export function addAccountCommands(account: Command, surroundings: Surroundings): void {
  const { io } = surroundings;
  const { command, run } = commandGroup(account, surroundings);
  command('add <name>', 'let a client in that is no machine; the password is asked for, or read from standard input')
    .option('--read <filter...>', 'topic filters that it may subscribe within, such as "plant1/#"', [])
    .option('--write <filter...>', 'topic filters that it may publish within; %c is its client id', [])
    .option('--machine <id...>', 'machines that it reports for', [])
    .option('--client-id <id>', 'the only client id that may use it')
    .action((name: string, options: AddOptions) => {
      const { read, write, machine: machines, clientId = null } = options;
      return run(options, async (dataDir) =>
        (await accountActs()).addAccount({ dataDir, name, clientId, read, write, machines }, io),
      );
    });
  command('list', 'list all accounts with their rights')
    .option('--json', 'print it as JSON')
    .action((options: GroupOptions) =>
      run(options, async (dataDir) => (await accountActs()).listAccounts({ dataDir, json: options.json === true }, io)),
    );
  command('revoke <name>', 'its clients may connect no more, and are cut off').action(
    (name: string, options: GroupOptions) =>
      run(options, async (dataDir) => (await accountActs()).revokeAccount({ dataDir, name }, io)),
  );
}
