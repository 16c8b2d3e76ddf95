import type { Command } from 'commander';
import { commandGroup, type GroupOptions, type Surroundings } from '../command-group.ts';
import { discardSetAside, exportQueue, listQueue, retrySetAside } from './queue.ts';

interface OwnOptions extends GroupOptions {
  readonly all?: true;
}

/** The commands below `plantgate queue`. */
export function addQueueCommands(queue: Command, surroundings: Surroundings): void {
  const { io } = surroundings;
  const { command, run } = commandGroup(queue, surroundings);
  command('list', 'how much waits for the central server, and what it refused')
    .option('--json', 'print it as JSON')
    .action((options: OwnOptions) =>
      run(options, (dataDir) => listQueue({ dataDir, json: options.json === true }, io)),
    );
  command('retry [id]', 'send what was refused again')
    .option('--all', 'everything that is set aside')
    .action((id: string | undefined, options: OwnOptions) => {
      if ((id === undefined) !== (options.all === true)) queue.error('error: expected an id or --all');
      return run(options, (dataDir) => retrySetAside({ dataDir, id: id ?? null }, io));
    });
  command('discard <id>', 'give up for good what was refused').action((id: string, options: OwnOptions) =>
    run(options, (dataDir) => discardSetAside({ dataDir, id }, io)),
  );
  command('export', 'print what waits for the central server, one JSON record a line').action((options: OwnOptions) =>
    run(options, (dataDir) => exportQueue({ dataDir }, io)),
  );
}
