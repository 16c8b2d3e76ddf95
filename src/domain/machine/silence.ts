import type { MachineContext, MachineState } from './machine-state.ts';
import type { Transition } from './transition.ts';

/** The monotonic time at which a machine counts as silent, `timeoutMs` after its last message (DEV-10). */
export function silenceDueAt(state: MachineState, context: MachineContext): number {
  return state.heard === null || state.silent ? Infinity : state.heard.monotonicMs + context.timing.timeoutMs;
}

/** After a restart the time before the first message is unknown, so offline time starts with the silence. */
export function fallSilent({ state }: Transition, dueMs: number): void {
  state.silent = true;
  state.observedMs ??= dueMs;
}
