import type { Command } from 'commander';
import type { Surroundings } from '../command-group.ts';
import { exitCodeOf } from '../exit-code-of.ts';

interface MigrateOptions {
  readonly config?: string;
}

/** `plantgate central migrate`, below the command that runs a central server. */
export function addCentralCommands(central: Command, { io, onExitCode, configRequest }: Surroundings): void {
  central
    .command('migrate')
    .description('move what gateways have sent from SQLite to PostgreSQL, while the central server is stopped')
    .option('--config <file>', 'configuration file')
    .action(async (options: MigrateOptions) => {
      const { loadConfigOrExitCode } = await import('../load-config-or-exit-code.ts');
      const request = configRequest({ ...central.opts<MigrateOptions>(), ...options });
      const loaded = loadConfigOrExitCode(request, io);
      if (typeof loaded === 'number') return onExitCode(loaded);
      const { dataDir, storage } = loaded.config;
      if (storage.postgres === undefined) {
        io.stderr('storage.postgres: found nothing, expected the database to which the records go');
        return onExitCode(exitCodeOf(null));
      }
      const { moveReceived } = await import('../../central/move/move-received.ts');
      const { retentionOf } = await import('../../gateway/plants/plant-store.ts');
      const log = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };
      const parts = { dataDir, url: storage.postgres.url, retention: retentionOf(storage), nowAt: Date.now(), log };
      try {
        await moveReceived({ ...parts, tell: io.stdout });
        onExitCode(0);
      } catch (error) {
        io.stderr(error instanceof Error ? error.message : String(error));
        onExitCode(exitCodeOf(error));
      }
    });
}
