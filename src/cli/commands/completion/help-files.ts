import { VERSION } from '../../../version.ts';
import { EXIT } from '../../command-io.ts';
import type { CommandPlace } from './command-tree.ts';
import { completionScript } from './completion-script.ts';

/** All commands of the program. */
export type CommandTree = readonly CommandPlace[];

/** The manual page and the completion of shells: their texts by their places below the root. */
export const HELP_FILES: Readonly<Record<string, (tree: CommandTree) => string>> = {
  'usr/local/share/man/man1/plantgate.1': manPage,
  'usr/local/share/bash-completion/completions/plantgate': (tree) => `${completionScript('bash', tree)}\n`,
  'usr/local/share/zsh/site-functions/_plantgate': (tree) => `${completionScript('zsh', tree)}\n`,
  'usr/local/share/fish/vendor_completions.d/plantgate.fish': (tree) => `${completionScript('fish', tree)}\n`,
};

const FILES = [
  ['/etc/plantgate/plantgate.yaml', 'The configuration. Keys are in docs/configuration.md.'],
  [
    '/var/lib/plantgate',
    'The data directory of the service: the database, its backups, the access of the command line.',
  ],
  ['/var/cache/plantgate', 'The native SQLite addon, unpacked at the first start.'],
] as const;

const EXIT_CODES: readonly { readonly code: number; readonly meaning: string }[] = Object.values({
  done: { code: EXIT.done, meaning: 'done' },
  usage: { code: EXIT.usage, meaning: 'wrong usage' },
  badData: { code: EXIT.badData, meaning: 'an update archive is refused' },
  unavailable: { code: EXIT.unavailable, meaning: 'a needed service is unavailable' },
  internal: { code: EXIT.internal, meaning: 'internal fault' },
  cannotCreate: { code: EXIT.cannotCreate, meaning: 'something cannot be created, or is there already' },
  inputOutput: { code: EXIT.inputOutput, meaning: 'input or output failed' },
  tryAgain: { code: EXIT.tryAgain, meaning: 'try again later' },
  notPermitted: { code: EXIT.notPermitted, meaning: 'not permitted' },
  badConfiguration: { code: EXIT.badConfiguration, meaning: 'bad configuration' },
} satisfies Record<keyof typeof EXIT, object>);

/** plantgate(1), generated from the commands. */
export function manPage(tree: CommandTree): string {
  const [program] = tree;
  return `${[
    `.TH PLANTGATE 1 "" "plantgate ${VERSION}" "User Commands"`,
    '.SH NAME',
    'plantgate \\- edge gateway for roll\\-forming machines',
    '.SH SYNOPSIS',
    '.B plantgate',
    '[\\fIcommand\\fR] [\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    'plantgate decides locally whether a machine may run, records production, and forwards everything to a central server.',
    'Without a command it runs the gateway. Commands that speak to the running gateway find it by its data directory.',
    '.SH OPTIONS',
    ...(program?.options ?? []).flatMap(({ flags, description }) => item(flags, description)),
    '.SH COMMANDS',
    ...tree.filter(({ words, commands }) => words !== '' && commands.length === 0).flatMap(commandLines),
    '.SH FILES',
    ...FILES.flatMap(([file, text]) => item(file, text)),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(({ code, meaning }) => item(String(code), meaning)),
    '.SH EXAMPLES',
    ...item('sudo plantgate install', 'install this program as a service and start it'),
    ...item('sudo plantgate doctor', 'say what is wrong, and what to do about it'),
    ...item('plantgate demo', 'run a sample plant with simulated machines'),
  ].join('\n')}\n`;
}

function commandLines({ words, usage, description, options, arguments: names }: CommandPlace): readonly string[] {
  const own = options.filter(({ name }) => !['--help', '--config'].includes(name));
  return [
    `.SS ${escaped(`plantgate ${words} ${usage}`)}`,
    escaped(`${description}.`),
    ...names.flatMap((argument) => item(`<${argument.name}>`, argument.description)),
    ...own.flatMap((option) => item(option.flags, option.description)),
  ];
}

function item(term: string, text: string): readonly string[] {
  return ['.TP', `.B ${escaped(term)}`, escaped(text)];
}

/** roff interprets a backslash, a hyphen and a leading dot. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
