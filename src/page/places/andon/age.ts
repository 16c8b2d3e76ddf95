import { type ReadonlySignal, useComputed } from '@preact/signals';
import type { LiveMachine } from '../../plant/live-machine.ts';
import { now } from '../../show/clock.ts';
import { age } from '../../show/format.ts';

/** The duration of a machine's state, as a text that updates itself. Empty: the start is unknown. */
export function useAge({ sinceMs }: LiveMachine): ReadonlySignal<string> {
  return useComputed(() => (sinceMs.value === null ? '' : age(now.value - sinceMs.value)));
}
