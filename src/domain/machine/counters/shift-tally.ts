import type { Shift } from '../../shift/shift-calendar.ts';
import type { ShiftTotals } from '../records.ts';
import type { Production } from './counters.ts';

/** A shift with its counts so far. */
export interface ShiftTally {
  readonly period: Shift;
  readonly totals: ShiftTotals;
}

/** The sums to which a stretch of time counts: one of four that exclude each other, and two that overlap them. */
export type TimeClass = 'runningMs' | 'stoppedMs' | 'downMs' | 'offlineMs';

export interface TimeUse {
  readonly timeClass: TimeClass;
  readonly fault: boolean;
  readonly override: boolean;
}

export function emptyTally(period: Shift): ShiftTally {
  return { period, totals: NO_TOTALS };
}

export function holdsInstant(shift: Shift, wallMs: number): boolean {
  return wallMs >= shift.startMs && wallMs < shift.endMs;
}

/** Nothing was made in it, and no time was counted. */
export function isEmpty(totals: ShiftTotals): boolean {
  return Object.values(totals).every((total) => total === 0);
}

export function addTime({ period, totals }: ShiftTally, use: TimeUse, durationMs: number): ShiftTally {
  const { timeClass } = use;
  return {
    period,
    totals: {
      goodParts: totals.goodParts,
      badParts: totals.badParts,
      cycles: totals.cycles,
      runningMs: totals.runningMs + (timeClass === 'runningMs' ? durationMs : 0),
      stoppedMs: totals.stoppedMs + (timeClass === 'stoppedMs' ? durationMs : 0),
      downMs: totals.downMs + (timeClass === 'downMs' ? durationMs : 0),
      faultMs: totals.faultMs + (use.fault ? durationMs : 0),
      overrideMs: totals.overrideMs + (use.override ? durationMs : 0),
      offlineMs: totals.offlineMs + (timeClass === 'offlineMs' ? durationMs : 0),
    },
  };
}

export function addProduction({ period, totals }: ShiftTally, made: Production): ShiftTally {
  return {
    period,
    totals: {
      ...totals,
      goodParts: totals.goodParts + made.goodParts,
      badParts: totals.badParts + made.badParts,
      cycles: totals.cycles + made.cycles,
    },
  };
}

export function plus(one: number, other: number): number {
  return one + other;
}

export function eachCount(
  one: Production,
  other: Production,
  combine: (one: number, other: number) => number,
): Production {
  return {
    goodParts: combine(one.goodParts, other.goodParts),
    badParts: combine(one.badParts, other.badParts),
    cycles: combine(one.cycles, other.cycles),
  };
}

export function eachTotal(
  one: ShiftTotals,
  other: ShiftTotals,
  combine: (one: number, other: number) => number,
): ShiftTotals {
  return {
    ...eachCount(one, other, combine),
    runningMs: combine(one.runningMs, other.runningMs),
    stoppedMs: combine(one.stoppedMs, other.stoppedMs),
    downMs: combine(one.downMs, other.downMs),
    faultMs: combine(one.faultMs, other.faultMs),
    overrideMs: combine(one.overrideMs, other.overrideMs),
    offlineMs: combine(one.offlineMs, other.offlineMs),
  };
}

/** Older snapshots, and clocks that count in fractions, have fractions of milliseconds; records have none. */
export function wholeMilliseconds(totals: ShiftTotals): ShiftTotals {
  return {
    goodParts: totals.goodParts,
    badParts: totals.badParts,
    cycles: totals.cycles,
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
