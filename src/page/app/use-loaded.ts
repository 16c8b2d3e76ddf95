import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Outcome } from '../api/call.ts';
import { isDone } from './tell-outcome.ts';

const TYPING_PAUSE_MS = 200;

/**
 * The answer of a call, loaded when the place is shown and again when `key` changes, after a short pause, so that not every
 * letter is a call. Null until then. The person sees a refusal.
 */
export function useLoaded<T>(key: string, load: () => Promise<Outcome<T>>): Signal<T | null> {
  const loaded = useSignal<T | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(
      async () => {
        const outcome = await load();
        if (isCurrent && isDone(outcome)) loaded.value = outcome.value;
      },
      loaded.value === null ? 0 : TYPING_PAUSE_MS,
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  return loaded;
}
