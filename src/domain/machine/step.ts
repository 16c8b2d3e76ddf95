import type { Now } from '../time.ts';
import { advance, stopDueAt } from './advance.ts';
import { correctTimes } from './counters/clock-correction.ts';
import { beginRecount, endRecount, movesProduction } from './counters/recount.ts';
import { changeDowntimes } from './downtime/downtime.ts';
import { settleSpan } from './downtime/span.ts';
import { sessionIdleAt, settleSession } from './downtime/work-session.ts';
import type { MachineEffect } from './machine-effect.ts';
import type { MachineInput } from './machine-input.ts';
import { decisionOf, type MachineContext, type MachineState } from './machine-state.ts';
import { clearPart, selectPart } from './part-selection.ts';
import { silenceDueAt } from './silence.ts';
import { takeField } from './status/field-intake.ts';
import { takeStatus } from './status/status-intake.ts';
import { beginTransition, type Transition } from './transition.ts';

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
