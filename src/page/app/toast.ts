import { signal } from '@preact/signals';
import { leaveShown, seeFrom } from '../api/seen-age.ts';

/**
 * The outcome of an act: done, or why not; with Undo for ten seconds where it can be undone. It stays while the pointer or
 * the focus is on it.
 */
export interface Toast {
  readonly text: string;
  readonly more: string;
  readonly isRefusal: boolean;
  /** Takes the act back, and resolves with true if that succeeded; null if the act cannot be taken back. */
  readonly undo: (() => Promise<boolean>) | null;
}

const SHOWN_MS = 10_000;

export const toast = signal<Toast | null>(null);

/** The sheets over the place, the uppermost last. The toast is shown in that one: a modal sheet covers all that lies below. */
export const sheets = signal<readonly symbol[]>([]);

let leaving: ReturnType<typeof setTimeout> | undefined;
let shownAtMs = 0;

export function showToast(next: Toast): void {
  toast.value = next;
  shownAtMs = Date.now();
  letToastGo();
}

/** Shows that an act was done. */
export function showDone(text: string, more = '', undo: Toast['undo'] = null): void {
  showToast({ text, more, isRefusal: false, undo });
}

/** Keeps the toast until `letToastGo`. */
export function holdToast(): void {
  clearTimeout(leaving);
}

/** The toast leaves after its time, which begins now. */
export function letToastGo(): void {
  clearTimeout(leaving);
  leaving = setTimeout(closeToast, SHOWN_MS);
}

/**
 * Takes an act back. If that fails, the toast shows the reason and keeps its Undo: the gateway refuses to take back what
 * another person changed since the toast came, until the person was told of it.
 */
export async function takeBack(undo: NonNullable<Toast['undo']>): Promise<void> {
  const shown = seeFrom(shownAtMs);
  closeToast();
  const isUndone = await undo().finally(() => leaveShown(shown));
  if (isUndone || toast.value?.isRefusal !== true) return;
  showToast({ ...toast.value, undo });
  shownAtMs = shown.sinceMs;
}

/** An act that was done ends the refusal of the one before. */
export function endRefusal(): void {
  if (toast.value?.isRefusal === true) closeToast();
}

export function closeToast(): void {
  clearTimeout(leaving);
  toast.value = null;
}
