import type { Command } from 'commander';
import { commandGroup, type GroupOptions, type Surroundings } from '../command-group.ts';

const queueActs = () => import('./queue.ts');

interface OwnOptions extends GroupOptions {
  readonly all?: true;
}

/** The commands below `plantgate queue`. */
export function addQueueCommands(queue: Command, surroundings: Surroundings): void {
  const { io } = surroundings;
  const { command, run } = commandGroup(queue, surroundings);
  command('list', 'list waiting records by kind, and what the central server refused')
    .option('--json', 'print it as JSON')
    .action((options: OwnOptions) =>
      run(options, async (dataDir) => (await queueActs()).listQueue({ dataDir, json: options.json === true }, io)),
    );
  command('retry [id]', 'send refused records again')
    .option('--all', 'all refused records')
    .action((id: string | undefined, options: OwnOptions) => {
      if ((id === undefined) !== (options.all === true)) queue.error('error: expected an id or --all');
      return run(options, async (dataDir) => (await queueActs()).retrySetAside({ dataDir, id: id ?? null }, io));
    });
  command('discard <id>', 'delete a refused record for good').action((id: string, options: OwnOptions) =>
    run(options, async (dataDir) => (await queueActs()).discardSetAside({ dataDir, id }, io)),
  );
  command('export', 'print waiting records, one JSON record per line').action((options: OwnOptions) =>
    run(options, async (dataDir) => (await queueActs()).exportQueue({ dataDir }, io)),
  );
}
