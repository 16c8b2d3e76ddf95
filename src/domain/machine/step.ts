import type { Now } from '../time.ts';
import { correctTimes } from './counters/clock-correction.ts';
import type { TimeClass } from './counters/counters.ts';
import {
  addShiftTime,
  closeIdleSession,
  enterShift,
  keepSessionActive,
  sessionIdleAt,
  settleSession,
} from './counters/counting.ts';
import { beginRecount, endRecount, movesProduction } from './counters/recount.ts';
import { changeDowntimes, openStoppedDowntime, settleSpan } from './downtime/downtime.ts';
import type { MachineEffect } from './machine-effect.ts';
import type { MachineInput } from './machine-input.ts';
import {
  beginTransition,
  decisionOf,
  type MachineContext,
  type MachineState,
  openDowntime,
  type Transition,
  wallAt,
} from './machine-state.ts';
import { takeField } from './status/field-intake.ts';
import { clearPart, selectPart, takeStatus } from './status/status-intake.ts';

export interface Step {
  readonly state: MachineState;
  readonly effects: readonly MachineEffect[];
}

/**
 * Applies an input to a machine. Time up to `now` is first accounted to the activity before the input; the result is
 * the same for any number of `clock` inputs in between. The given state is not changed.
 */
export function step(state: MachineState, input: MachineInput, now: Now, context: MachineContext): Step {
  const transition = beginTransition(state, now, context);
  if (input.type === 'clockCorrected') {
    correctTimes(transition, input);
    if (movesProduction(input.deltaMs)) beginRecount(transition);
  }
  advance(transition);
  takeInput(transition, input);
  settleSession(transition);
  settleSpan(transition, now.monotonicMs);
  settleOutcome(transition, state);
  return { state: transition.state, effects: transition.effects };
}

/**
 * The time, on the monotonic clock, at which a `clock` input would change the state: silence, the end of a stop's
 * grace, or an idle work session; Infinity for never. The end of a shift is not among them, because it follows the wall
 * clock.
 */
export function nextDueAt(state: MachineState, context: MachineContext): number {
  return Math.min(silenceDueAt(state, context), stopDueAt(state, context), sessionIdleAt(state, context));
}

function takeInput(transition: Transition, input: MachineInput): void {
  switch (input.type) {
    case 'status':
      takeStatus(transition, input.status, input.duplicate, input.sender);
      break;
    case 'field':
      takeField(transition, input.update, input.duplicate, input.sender);
      break;
    case 'selectPart':
      selectPart(transition, input);
      break;
    case 'clearPart':
      clearPart(transition, input.at);
      break;
    case 'downtimesChanged':
      changeDowntimes(transition, input.downtimes, input.removedIds);
      break;
    case 'shiftsRecounted':
      if (input.recount === transition.state.recount) endRecount(transition, input.shifts);
      break;
    case 'clock':
    case 'clockCorrected':
      break;
  }
}

/** Reports only the final change of a step: a device that is heard again in the same step was not silent. */
function settleOutcome(transition: Transition, before: MachineState): void {
  const { state, effects, now } = transition;
  if (state.silent !== before.silent) {
    effects.push({ type: state.silent ? 'wentSilent' : 'cameBack', at: now.wallMs });
  }
  state.decision = decisionOf(state);
  if (state.decision !== before.decision) effects.push({ type: 'decision', decision: state.decision });
}

/**
 * Brings a machine up to now: events that fell due since the last step happen at the moment they were due, and the time
 * in between counts for the machine's activity at that time. After its last message a machine keeps its state for
 * `timeoutMs` and is offline from then on (DEV-10).
 */
function advance(transition: Transition): void {
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
function stopDueAt(state: MachineState, context: MachineContext): number {
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

/** The monotonic time at which a machine counts as silent, `timeoutMs` after its last message (DEV-10). */
function silenceDueAt(state: MachineState, context: MachineContext): number {
  return state.heard === null || state.silent ? Infinity : state.heard.monotonicMs + context.timing.timeoutMs;
}

/** After a restart the time before the first message is unknown, so offline time starts with the silence. */
function fallSilent({ state }: Transition, dueMs: number): void {
  state.silent = true;
  state.observedMs ??= dueMs;
}
