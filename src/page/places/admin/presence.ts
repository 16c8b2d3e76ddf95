import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PersonView } from '../../../flows/people/people-ports.ts';
import { call } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { timeOrDate } from '../../show/format.ts';
import { useShown } from '../../show/use-shown.ts';
import { words } from '../../words/words.ts';

interface Presence {
  readonly people: readonly PersonView[];
  readonly keys: readonly { readonly id: string; readonly lastUsedAt: number }[];
}

/** When each person was seen and each key was used last; empty until loaded. */
export function usePresence(): Presence & { readonly reload: () => void } {
  const presence = useSignal<Presence>({ people: [], keys: [] });
  const isShown = useShown();
  const load = async () => {
    const outcome = await call<Presence>('GET', '/people');
    if (isShown() && isDone(outcome)) presence.value = outcome.value;
  };
  useEffect(() => {
    void load();
    const leave = (['plant', 'reset'] as const).map((name) => onEvent(name, () => void load()));
    return () => {
      for (const stop of leave) stop();
    };
  }, [presence]);
  return { ...presence.value, reload: () => void load() };
}

export function seenAt(at: number | null): string {
  return at === null ? words.value.people.notSeen : timeOrDate(at);
}
