import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * The time after a change of what buttons stand for, or of their order, in which presses are ignored: they were meant for
 * the former button, or are the second press of two.
 */
const SETTLING_MS = 400;

/**
 * Whether the key, which names the buttons in their order, changed a moment ago. `from`: buttons that appear where others
 * stood settle at once too.
 */
export function useSettling(key: string, from: 'at once' | 'change' = 'change'): boolean {
  const settled = useSignal(from === 'change' ? key : null);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = key;
    }, SETTLING_MS);
    return () => clearTimeout(timer);
  }, [key, settled]);
  return settled.value !== key;
}
