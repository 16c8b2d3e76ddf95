import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Outcome } from '../api/call.ts';
import { type EventName, onEvent } from '../api/live.ts';
import { loadOrder } from '../plant/load-order.ts';
import { replayChanges } from '../plant/replay-changes.ts';
import { isDone } from './tell-outcome.ts';

const TYPING_PAUSE_MS = 200;

interface LoadedOptions<T> {
  /** A further event that repeats the call. */
  readonly again?: EventName;
  /** Changes that come while the answer is on its way are shown again after it, because it may be older. */
  readonly follow?: { readonly event: EventName; readonly change: (shown: T, changed: unknown) => T };
}

/**
 * The answer of a call; null until it has come. The page shows a refusal. The call is made when the place is shown, and
 * again when `key` changes, after a short pause, so that not every typed letter is a call. It is also repeated when the
 * line is open again, because a break or the end of a session may have stopped it, and the gateway may have been
 * restored since.
 */
export function useLoaded<T>(
  key: string,
  load: () => Promise<Outcome<T>>,
  { again, follow }: LoadedOptions<T> = {},
): Signal<T | null> {
  const loaded = useSignal<T | null>(null);
  const changes = useMemo(() => {
    return replayChanges((changed: unknown) => {
      if (loaded.value !== null && follow !== undefined) loaded.value = follow.change(loaded.value, changed);
    });
  }, [loaded]);
  const loads = useMemo(loadOrder, [loaded]);
  useEffect(() => {
    let isCurrent = true;
    const take = () =>
      changes.load(async (replay) => {
        const isShown = loads.begin();
        const outcome = await load();
        if (!isCurrent || !isDone(outcome) || !isShown()) return;
        loaded.value = outcome.value;
        replay();
      });
    const timer = setTimeout(() => void take(), loaded.value === null ? 0 : TYPING_PAUSE_MS);
    const repeats: readonly EventName[] = again === undefined ? ['reset'] : ['reset', again];
    const leave = repeats.map((name) => onEvent(name, take));
    if (follow !== undefined) leave.push(onEvent(follow.event, changes.note));
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      for (const stop of leave) stop();
    };
  }, [key]);
  return loaded;
}
