import type { Now } from '../../time.ts';
import type { MachineInput } from '../machine-input.ts';
import type { Transition } from '../machine-state.ts';

export type ClockCorrection = Extract<MachineInput, { type: 'clockCorrected' }>;

/**
 * Corrects a time if the wrong clock can have given it, between the boot and the correction. A clock that was years
 * behind has not given the times of earlier boots, although they are later.
 */
export function correctionOf({ deltaMs, sinceAt }: ClockCorrection, now: Now): (at: number) => number {
  const untilAt = now.wallMs - deltaMs + ROUNDED_MS;
  return (at) => (at >= sinceAt && at <= untilAt ? at + deltaMs : at);
}

/** Clocks count in fractions of a millisecond, and times are rounded. */
const ROUNDED_MS = 1;

/**
 * Moves the times of a machine's state that the wrong clock has given (D-04). Timeouts and durations use the monotonic
 * clock and do not change.
 */
export function correctTimes(transition: Transition, correction: ClockCorrection): void {
  const { state } = transition;
  const correct = correctionOf(correction, transition.now);
  const correctEnd = (at: number | null) => (at === null ? null : correct(at));
  const correctNow = ({ monotonicMs, wallMs }: Now): Now => ({ monotonicMs, wallMs: correct(wallMs) });
  const { heard, span, downtime, session, pendingStop, selection } = state;
  if (heard !== null) state.heard = correctNow(heard);
  state.selectionAt = correct(state.selectionAt);
  if (selection !== null) state.selection = { ...selection, selectedAt: correct(selection.selectedAt) };
  if (pendingStop !== null) state.pendingStop = { ...pendingStop, startedAt: correct(pendingStop.startedAt) };
  if (span !== null) state.span = { ...span, startedAt: correct(span.startedAt) };
  if (downtime !== null) {
    state.downtime = { ...downtime, startedAt: correct(downtime.startedAt), endedAt: correctEnd(downtime.endedAt) };
  }
  if (session !== null) {
    state.session = {
      ...session,
      startedAt: correct(session.startedAt),
      endedAt: correctEnd(session.endedAt),
    };
    state.sessionActive = correctNow(state.sessionActive);
  }
}
