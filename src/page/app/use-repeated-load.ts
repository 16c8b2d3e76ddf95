import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * The newest loaded value: loaded when the place is shown, again when `key` changes, and at each interval while the tab
 * is seen, because a hidden tab costs the gateway nothing. Null until then. `load` gives null where nothing came; the
 * value before stays.
 */
export function useRepeatedLoad<T>(key: string, intervalMs: number, load: () => Promise<T | null>): Signal<T | null> {
  const loaded = useSignal<T | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const take = async () => {
      const value = await load();
      if (isCurrent && value !== null) loaded.value = value;
    };
    void take();
    const timer = setInterval(() => !document.hidden && void take(), intervalMs);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [key]);
  return loaded;
}
