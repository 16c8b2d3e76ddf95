import type { Shift } from '../shift/shift-calendar.ts';
import { addTime, emptyTally, holdsInstant, type ShiftTally, type TimeUse } from './counters/shift-tally.ts';
import type { MachineEffect } from './machine-effect.ts';
import { type MachineContext, type MachineState, shiftRecord } from './machine-state.ts';
import type { Transition } from './transition.ts';

/** The number of past shifts that are remembered, so that counting can go on in them when the wall clock is put back (D-04). */
export const MAX_EARLIER_SHIFTS = 6;

/** Counts a stretch of time that ended at `endAt` for the shifts that it lies in. */
export function addShiftTime(transition: Transition, endAt: number, durationMs: number, use: TimeUse): void {
  const { state } = transition;
  let leftMs = durationMs;
  while (leftMs > 0) {
    const from = endAt - leftMs;
    enterShift(transition, from);
    const { period } = state.shift;
    const spentMs = holdsInstant(period, from) && period.endMs < endAt ? period.endMs - from : leftMs;
    state.shift = addTime(state.shift, use, spentMs);
    leftMs -= spentMs;
  }
}

/**
 * Makes the shift of an instant the present one; the totals of the shift that is left become an effect. Totals are
 * absolute, so a shift so old that its totals may be forgotten is not entered again: its time and production count for
 * the present one.
 */
export function enterShift(transition: Transition, wallMs: number): void {
  const { state, effects, context } = transition;
  const left = state.shift;
  if (holdsInstant(left.period, wallMs)) return;
  const period = context.shiftAt(wallMs);
  if (isSameShift(period, left.period)) {
    state.shift = { period, totals: left.totals };
    return;
  }
  const remembered = state.earlierShifts.find((tally) => isSameShift(tally.period, period));
  const mayBeForgotten = remembered === undefined && state.earlierShifts.length >= MAX_EARLIER_SHIFTS;
  if (mayBeForgotten && period.startMs < left.period.startMs) return;
  if (state.recount === null) effects.push(shiftEffect(state, left, wallMs));
  // The caught-up production lies in two shifts, and would wrongly count for this one alone.
  if (state.pause?.isHalfRead === true) state.pause = null;
  state.earlierShifts = [left, ...state.earlierShifts.filter((tally) => tally !== remembered)].slice(
    0,
    MAX_EARLIER_SHIFTS,
  );
  state.shift = remembered === undefined ? emptyTally(period) : { period, totals: remembered.totals };
}

/** The totals of a shift up to `wallMs`, or to its end. */
export function shiftEffect(state: MachineState, tally: ShiftTally, wallMs: number): MachineEffect {
  return { type: 'shift', shift: shiftRecord(state, tally), at: Math.min(wallMs, tally.period.endMs - 1) };
}

/**
 * The state under the present calendar. A shift that is not in the calendar ends at once, so that the next step enters
 * the calendar's own shift, with the totals so far if it is the same shift with other bounds (VAR-03).
 */
export function followCalendar(state: MachineState, { shiftAt }: Pick<MachineContext, 'shiftAt'>): MachineState {
  const { period, totals } = state.shift;
  const own = shiftAt(period.startMs);
  if (isSameShift(own, period) && own.startMs === period.startMs && own.endMs === period.endMs) return state;
  return { ...state, shift: { period: { ...period, endMs: period.startMs }, totals } };
}

type ShiftId = Pick<Shift, 'shiftDate' | 'shiftName'>;

export function isSameShift(one: ShiftId, other: ShiftId): boolean {
  return one.shiftDate === other.shiftDate && one.shiftName === other.shiftName;
}
