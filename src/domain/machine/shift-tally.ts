import type { Shift } from '../shift/shift-calendar.ts';
import type { Production } from './counters.ts';
import type { ShiftTotals } from './records.ts';

/** A shift with what was counted in it so far. */
export interface ShiftTally extends Shift {
  readonly totals: ShiftTotals;
}

/** Where a stretch of time goes: one of four that exclude each other, and two that overlap them. */
export type TimeClass = 'runningMs' | 'stoppedMs' | 'downMs' | 'offlineMs';

export interface TimeUse {
  readonly timeClass: TimeClass;
  readonly fault: boolean;
  readonly override: boolean;
}

export function emptyTally(shift: Shift): ShiftTally {
  return { ...shift, totals: NO_TOTALS };
}

export function holdsInstant(shift: Shift, wallMs: number): boolean {
  return wallMs >= shift.startMs && wallMs < shift.endMs;
}

export function addTime(tally: ShiftTally, use: TimeUse, durationMs: number): ShiftTally {
  const { totals } = tally;
  return {
    ...tally,
    totals: {
      ...totals,
      [use.timeClass]: totals[use.timeClass] + durationMs,
      faultMs: totals.faultMs + (use.fault ? durationMs : 0),
      overrideMs: totals.overrideMs + (use.override ? durationMs : 0),
    },
  };
}

export function addProduction(tally: ShiftTally, made: Production): ShiftTally {
  const { totals } = tally;
  return {
    ...tally,
    totals: {
      ...totals,
      goodParts: totals.goodParts + made.goodParts,
      badParts: totals.badParts + made.badParts,
      cycles: totals.cycles + made.cycles,
    },
  };
}

/** The monotonic clock counts in fractions, records in whole milliseconds. */
export function wholeMilliseconds(totals: ShiftTotals): ShiftTotals {
  return {
    ...totals,
    runningMs: Math.round(totals.runningMs),
    stoppedMs: Math.round(totals.stoppedMs),
    downMs: Math.round(totals.downMs),
    faultMs: Math.round(totals.faultMs),
    overrideMs: Math.round(totals.overrideMs),
    offlineMs: Math.round(totals.offlineMs),
  };
}

const NO_TOTALS: ShiftTotals = {
  goodParts: 0,
  badParts: 0,
  cycles: 0,
  runningMs: 0,
  stoppedMs: 0,
  downMs: 0,
  faultMs: 0,
  overrideMs: 0,
  offlineMs: 0,
};
