import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Outcome } from '../api/call.ts';
import { type EventName, onEvent } from '../api/live.ts';
import { isDone } from './tell-outcome.ts';

const TYPING_PAUSE_MS = 200;

/**
 * The answer of a call; null until it has come. The page shows a refusal. The call is made when the place is shown, and
 * again when `key` changes, after a short pause, so that not every typed letter is a call. It is also repeated when the
 * line is open again, because a break or the end of a session may have stopped it, and the gateway may have been
 * restored since. `again` names a further event that repeats it.
 */
export function useLoaded<T>(key: string, load: () => Promise<Outcome<T>>, again?: EventName): Signal<T | null> {
  const loaded = useSignal<T | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const take = async () => {
      const outcome = await load();
      if (isCurrent && isDone(outcome)) loaded.value = outcome.value;
    };
    const timer = setTimeout(() => void take(), loaded.value === null ? 0 : TYPING_PAUSE_MS);
    const repeats: readonly EventName[] = again === undefined ? ['reset'] : ['reset', again];
    const leave = repeats.map((name) => onEvent(name, take));
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      for (const stop of leave) stop();
    };
  }, [key]);
  return loaded;
}
