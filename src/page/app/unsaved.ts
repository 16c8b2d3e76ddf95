import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** One mark for each part of the place that a person would lose something of. */
const unsaved = new Set<symbol>();

/** The way on that waits until the person has said whether what is unsaved may be lost; null: none waits. */
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

export function isAnythingUnsaved(): boolean {
  return unsaved.size > 0;
}

/** Goes on at once, or when the person has said that what is unsaved may be lost. */
export function leave(goOn: () => void): void {
  if (isAnythingUnsaved()) leaving.value = goOn;
  else goOn();
}

/** The browser itself asks before the page is closed or loaded again. */
export function followClosing(): void {
  addEventListener('beforeunload', (event) => {
    if (isAnythingUnsaved()) event.preventDefault();
  });
}
