/** Keys of a scan follow each other faster than this. */
const PAUSE_MS = 100;

let waiting: ReturnType<typeof setTimeout> | undefined;

/** The key / goes to the search field of the place. A scanned code may hold a / as well, with more keys at once. */
export function followSearchKey(): void {
  document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
    clearTimeout(waiting);
    if (key !== '/' || ctrlKey || metaKey || altKey || target instanceof HTMLInputElement) return;
    if (target instanceof HTMLTextAreaElement || document.querySelector('dialog[open]') !== null) return;
    waiting = setTimeout(() => document.querySelector<HTMLInputElement>('.find input')?.focus(), PAUSE_MS);
  });
}
