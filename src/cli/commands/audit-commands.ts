import type { Command } from 'commander';
import { commandGroup, type GroupOptions, type Surroundings } from '../command-group.ts';

/** The commands below `plantgate audit`. */
export function addAuditCommands(audit: Command, surroundings: Surroundings): void {
  const { command, run } = commandGroup(audit, surroundings);
  command('verify', 'check that the audit log is unchanged').action((options: GroupOptions) =>
    run(options, async (dataDir) => (await import('./audit.ts')).verifyAudit({ dataDir }, surroundings.io)),
  );
}
