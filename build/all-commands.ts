import { type CommandPlace, commandTree } from '../src/cli/commands/completion/command-tree.ts';
import { createProgram } from '../src/cli/program.ts';

/** All commands, to be read and not run. */
export function allCommands(): readonly CommandPlace[] {
  const silent = () => undefined;
  const program = createProgram({
    io: {
      stdout: silent,
      stderr: silent,
      readSecret: async () => '',
      onHangUp: silent,
      signal: new AbortController().signal,
      environment: {},
    },
    request: { environment: {}, cwd: '/', hostName: 'gateway', timeZone: 'UTC' },
    storeThreadEntry: '',
    onExitCode: silent,
  });
  return commandTree(program);
}
