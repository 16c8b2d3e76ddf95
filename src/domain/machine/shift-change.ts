import { shiftRecord } from './machine-state.ts';
import { addTime, emptyTally, holdsInstant, type TimeUse } from './shift-tally.ts';
import type { Turn } from './turn.ts';

/** How many shifts left behind are remembered, so that a wall clock put back can go on counting in them (D-04). */
export const MAX_EARLIER_SHIFTS = 6;

/** Counts a stretch of time in the shifts it lies in. */
export function addShiftTime(turn: Turn, startAt: number, endAt: number, use: TimeUse): void {
  const { state } = turn;
  let from = startAt;
  while (from < endAt) {
    enterShift(turn, from);
    const until = holdsInstant(state.shift, from) ? Math.min(endAt, state.shift.endMs) : endAt;
    state.shift = addTime(state.shift, use, until - from);
    from = until;
  }
}

/**
 * Makes the shift of an instant the present one; the totals of the one left become an effect. Totals are absolute, so a
 * shift so old that its totals may be forgotten is not entered again: what happens then counts in the present one.
 */
export function enterShift(turn: Turn, wallMs: number): void {
  const { state, effects, context } = turn;
  const left = state.shift;
  if (holdsInstant(left, wallMs)) return;
  const shift = context.shiftAt(wallMs);
  const { shiftDate, shiftName } = shift;
  if (shiftDate === left.shiftDate && shiftName === left.shiftName) {
    state.shift = { ...shift, totals: left.totals };
    return;
  }
  const remembered = state.earlierShifts.find(
    (tally) => tally.shiftDate === shiftDate && tally.shiftName === shiftName,
  );
  const mayBeForgotten = remembered === undefined && state.earlierShifts.length >= MAX_EARLIER_SHIFTS;
  if (mayBeForgotten && shift.startMs < left.startMs) return;
  effects.push({ type: 'shift', shift: shiftRecord(state.machineId, left) });
  state.earlierShifts = [left, ...state.earlierShifts.filter((tally) => tally !== remembered)].slice(
    0,
    MAX_EARLIER_SHIFTS,
  );
  state.shift = remembered === undefined ? emptyTally(shift) : { ...shift, totals: remembered.totals };
}
