/** A choice that this browser keeps; null without one. A browser that permits no storage throws at each use of it. */
export function keptChoice(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Where nothing can be stored, the choice holds until the page is loaded again. */
export function keepChoice(name: string, chosen: string): void {
  try {
    localStorage.setItem(name, chosen);
  } catch {
    // The choice is shown all the same.
  }
}
