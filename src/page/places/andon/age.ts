import { type ReadonlySignal, useComputed } from '@preact/signals';
import type { LiveMachine } from '../../plant/live-machine.ts';
import { now } from '../../show/clock.ts';
import { age } from '../../show/format.ts';

/** How long a machine is in its state, as a text that changes by itself; empty where nobody knows since when. */
export function useAge({ sinceMs }: LiveMachine): ReadonlySignal<string> {
  return useComputed(() => (sinceMs.value === null ? '' : age(now.value - sinceMs.value)));
}
