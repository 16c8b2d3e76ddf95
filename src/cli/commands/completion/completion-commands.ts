import { Argument, type Command } from 'commander';
import type { Surroundings } from '../../command-group.ts';
import { EXIT } from '../../command-io.ts';
import { commandTree } from './command-tree.ts';
import { completionScript, SHELLS, type Shell } from './completion-script.ts';

/** `plantgate completion`: generated from the commands, so that it knows all of them. */
export function addCompletionCommand(program: Command, { io, onExitCode }: Surroundings): void {
  program
    .command('completion')
    .description('print a script by which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => {
      io.stdout(completionScript(shell, commandTree(program)));
      onExitCode(EXIT.done);
    });
}
