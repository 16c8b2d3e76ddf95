import { type MachineState, openDowntime } from '../machine-state.ts';
import type { Activity } from '../records.ts';
import { type Transition, wallAt } from '../transition.ts';

/** The activity for the timeline: offline before fault before running before down before stopped; null while nothing is known. */
function activityOf(state: MachineState): Activity | null {
  if (state.silent) return 'offline';
  if (state.observedMs === null) return null;
  if (state.known.fault === true) return 'fault';
  if (state.known.running === true) return 'running';
  return openDowntime(state) === null ? 'stopped' : 'down';
}

/** Ends the lasting span and starts the next if the activity has changed. */
export function settleSpan(transition: Transition, atMs: number): void {
  const { state, effects, context } = transition;
  const activity = activityOf(state);
  if (activity === null || activity === state.span?.activity) return;
  const at = wallAt(transition, atMs);
  if (state.span !== null && state.span.startedAt === at) {
    // Two changes in one millisecond leave one span, not an empty one before it.
    state.span = { ...state.span, activity };
  } else {
    if (state.span !== null) {
      effects.push({ type: 'span', span: { ...state.span, endedAt: Math.max(state.span.startedAt, at) } });
    }
    state.span = { spanId: context.newId(), machineId: state.machineId, activity, startedAt: at, endedAt: null };
  }
  effects.push({ type: 'span', span: state.span });
}
