import type { Now } from '../../time.ts';
import type { Transition } from '../transition.ts';

/**
 * The wall clock was wrong since `sinceAt` and has been put right by `deltaMs`: times noted by the wrong clock that will
 * be written again move with it (D-04). Timeouts and durations run on the monotonic clock and are not touched.
 */
export function correctTimes(transition: Transition, deltaMs: number, sinceAt: number): void {
  const { state } = transition;
  const correct = (at: number) => (at >= sinceAt ? at + deltaMs : at);
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
