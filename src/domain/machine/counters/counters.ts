import type { Shift } from '../../shift/shift-calendar.ts';
import type { CounterName } from '../status/status-fields.ts';

/** Counters since boot as a machine gave them; null if never given. */
export type CounterReading = Readonly<Record<CounterName, number | null>>;

/** The counters of a machine at one time. `mSecSinceBoot` is null if it was never given. */
export interface MachineReading extends CounterReading {
  readonly at: number;
  readonly mSecSinceBoot: number | null;
}

/** The production between two readings. */
export interface Production {
  readonly cycles: number;
  readonly goodParts: number;
  readonly badParts: number;
}

/** A counter that went down. */
export interface CounterFall {
  readonly counter: CounterName;
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

export const COUNTERS: readonly CounterName[] = ['cycle', 'goodPart', 'badPart'];
export const NOTHING_MADE: Production = { cycles: 0, goodParts: 0, badParts: 0 };

/** The counters of a machine with its uptime. */
export type Booted = Omit<MachineReading, 'at'>;

const WRAPS_AT = [2 ** 31, 2 ** 32];
const WRAP_WINDOW_MS = 60_000;
/** The number of values of an unsigned counter of 16 bits, and of the 32-bit ones. */
const COUNTER_WRAPS_AT = [2 ** 16, ...WRAPS_AT];
/** A counter has overflowed if it was this near to its end, and is this near to 0. */
const COUNTER_WRAP_WINDOW = 1_000;

/**
 * Whether mSecSinceBoot going from `before` to `after` is the overflow of a 32-bit counter: within a minute of 2³¹ or 2³²
 * before, near 0 after, and the counters of the same message went on (D-02).
 */
export function isUptimeWrap(before: number, after: number, countersWentOn: boolean): boolean {
  if (!countersWentOn || after >= WRAP_WINDOW_MS) return false;
  return WRAPS_AT.some((limit) => before <= limit && before >= limit - WRAP_WINDOW_MS);
}

/** Whether a machine booted between two readings: its uptime is lower, and that is no overflow. */
export function isReboot(before: Booted, after: Booted): boolean {
  if (before.mSecSinceBoot === null || after.mSecSinceBoot === null) return false;
  if (after.mSecSinceBoot >= before.mSecSinceBoot) return false;
  return !isUptimeWrap(before.mSecSinceBoot, after.mSecSinceBoot, countersWentOn(before, after));
}

/** Whether no counter is lower than before; one that overflowed went on (D-02). */
export function countersWentOn(before: CounterReading, after: CounterReading): boolean {
  return !(
    hasFallen(before.cycle, after.cycle) ||
    hasFallen(before.goodPart, after.goodPart) ||
    hasFallen(before.badPart, after.badPart)
  );
}

/** The production between two values of a counter that did not start again; null if it fell and did not overflow. */
export function counterDifference(before: number, after: number): number | null {
  if (after >= before) return after - before;
  if (after >= COUNTER_WRAP_WINDOW) return null;
  const limit = COUNTER_WRAPS_AT.find((end) => before < end && before >= end - COUNTER_WRAP_WINDOW);
  return limit === undefined ? null : after + limit - before;
}

/** All parts and cycles between two readings of a device that did not boot in between. */
export function madeBetween(before: CounterReading, after: CounterReading): number {
  const { cycles, goodParts, badParts } = production(before, after, NO_COUNTERS);
  return cycles + goodParts + badParts;
}

/**
 * The production between two readings (DEV-06, DEV-07, D-02). `restarted` are counters not heard since a reboot: if one
 * of them is lower than before all of them are counted from zero, else from their last value. Any other counter that
 * falls adds nothing, unless it overflowed while the others went on. A first reading adds nothing, because the time of
 * its production is unknown.
 */
export function production(
  before: CounterReading,
  after: CounterReading,
  restarted: readonly CounterName[],
): Production {
  const fromZero = restarted.some((counter) => isLower(before[counter], after[counter])) ? restarted : NO_COUNTERS;
  const wentOn = countersWentOn(before, after);
  const made = (counter: CounterName) =>
    difference(before[counter], after[counter], fromZero.includes(counter), wentOn);
  return { cycles: made('cycle'), goodParts: made('goodPart'), badParts: made('badPart') };
}

/** The counters that went down without having `restarted`. */
export function fallenCounters(
  before: CounterReading,
  after: CounterReading,
  restarted: readonly CounterName[],
  at: number,
): readonly CounterFall[] {
  if (countersWentOn(before, after)) return NO_FALLS;
  return COUNTERS.flatMap((counter) => {
    const from = before[counter];
    const to = after[counter];
    if (from === null || to === null || to >= from || restarted.includes(counter)) return [];
    return [{ counter, from, to, at }];
  });
}

/** The production behind falls that a reboot explains: the value that each counter had reached from zero. */
export function madeSinceFall(falls: readonly CounterFall[]): Production {
  const reached = (counter: CounterName) => falls.find((fall) => fall.counter === counter)?.to ?? 0;
  return { cycles: reached('cycle'), goodParts: reached('goodPart'), badParts: reached('badPart') };
}

/** No counter has started again. */
export const NO_COUNTERS: readonly CounterName[] = [];
const NO_FALLS: readonly CounterFall[] = [];

function difference(before: number | null, after: number | null, fromZero: boolean, wentOn: boolean): number {
  if (before === null || after === null) return 0;
  if (fromZero) return after;
  return wentOn ? (counterDifference(before, after) ?? 0) : Math.max(0, after - before);
}

function hasFallen(before: number | null, after: number | null): boolean {
  return isLower(before, after) && counterDifference(before ?? 0, after ?? 0) === null;
}

function isLower(before: number | null, after: number | null): boolean {
  return before !== null && after !== null && after < before;
}

/** Production and times of one shift on one machine. Fault and override time overlap the other four. */
export interface ShiftTotals {
  readonly goodParts: number;
  readonly badParts: number;
  readonly cycles: number;
  readonly runningMs: number;
  readonly stoppedMs: number;
  readonly downMs: number;
  readonly faultMs: number;
  readonly overrideMs: number;
  readonly offlineMs: number;
}

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
