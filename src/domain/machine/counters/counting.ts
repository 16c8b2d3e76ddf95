import type { Shift } from '../../shift/shift-calendar.ts';
import type { MachineEffect } from '../machine-effect.ts';
import {
  isSeenRunning,
  type MachineContext,
  type MachineState,
  momentAt,
  sessionRecord,
  shiftRecord,
  type Transition,
  wallAt,
} from '../machine-state.ts';
import type { SessionWork } from '../records.ts';
import {
  addProduction,
  addTime,
  COUNTERS,
  type CounterFall,
  type CounterReading,
  emptyTally,
  fallenCounters,
  holdsInstant,
  madeSinceFall,
  NOTHING_MADE,
  type Production,
  type ShiftTally,
  type TimeUse,
} from './counters.ts';

/** Adds production to the present shift and to the work session. */
export function countProduction(transition: Transition, made: Production): void {
  if (made.cycles === 0 && made.goodParts === 0 && made.badParts === 0) return;
  transition.state.shift = addProduction(transition.state.shift, made);
  creditSession(transition, made);
}

/**
 * Notes a reboot: every counter may start again, except those that fell just before on their own topics, because these
 * have already started again.
 */
export function noteReboot(transition: Transition): void {
  const { state, effects, now } = transition;
  state.boots++;
  state.latestFalls = [];
  state.unheard = COUNTERS.filter((counter) => !state.falls.some((fall) => fall.counter === counter));
  effects.push({ type: 'reboot', at: now.wallMs, boots: state.boots });
}

/** Counters of a message that fell without a reboot are anomalies (D-02). */
export function judgeFalls(transition: Transition, after: CounterReading): void {
  const { state, now } = transition;
  for (const fall of fallenCounters(state.known, after, state.unheard, now.wallMs)) recordAnomaly(transition, fall);
}

/**
 * Judges the falls on single-field topics once mSecSinceBoot is heard. After a reboot they are a new start, and the
 * reached counts are production; without a reboot they are anomalies.
 */
export function settleFalls(transition: Transition, rebooted: boolean): void {
  const { state } = transition;
  if (state.falls.length === 0) return;
  if (rebooted) countProduction(transition, madeSinceFall(state.falls));
  else for (const fall of state.falls) recordAnomaly(transition, fall);
  state.falls = [];
}

export function recordAnomaly({ state, effects }: Transition, { counter, from, to, at }: CounterFall): void {
  effects.push({ type: 'anomaly', anomaly: { machineId: state.machineId, at: Math.round(at), counter, from, to } });
}

/** Production of one counter alone. */
export function madeOf(counter: CounterFall['counter'], count: number): Production {
  switch (counter) {
    case 'cycle':
      return { ...NOTHING_MADE, cycles: count };
    case 'goodPart':
      return { ...NOTHING_MADE, goodParts: count };
    case 'badPart':
      return { ...NOTHING_MADE, badParts: count };
  }
}

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

/**
 * The time at which the open session will have been idle for too long; Infinity without a session or while the machine
 * runs.
 */
export function sessionIdleAt(state: MachineState, context: MachineContext): number {
  if (state.session === null || state.session.endedAt !== null) return Infinity;
  return isSeenRunning(state) ? Infinity : state.sessionActive.monotonicMs + context.timing.sessionIdleMs;
}

/** Notes that the machine ran until `untilMs`. */
export function keepSessionActive(transition: Transition, untilMs: number): void {
  const { state } = transition;
  if (state.session === null || state.session.endedAt !== null) return;
  state.sessionActive = momentAt(transition, untilMs);
}

/** Ends a session without running and production for `sessionIdleMs`, at the moment that this time was over (D-10). */
export function closeIdleSession(transition: Transition): void {
  const { state, context, now } = transition;
  const idleAtMs = sessionIdleAt(state, context);
  if (idleAtMs <= now.monotonicMs) closeSession(transition, idleAtMs);
}

/**
 * Credits production since the last message to the session that was open then: it belongs to that job and operator. A
 * session that had idled out starts again, for the same job and operator.
 */
function creditSession(transition: Transition, made: Production): void {
  const { state, now } = transition;
  if (state.session === null) return;
  if (state.session.endedAt !== null) openSession(transition);
  const { session } = state;
  state.sessionActive = now;
  state.session = {
    ...session,
    goodParts: session.goodParts + made.goodParts,
    badParts: session.badParts + made.badParts,
    cycles: session.cycles + made.cycles,
  };
}

/** Opens, keeps or closes the session for the present job, part and operator (DEV-16, D-10). */
export function settleSession(transition: Transition): void {
  const { state } = transition;
  const { session, known } = state;
  const isWanted = known.jobNumber !== null || known.userId !== null;
  if (session !== null && isWanted && isOfPresentWork(state, session)) {
    if (session.endedAt !== null && isSeenRunning(state)) openSession(transition);
    return;
  }
  if (session !== null && session.endedAt === null) closeSession(transition, transition.now.monotonicMs);
  if (isWanted) openSession(transition);
  else state.session = null;
}

function isOfPresentWork({ known, selection }: MachineState, session: SessionWork): boolean {
  return (
    session.jobNumber === known.jobNumber &&
    session.userId === known.userId &&
    session.partId === (selection?.partId ?? null)
  );
}

function openSession(transition: Transition): void {
  const { state, effects, now, context } = transition;
  state.sessionActive = now;
  state.session = {
    sessionId: context.newId(),
    machineId: state.machineId,
    jobNumber: state.known.jobNumber,
    partId: state.selection?.partId ?? null,
    userId: state.known.userId,
    startedAt: Math.round(now.wallMs),
    endedAt: null,
    goodParts: 0,
    badParts: 0,
    cycles: 0,
  };
  effects.push({ type: 'workSession', session: sessionRecord(state.session, state.sessionActive) });
}

function closeSession(transition: Transition, atMs: number): void {
  const { state, effects } = transition;
  if (state.session === null) return;
  state.session = { ...state.session, endedAt: Math.max(state.session.startedAt, wallAt(transition, atMs)) };
  effects.push({ type: 'workSession', session: sessionRecord(state.session, state.sessionActive) });
}
