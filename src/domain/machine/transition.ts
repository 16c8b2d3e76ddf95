import type { Now } from '../time.ts';
import type { MachineEffect } from './machine-effect.ts';
import type { MachineContext, MachineState } from './machine-state.ts';

/** One step under way: a mutable copy of the state, and the effects so far. Only `step` sees it. */
export interface Transition {
  readonly state: { -readonly [Key in keyof MachineState]: MachineState[Key] };
  readonly effects: MachineEffect[];
  readonly now: Now;
  readonly context: MachineContext;
}

export function beginTransition(state: MachineState, now: Now, context: MachineContext): Transition {
  return { state: { ...state, asOf: now }, effects: [], now, context };
}

/** A moment, given on the monotonic clock, on both clocks. */
export function momentAt(transition: Transition, monotonicMs: number): Now {
  return monotonicMs === transition.now.monotonicMs
    ? transition.now
    : { monotonicMs, wallMs: wallAt(transition, monotonicMs) };
}

/** The wall time of a moment of the monotonic clock, as the present wall clock sees it: its jumps create no time. */
export function wallAt(transition: Transition, monotonicMs: number): number {
  return Math.round(transition.now.wallMs - (transition.now.monotonicMs - monotonicMs));
}
