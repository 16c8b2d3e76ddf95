import type { Command, Option } from 'commander';

/** The words of a command, for example `key create`; '' is the program itself. */
export interface CommandPlace {
  readonly words: string;
  readonly description: string;
  /** The usage without the program's name: `create [options] <name>`. */
  readonly usage: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionPlace[];
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
}

export interface OptionPlace {
  /** The option in the form of the help: `--role <role>`. */
  readonly flags: string;
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Every command of the program, a group before its own commands. */
export function commandTree(program: Command, above: readonly string[] = []): readonly CommandPlace[] {
  const help = program.createHelp();
  const commands = help.visibleCommands(program).filter((command) => command.name() !== 'help');
  const place: CommandPlace = {
    words: above.join(' '),
    description: program.description(),
    usage: program.usage(),
    commands: commands.map((command) => ({ name: command.name(), description: command.description() })),
    options: help.visibleOptions(program).map(optionPlace),
    arguments: program.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
    })),
  };
  return [place, ...commands.flatMap((command) => commandTree(command, [...above, command.name()]))];
}

function optionPlace({ flags, long, short, description, required, optional, argChoices }: Option): OptionPlace {
  return {
    flags,
    name: long ?? short ?? flags,
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  };
}
