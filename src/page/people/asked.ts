import { signal } from '@preact/signals';

/** The question that a panel asks: who is there, or whether another person goes on. */
export type Asked =
  | { readonly kind: 'nothing' }
  /** `isForAct`: an act waits, and is done then. */
  | { readonly kind: 'person'; readonly isForAct: boolean }
  /** The session ended by itself; the shown place and the typed text stay. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'another'; readonly badge: string; readonly name: string };

export const asked = signal<Asked>({ kind: 'nothing' });

export function askForPerson(): void {
  asked.value = { kind: 'person', isForAct: false };
}

export function askNothing(): void {
  asked.value = { kind: 'nothing' };
}
