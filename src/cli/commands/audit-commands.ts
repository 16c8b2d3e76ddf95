import type { Command } from 'commander';
import { commandGroup, type GroupOptions, type Surroundings } from '../command-group.ts';

/** The commands below `plantgate audit`. */
export function addAuditCommands(audit: Command, surroundings: Surroundings): void {
  const { command, run } = commandGroup(audit, surroundings);
  command('verify', 'check that the audit log is unchanged')
    .option('--json', 'print it as JSON')
    .action((options: GroupOptions) =>
      run(options, async (dataDir) => {
        const { verifyAudit } = await import('./audit.ts');
        return verifyAudit({ dataDir, json: options.json === true }, surroundings.io);
      }),
    );
}
