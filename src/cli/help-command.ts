import type { Command } from 'commander';
import { nearestName } from '../domain/nearest-name.ts';

/** `plantgate help key create` is `plantgate key create --help`. The command of commander itself ignores an unknown name. */
export function addHelpCommand(program: Command): void {
  const help = program.command('help').description('explain a command').argument('[command...]', 'its name');
  help.action((words: readonly string[]) => {
    let explained = program;
    for (const word of words) {
      const found = explained.commands.find((each) => each.name() === word);
      if (found === undefined) refuseUnknown(help, word, explained.commands);
      explained = found;
    }
    explained.help();
  });
}

/** Ends `command` with an error that names the word, and the known command that was probably meant. */
export function refuseUnknown(command: Command, word: string, known: readonly Command[]): never {
  const meant = nearestName(
    word,
    known.map((each) => each.name()),
  );
  const hint = meant === null ? '' : `\n(Did you mean ${meant}?)`;
  command.error(`error: unknown command or argument '${word}'${hint}`);
}
