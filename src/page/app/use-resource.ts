import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Outcome } from '../api/call.ts';
import { type EventName, onEvent } from '../api/live.ts';
import { resource } from '../plant/resource.ts';
import { isDone } from './tell-outcome.ts';

/** A typed letter is no load: the load waits for a pause. */
const TYPING_PAUSE_MS = 200;
/** In a plant of thousands of machines stops and alerts come every moment. */
const AGAIN_EVERY_MS = 3_000;

interface UsedOptions<T> {
  /** A further event at which it is loaded again, at once or some seconds after the last such load. */
  readonly again?: EventName;
  /** Changes that come by events are shown without a load. */
  readonly follow?: { readonly event: EventName; readonly change: (shown: T, changed: unknown) => T };
  /** Loads again at this interval while the tab is seen, because a hidden tab must cost the gateway nothing. A refusal is not told. */
  readonly everyMs?: number;
  /** Tells a refusal all the same, except that of a load at the interval. */
  readonly tellsRefusal?: boolean;
}

/**
 * What `ask` gives; null until it has come. It is loaded when the place is shown, when `key` changes, and when the line
 * is open again, because a break or the end of a session may have stopped it, and the gateway may have been restored
 * since. A refusal is told.
 */
export function useResource<T>(
  key: string,
  ask: () => Promise<Outcome<T>>,
  { again, follow, everyMs, tellsRefusal = everyMs === undefined }: UsedOptions<T> = {},
): Signal<T | null> {
  const loaded = useSignal<T | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const { load, note } = resource<T, unknown>({
      ask,
      isRepeated: false,
      show: (value) => {
        if (isCurrent) loaded.value = value;
      },
      change: (changed) => {
        if (loaded.value !== null && follow !== undefined) loaded.value = follow.change(loaded.value, changed);
      },
    });
    const loadAgain = async () => {
      const outcome = await load();
      if (isCurrent && tellsRefusal) isDone(outcome);
    };
    const pauseMs = loaded.value === null || !tellsRefusal ? 0 : TYPING_PAUSE_MS;
    const first = setTimeout(() => void loadAgain(), pauseMs);
    const repeat = everyMs === undefined ? undefined : setInterval(() => !document.hidden && void load(), everyMs);
    let lastMs = Number.NEGATIVE_INFINITY;
    let coming: ReturnType<typeof setTimeout> | undefined;
    const loadSoon = () => {
      coming ??= setTimeout(
        () => {
          coming = undefined;
          lastMs = performance.now();
          void loadAgain();
        },
        Math.max(0, lastMs + AGAIN_EVERY_MS - performance.now()),
      );
    };
    const leave = [onEvent('reset', loadAgain)];
    if (again !== undefined) leave.push(onEvent(again, loadSoon));
    if (follow !== undefined) leave.push(onEvent(follow.event, note));
    return () => {
      isCurrent = false;
      clearTimeout(first);
      clearTimeout(coming);
      clearInterval(repeat);
      for (const stop of leave) stop();
    };
  }, [key]);
  return loaded;
}
