import type { Command } from 'commander';
import type { CommandIo } from './command-io.ts';
import { discardSetAside, exportQueue, listQueue, retrySetAside } from './queue.ts';

interface Surroundings {
  readonly io: CommandIo;
  readonly onExitCode: (code: number) => void;
  /** The data directory of the gateway that is meant; null: the configuration has faults, and they were told. */
  readonly dataDirOf: (options: { readonly config?: string }) => string | null;
}

interface OwnOptions {
  readonly config?: string;
  readonly json?: true;
  readonly all?: true;
}

/** The commands below `plantgate queue`. */
export function addQueueCommands(queue: Command, { io, onExitCode, dataDirOf }: Surroundings): void {
  const command = (words: string, description: string): Command =>
    queue.command(words).description(description).option('--config <file>', 'configuration file');
  const run = async (options: OwnOptions, act: (dataDir: string) => Promise<number>) => {
    const dataDir = dataDirOf(options);
    if (dataDir !== null) onExitCode(await act(dataDir));
  };

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
