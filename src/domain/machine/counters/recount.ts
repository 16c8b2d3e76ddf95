import type { Transition } from '../machine-state.ts';
import type { ShiftRecord } from '../records.ts';
import { eachTotal, emptyTally, isEmpty, type ShiftTally } from './counters.ts';
import { isSameShift, shiftEffect } from './counting.ts';

/** Totals are stored by the minute, so a smaller correction of the clock moves no production. */
export const MIN_MOVE_MS = 60_000;

export function movesProduction(deltaMs: number): boolean {
  return Math.abs(deltaMs) >= MIN_MOVE_MS;
}

/**
 * The clock was corrected, so production since boot belongs to other shifts. The store moves what it has; the machine
 * counts on from zero, in the right shift, until it learns the totals of the store (`endRecount`). Counts of a recount
 * that has not ended are not in the store, and go on in the present shift.
 */
export function beginRecount({ state, context, now }: Transition): void {
  const period = context.shiftAt(now.wallMs);
  const carried = state.recount === null ? [] : [state.shift, ...state.earlierShifts];
  state.recount = (state.recount ?? 0) + 1;
  state.shift = carried.reduce((sum, { totals }) => added(sum, totals), emptyTally(period));
  // A clock that is slowed down may go back by moments.
  state.earlierShifts = [emptyTally(context.shiftAt(period.startMs - 1))];
}

/** Adds the totals that the store has of the shifts. */
export function endRecount({ state, effects, now }: Transition, stored: readonly ShiftRecord[]): void {
  const whole = (tally: ShiftTally) => {
    const known = stored.find((shift) => isSameShift(shift, tally.period));
    return known === undefined ? tally : added(tally, known.totals);
  };
  const left = state.earlierShifts.filter(({ totals }) => !isEmpty(totals));
  state.recount = null;
  state.shift = whole(state.shift);
  state.earlierShifts = state.earlierShifts.map(whole);
  for (const tally of [state.shift, ...left.map(whole)]) effects.push(shiftEffect(state, tally, now.wallMs));
}

function added({ period, totals }: ShiftTally, more: ShiftTally['totals']): ShiftTally {
  return { period, totals: eachTotal(totals, more, (one, other) => one + other) };
}
