import { keepChoice, keptChoice } from './kept-choice.ts';

const STORED_AS = 'theme';

/** Shows the theme that was chosen here; without a choice the system's. */
export function followTheme(): void {
  const chosen = keptChoice(STORED_AS);
  if (chosen !== null) document.documentElement.dataset.theme = chosen;
}

export function changeTheme(): void {
  const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark';
  const chosen = isDark ? 'light' : 'dark';
  document.documentElement.dataset.theme = chosen;
  keepChoice(STORED_AS, chosen);
}
