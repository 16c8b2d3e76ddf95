import type { TimeClass } from './counters/shift-tally.ts';
import { openStoppedDowntime } from './downtime/downtime.ts';
import { settleSpan } from './downtime/span.ts';
import { closeIdleSession, keepSessionActive } from './downtime/work-session.ts';
import type { MachineContext, MachineState } from './machine-state.ts';
import { openDowntime } from './machine-state.ts';
import { addShiftTime, enterShift } from './shift-change.ts';
import { fallSilent, silenceDueAt } from './silence.ts';
import { type Transition, wallAt } from './transition.ts';

/**
 * Brings a machine up to now: events that fell due since the last step happen at the moment they were due, and the time
 * in between counts for the machine's activity at that time. After its last message a machine keeps its state for
 * `timeoutMs` and is offline from then on (DEV-10).
 */
export function advance(transition: Transition): void {
  const { state, context, now } = transition;
  // Each round settles the silence or the pending stop. Neither can become due again before the next message.
  for (;;) {
    const silenceDue = silenceDueAt(state, context);
    const stopDue = stopDueAt(state, context);
    const due = Math.min(silenceDue, stopDue);
    if (due > now.monotonicMs) break;
    accountUntil(transition, due);
    if (stopDue <= silenceDue) openStoppedDowntime(transition, due);
    else fallSilent(transition, due);
    settleSpan(transition, due);
  }
  accountUntil(transition, now.monotonicMs);
  closeIdleSession(transition);
  enterShift(transition, now.wallMs);
}

/** A stop that was pending at a restart waits for the machine's first message, or its silence (D-03). */
export function stopDueAt(state: MachineState, context: MachineContext): number {
  return state.pendingStop === null || state.observedMs === null
    ? Infinity
    : state.pendingStop.sinceMs + context.timing.minimumStopMs;
}

function accountUntil(transition: Transition, untilMs: number): void {
  const { state } = transition;
  const fromMs = state.observedMs;
  if (fromMs === null || untilMs <= fromMs) return;
  const isOnline = !state.silent;
  addShiftTime(transition, wallAt(transition, untilMs), untilMs - fromMs, {
    timeClass: timeClassOf(state),
    fault: isOnline && state.known.fault === true,
    override: isOnline && state.known.override === true,
  });
  if (isOnline && state.known.running === true) keepSessionActive(transition, untilMs);
  state.observedMs = untilMs;
}

function timeClassOf(state: MachineState): TimeClass {
  if (state.silent) return 'offlineMs';
  if (state.known.running === true) return 'runningMs';
  return openDowntime(state) === null ? 'stoppedMs' : 'downMs';
}
