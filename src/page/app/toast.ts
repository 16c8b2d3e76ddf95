import { signal } from '@preact/signals';

/** The outcome of an act: done, or why not; with Undo for ten seconds where it can be undone. */
export interface Toast {
  readonly text: string;
  readonly more: string;
  readonly isRefusal: boolean;
  readonly undo: (() => void) | null;
}

const SHOWN_MS = 10_000;

export const toast = signal<Toast | null>(null);

let leaving: ReturnType<typeof setTimeout> | undefined;

export function showToast(next: Toast): void {
  clearTimeout(leaving);
  toast.value = next;
  leaving = setTimeout(closeToast, SHOWN_MS);
}

export function closeToast(): void {
  clearTimeout(leaving);
  toast.value = null;
}
