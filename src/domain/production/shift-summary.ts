import type { Downtime, Span, WorkSession } from '../machine/records.ts';
import type { PlannedShift } from '../shift/work-plan.ts';
import { clipped, joined, lengthMs, type TimeSpan, without } from '../time-spans.ts';

/** Pieces that a machine made. */
export interface Pieces {
  readonly goodParts: number;
  readonly badParts: number;
  readonly cycles: number;
}

/**
 * The time of a shift, each millisecond in one of these or in a stop of `ShiftSummary.stops`. `breakMs`: a break in which
 * the machine did not run. `shortMs`: it stood, but too briefly for a downtime. `offlineMs`: it did not respond, or the
 * gateway was off.
 */
export interface ShiftTimes {
  readonly runningMs: number;
  readonly breakMs: number;
  readonly faultMs: number;
  readonly shortMs: number;
  readonly offlineMs: number;
  /** Faults without a downtime that began in the shift and lasted long enough to be a breakdown. */
  readonly longFaults: number;
  readonly longFaultMs: number;
}

/** The stops of one reason in a shift; null: they have no reason yet. */
export interface StopSum {
  readonly reasonId: string | null;
  /** Stops that began in the shift. */
  readonly count: number;
  /** Their time in the shift, and that of stops which began before it. */
  readonly ms: number;
  /** The whole lengths of those that began in the shift: together, and that of the longest. */
  readonly ownMs: number;
  readonly longestMs: number;
}

/** The pieces of one part for one job by one operator in a shift; null: the machine did not say. */
export interface WorkSum extends Pieces {
  readonly partId: string | null;
  readonly jobNumber: string | null;
  readonly userId: string | null;
  readonly runningMs: number;
}

/** A shift of a machine as its records add up. */
export interface ShiftSummary {
  readonly times: ShiftTimes;
  readonly stops: readonly StopSum[];
  readonly work: readonly WorkSum[];
}

/** The records of a machine that touch a shift, each list in the order of time. */
export interface ShiftRecords {
  readonly made: Pieces;
  readonly spans: readonly Pick<Span, 'activity' | 'startedAt' | 'endedAt'>[];
  readonly downtimes: readonly Pick<Downtime, 'reasonId' | 'startedAt' | 'endedAt'>[];
  readonly sessions: readonly WorkSession[];
}

/** A fault without a downtime that lasts so long is a breakdown. */
export const LONG_FAULT_MS = 5 * 60_000;

/** Adds up the records of a shift, up to `nowAt` if it lasts. Every moment counts once. */
export function summariseShift(shift: PlannedShift, records: ShiftRecords, nowAt: number): ShiftSummary {
  const window = { from: shift.startMs, to: Math.min(shift.endMs, nowAt) };
  const ofActivity = (activity: Span['activity']) =>
    clipped(
      joined(records.spans.filter((span) => span.activity === activity).map((span) => timeOf(span, nowAt))),
      window,
    );
  const running = ofActivity('running');
  const seen = clipped(
    joined(records.spans.filter(({ activity }) => activity !== 'offline').map((span) => timeOf(span, nowAt))),
    window,
  );
  const offline = without([window], seen);
  const standing = without(seen, running);
  const breaks = within(standing, shift.breaks);
  const unexcused = without(standing, breaks);
  const { stops, stopped } = sumStops(unexcused, records.downtimes, window, nowAt);
  const left = without(unexcused, stopped);
  const faults = within(left, ofActivity('fault'));
  const longFaults = faults.filter((fault) => lengthMs([fault]) >= LONG_FAULT_MS);
  return {
    times: {
      runningMs: lengthMs(running),
      breakMs: lengthMs(breaks),
      faultMs: lengthMs(faults),
      shortMs: lengthMs(left) - lengthMs(faults),
      offlineMs: lengthMs(offline),
      longFaults: longFaults.length,
      longFaultMs: lengthMs(longFaults),
    },
    stops,
    work: sumWork(records, running, window, nowAt),
  };
}

/**
 * The stops by reason when the spans of the shift are no longer kept: downtimes alone, without regard to the time in
 * which the machine did not respond.
 */
export function restateStops(
  summary: ShiftSummary,
  shift: PlannedShift,
  downtimes: ShiftRecords['downtimes'],
): ShiftSummary {
  const window = { from: shift.startMs, to: shift.endMs };
  const { stops } = sumStops(without([window], shift.breaks), downtimes, window, shift.endMs);
  return { ...summary, stops };
}

function sumStops(
  unexcused: readonly TimeSpan[],
  downtimes: ShiftRecords['downtimes'],
  window: TimeSpan,
  nowAt: number,
): { readonly stops: readonly StopSum[]; readonly stopped: readonly TimeSpan[] } {
  const sums = new Map<string | null, StopSum>();
  const stopped: TimeSpan[] = [];
  for (const downtime of downtimes) {
    const time = timeOf(downtime, nowAt);
    const here = without(clipped(within(unexcused, [time]), window), joined(stopped));
    stopped.push(...here);
    const isOwn = time.from >= window.from && time.from < window.to;
    const ownMs = isOwn ? time.to - time.from : 0;
    const sum = sums.get(downtime.reasonId) ?? { count: 0, ms: 0, ownMs: 0, longestMs: 0 };
    sums.set(downtime.reasonId, {
      reasonId: downtime.reasonId,
      count: sum.count + (isOwn ? 1 : 0),
      ms: sum.ms + lengthMs(here),
      ownMs: sum.ownMs + ownMs,
      longestMs: Math.max(sum.longestMs, ownMs),
    });
  }
  return { stops: [...sums.values()].filter(({ count, ms }) => count > 0 || ms > 0), stopped: joined(stopped) };
}

/**
 * Sessions that lie in the shift have their own counts. What is left of the shift's pieces belongs to the sessions that
 * reach over its ends, by the time that the machine ran in them; without any it has no part.
 */
function sumWork(
  { made, sessions }: ShiftRecords,
  running: readonly TimeSpan[],
  window: TimeSpan,
  nowAt: number,
): readonly WorkSum[] {
  const touching = sessions.map((session) => {
    const time = timeOf(session, nowAt);
    const isInside = time.from >= window.from && time.to <= window.to;
    return { session, isInside, runningMs: lengthMs(within(running, [time])) };
  });
  const inside = touching.filter(({ isInside }) => isInside);
  const reaching = touching.filter(({ isInside }) => !isInside);
  const weights = reaching.map(({ runningMs }) => runningMs);
  const restOf = (count: keyof Pieces) =>
    Math.max(0, made[count] - inside.reduce((sum, { session }) => sum + session[count], 0));
  const rest = { goodParts: restOf('goodParts'), badParts: restOf('badParts'), cycles: restOf('cycles') };
  const good = shared(rest.goodParts, weights);
  const bad = shared(rest.badParts, weights);
  const cycles = shared(rest.cycles, weights);
  const ofReaching = reaching.map(({ session, runningMs }, place) => ({
    ...keyOf(session),
    goodParts: good[place] ?? 0,
    badParts: bad[place] ?? 0,
    cycles: cycles[place] ?? 0,
    runningMs,
  }));
  const ofInside = inside.map(({ session, runningMs }) => ({
    ...keyOf(session),
    goodParts: session.goodParts,
    badParts: session.badParts,
    cycles: session.cycles,
    runningMs,
  }));
  const unknownMs = lengthMs(without(running, joined(sessions.map((session) => timeOf(session, nowAt)))));
  const unknown = reaching.length === 0 ? { ...NO_SESSION, ...rest } : { ...NO_SESSION, ...NO_PIECES };
  return added([...ofInside, ...ofReaching, { ...unknown, runningMs: unknownMs }]);
}

const NO_SESSION = { partId: null, jobNumber: null, userId: null };
const NO_PIECES: Pieces = { goodParts: 0, badParts: 0, cycles: 0 };

function keyOf({ partId, jobNumber, userId }: WorkSession) {
  return { partId, jobNumber, userId };
}

/** One sum for each part, job and operator; those without any piece or time are left out. */
function added(sums: readonly WorkSum[]): readonly WorkSum[] {
  const byKey = new Map<string, WorkSum>();
  for (const sum of sums) {
    const key = JSON.stringify([sum.partId, sum.jobNumber, sum.userId]);
    const before = byKey.get(key);
    byKey.set(key, before === undefined ? sum : plusWork(before, sum));
  }
  return [...byKey.values()].filter(({ cycles, goodParts, badParts, runningMs }) => {
    return cycles + goodParts + badParts + runningMs > 0;
  });
}

function plusWork(one: WorkSum, other: WorkSum): WorkSum {
  return {
    ...one,
    goodParts: one.goodParts + other.goodParts,
    badParts: one.badParts + other.badParts,
    cycles: one.cycles + other.cycles,
    runningMs: one.runningMs + other.runningMs,
  };
}

function within(spans: readonly TimeSpan[], others: readonly TimeSpan[]): readonly TimeSpan[] {
  return others.flatMap((other) => clipped(spans, other));
}

function timeOf({ startedAt, endedAt }: { startedAt: number; endedAt: number | null }, nowAt: number): TimeSpan {
  return { from: startedAt, to: Math.max(startedAt, endedAt ?? nowAt) };
}

/**
 * Shares whole parts by weights, so that the shares are whole and add up. Parts that are left over go to the largest
 * remainders; without any weight all go to the first.
 */
function shared(parts: number, weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return weights.map((_, place) => (place === 0 ? parts : 0));
  const exact = weights.map((weight) => (parts * weight) / total);
  const shares = exact.map(Math.floor);
  const left = parts - shares.reduce((sum, share) => sum + share, 0);
  const byRemainder = exact
    .map((share, place) => ({ place, remainder: share - Math.floor(share) }))
    .sort((one, other) => other.remainder - one.remainder || one.place - other.place);
  for (const { place } of byRemainder.slice(0, left)) shares[place] = (shares[place] ?? 0) + 1;
  return shares;
}
