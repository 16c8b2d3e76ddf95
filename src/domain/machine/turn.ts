import type { Now } from '../time.ts';
import type { MachineEffect } from './machine-effect.ts';
import type { MachineContext, MachineState } from './machine-state.ts';

/** One step under way: a copy of the state to write on, and the effects so far. Nobody outside `step` sees it. */
export interface Turn {
  readonly state: { -readonly [Key in keyof MachineState]: MachineState[Key] };
  readonly effects: MachineEffect[];
  readonly now: Now;
  readonly context: MachineContext;
}

export function beginTurn(state: MachineState, now: Now, context: MachineContext): Turn {
  return { state: { ...state, asOf: now }, effects: [], now, context };
}

/** A moment of the monotonic clock on both clocks. */
export function momentAt(turn: Turn, monotonicMs: number): Now {
  return monotonicMs === turn.now.monotonicMs ? turn.now : { monotonicMs, wallMs: wallAt(turn, monotonicMs) };
}

/** The wall time of a moment of the monotonic clock, as the present wall clock sees it: its jumps create no time. */
export function wallAt(turn: Turn, monotonicMs: number): number {
  return Math.round(turn.now.wallMs - (turn.now.monotonicMs - monotonicMs));
}
