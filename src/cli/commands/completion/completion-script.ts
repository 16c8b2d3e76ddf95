import type { CommandPlace, OptionPlace } from './command-tree.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A script by which a shell completes the words of a command line; file names stand for every other word. */
export function completionScript(shell: Shell, tree: readonly CommandPlace[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(tree);
    case 'zsh':
      return zshScript(tree);
    case 'fish':
      return fishScript(tree);
  }
}

/** The name of a place in the scripts: each word behind a space. */
function placeOf(words: string): string {
  return words === '' ? '' : ` ${words}`;
}

function commandPlaces(tree: readonly CommandPlace[]): readonly string[] {
  return tree.filter(({ words }) => words !== '').map(({ words }) => quoted(placeOf(words)));
}

function optionsWithValue(tree: readonly CommandPlace[]): readonly OptionPlace[] {
  const all = tree.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue));
  return [...new Map(all.map((option) => [option.name, option])).values()];
}

function bashScript(tree: readonly CommandPlace[]): string {
  const values = optionsWithValue(tree).map(({ name, choices }) => {
    const words = choices.length === 0 ? 'compgen -f' : `compgen -W ${quoted(choices.join(' '))}`;
    return `    ${name}) COMPREPLY=($(${words} -- "$current")); return ;;`;
  });
  const places = tree.map(({ words, commands, options }) => {
    const candidates = [...commands, ...options].map(({ name }) => name).join(' ');
    return `    ${quoted(placeOf(words))}) candidates=${quoted(candidates)} ;;`;
  });
  return [
    '# plantgate completion bash > /etc/bash_completion.d/plantgate',
    '_plantgate() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place="" candidates="" word`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    `    case "$place $word" in ${commandPlaces(tree).join('|')}) place="$place $word" ;; esac`,
    '  done',
    '  case "$before" in',
    ...values,
    '  esac',
    '  case "$place" in',
    ...places,
    '  esac',
    '  COMPREPLY=($(compgen -W "$candidates" -- "$current"))',
    '}',
    'complete -o default -F _plantgate plantgate',
  ].join('\n');
}

function zshScript(tree: readonly CommandPlace[]): string {
  const values = optionsWithValue(tree).map(({ name, choices }) => {
    const action = choices.length === 0 ? '_files' : `compadd -- ${choices.map(quoted).join(' ')}`;
    return `    ${name}) ${action}; return ;;`;
  });
  const places = tree.map(({ words, commands, options }) => {
    const candidates = [...commands, ...options].map(({ name, description }) =>
      quoted(`${name.replaceAll(':', '\\:')}:${description}`),
    );
    return `    ${quoted(placeOf(words))}) candidates=(${candidates.join(' ')}) ;;`;
  });
  return [
    '#compdef plantgate',
    '# plantgate completion zsh > /usr/local/share/zsh/site-functions/_plantgate',
    '_plantgate() {',
    '  local place="" word',
    '  local -a candidates',
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    `    case "$place $word" in ${commandPlaces(tree).join('|')}) place="$place $word" ;; esac`,
    '  done',
    `  case "\${words[CURRENT-1]}" in`,
    ...values,
    '  esac',
    '  case "$place" in',
    ...places,
    '  esac',
    "  _describe 'command or option' candidates || _files",
    '}',
    'compdef _plantgate plantgate',
  ].join('\n');
}

function fishScript(tree: readonly CommandPlace[]): string {
  const lines = tree.flatMap(({ words, commands, options }) => {
    const condition = `complete -c plantgate -n ${quoted(`__plantgate_at ${quoted(placeOf(words))}`)}`;
    return [
      ...commands.map(({ name, description }) => `${condition} -f -a ${name} -d ${quoted(description)}`),
      ...options.map(({ name, description, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : '';
        const flag = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
        return `${condition} ${flag}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return [
    '# plantgate completion fish > /usr/share/fish/vendor_completions.d/plantgate.fish',
    'function __plantgate_at',
    '    set -l place ""',
    '    for word in (commandline -opc)[2..-1]',
    '        switch "$place $word"',
    `            case ${commandPlaces(tree).join(' ')}`,
    '                set place "$place $word"',
    '        end',
    '    end',
    '    test "$place" = "$argv[1]"',
    'end',
    ...lines,
  ].join('\n');
}

/** Quotes the text so that a shell interprets nothing in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
