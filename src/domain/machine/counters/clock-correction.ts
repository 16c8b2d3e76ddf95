import type { Now } from '../../time.ts';
import type { Transition } from '../transition.ts';

/** A time that was noted since `sinceAt`, in a clock that has been corrected by `deltaMs`. Earlier times do not change. */
export function correctedTime(at: number, deltaMs: number, sinceAt: number): number {
  return at >= sinceAt ? at + deltaMs : at;
}

/**
 * Moves the times of a machine's state from `sinceAt` on by `deltaMs`, because the wall clock was wrong since then and
 * has been corrected (D-04). Timeouts and durations use the monotonic clock and do not change.
 */
export function correctTimes(transition: Transition, deltaMs: number, sinceAt: number): void {
  const { state } = transition;
  const correct = (at: number) => correctedTime(at, deltaMs, sinceAt);
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
