import { signal } from '@preact/signals';

/** The question that a panel asks: who is there, or whether another person goes on. */
export type Asked =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'person' }
  /** The session ended by itself; the shown place and the typed text stay. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'another'; readonly badge: string; readonly name: string };

export const asked = signal<Asked>({ kind: 'nothing' });

export function askForPerson(): void {
  asked.value = { kind: 'person' };
}

export function askNothing(): void {
  asked.value = { kind: 'nothing' };
}
