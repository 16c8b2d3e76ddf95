import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * Gives the newest loaded value, and null before the first. It loads when the place is shown, when `key` changes, and at
 * each interval while the tab is seen: a hidden tab must cost the gateway nothing. If `load` gives null, the value stays.
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
