import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** One mark for each part of the place that holds something unsaved. */
const unsaved = new Set<symbol>();

/** The step that waits until the person has answered `LeaveQuestion`; null: none waits. */
export const leaving = signal<(() => void) | null>(null);

/** Something is typed and not saved, or shown only once, while `isUnsaved`. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const mark = Symbol('unsaved');
    unsaved.add(mark);
    return () => {
      unsaved.delete(mark);
    };
  }, [isUnsaved]);
}

/** Whether two records have the same content: what is typed and taken back is not unsaved. */
export function isSameContent(one: object | null, other: object | null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

export function isAnythingUnsaved(): boolean {
  return unsaved.size > 0;
}

/** Goes on once the person has agreed to lose what is unsaved. */
export function askToLeave(goOn: () => void): void {
  leaving.value = goOn;
}

/** Goes on at once if nothing is unsaved, else once the person has agreed to lose it. */
export function leave(goOn: () => void): void {
  if (isAnythingUnsaved()) askToLeave(goOn);
  else goOn();
}

/** Loads another document. The person has agreed to lose what is unsaved, so the browser does not ask. */
export function loadDocument(address: string): void {
  unsaved.clear();
  location.assign(address);
}

/** The browser itself asks before the page is closed or loaded again. */
export function followClosing(): void {
  addEventListener('beforeunload', (event) => {
    if (isAnythingUnsaved()) event.preventDefault();
  });
}
