import type { CommandPlace } from './command-tree.ts';
import { completionScript } from './completion-script.ts';
import { manPage } from './man-page.ts';

/** The manual page and the completion of shells: their texts by their places below the root. */
export const HELP_FILES: Readonly<Record<string, (tree: readonly CommandPlace[]) => string>> = {
  'usr/local/share/man/man1/plantgate.1': manPage,
  'usr/local/share/bash-completion/completions/plantgate': (tree) => `${completionScript('bash', tree)}\n`,
  'usr/local/share/zsh/site-functions/_plantgate': (tree) => `${completionScript('zsh', tree)}\n`,
  'usr/local/share/fish/vendor_completions.d/plantgate.fish': (tree) => `${completionScript('fish', tree)}\n`,
};
