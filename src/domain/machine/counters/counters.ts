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

type Booted = Omit<MachineReading, 'at'>;

const WRAPS_AT = [2 ** 31, 2 ** 32];
const WRAP_WINDOW_MS = 60_000;

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

/** Whether no counter is lower than before. */
export function countersWentOn(before: CounterReading, after: CounterReading): boolean {
  return !(
    isLower(before.cycle, after.cycle) ||
    isLower(before.goodPart, after.goodPart) ||
    isLower(before.badPart, after.badPart)
  );
}

/**
 * The production between two readings (DEV-06, DEV-07, D-02). `restarted` are counters not heard since a reboot: if one
 * of them is lower than before all of them are counted from zero, else from their last value. Any other counter that
 * falls adds nothing. A first reading adds nothing, because the time of its production is unknown.
 */
export function production(
  before: CounterReading,
  after: CounterReading,
  restarted: readonly CounterName[],
): Production {
  const fromZero = restarted.some((counter) => isLower(before[counter], after[counter])) ? restarted : NO_COUNTERS;
  return {
    cycles: difference(before.cycle, after.cycle, fromZero.includes('cycle')),
    goodParts: difference(before.goodPart, after.goodPart, fromZero.includes('goodPart')),
    badParts: difference(before.badPart, after.badPart, fromZero.includes('badPart')),
  };
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

const NO_COUNTERS: readonly CounterName[] = [];
const NO_FALLS: readonly CounterFall[] = [];

function difference(before: number | null, after: number | null, fromZero: boolean): number {
  if (before === null || after === null) return 0;
  return fromZero ? after : Math.max(0, after - before);
}

function isLower(before: number | null, after: number | null): boolean {
  return before !== null && after !== null && after < before;
}
