import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { placedMachines } from '../../plant/machines.ts';
import { needsPerson } from '../../plant/shown-state.ts';
import { words } from '../../words/words.ts';

/** More often would talk over everything else. */
const TELL_EVERY_MS = 10_000;
/** Machines and tasks come one after the other when the page is loaded. */
const SETTLING_MS = 1_000;

/** Tells screen readers which machine needs a person most, when it becomes another. */
export function ToldWorst() {
  const worst = useComputed(worstText);
  const told = useSignal('');
  const toldAtMs = useRef(Number.NEGATIVE_INFINITY);
  useSignalEffect(() => {
    const text = worst.value;
    const waitMs = Math.max(SETTLING_MS, toldAtMs.current + TELL_EVERY_MS - performance.now());
    const timer = setTimeout(() => {
      told.value = text;
      toldAtMs.current = performance.now();
    }, waitMs);
    return () => clearTimeout(timer);
  });
  return (
    <p class="sr" aria-live="polite">
      {told}
    </p>
  );
}

function worstText(): string {
  const first = placedMachines.value.find(({ state }) => needsPerson(state));
  return first === undefined ? '' : `${first.live.name.value}: ${words.value.states[first.live.state.value]}`;
}
