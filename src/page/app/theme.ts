const STORED_AS = 'theme';

/** Shows the theme that was chosen here; without a choice the system's. */
export function followTheme(): void {
  const chosen = localStorage.getItem(STORED_AS);
  if (chosen !== null) document.documentElement.dataset.theme = chosen;
}

export function changeTheme(): void {
  const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark';
  const chosen = isDark ? 'light' : 'dark';
  localStorage.setItem(STORED_AS, chosen);
  document.documentElement.dataset.theme = chosen;
}
