import type { Shift } from '../shift/shift-calendar.ts';
import type { Now } from '../time.ts';
import {
  type CounterFall,
  emptyTally,
  type MachineReading,
  type ShiftTally,
  wholeMilliseconds,
} from './counters/counters.ts';
import type { OtherSender, Sender, Uncounted } from './counters/sender.ts';
import { type Decision, type DecisionFacts, decide } from './decision.ts';
import type { MachineEffect } from './machine-effect.ts';
import type { MachineId } from './machine-names.ts';
import type { Downtime, PartSelection, SessionWork, ShiftRecord, Span, WorkSession } from './records.ts';
import type { KnownStatus } from './status/status.ts';
import type { CounterName, SwitchField } from './status/status-fields.ts';

/** A stop that may still be too short to count as a downtime (D-07, `minimumStopSeconds`). */
interface PendingStop {
  readonly sinceMs: number;
  readonly startedAt: number;
}

export type ReadingField = CounterName | 'mSecSinceBoot';
export const READING_FIELDS: readonly ReadingField[] = ['cycle', 'goodPart', 'badPart', 'mSecSinceBoot'];

/**
 * The state after the gateway was away: the last time that the machine was heard before (null: never), and the fields
 * that it has not sent since.
 */
export interface Pause {
  readonly since: number | null;
  readonly unread: readonly ReadingField[];
  /** Some of the fields were heard. */
  readonly isHalfRead: boolean;
}

/** Everything a machine's next step depends on. Times are named as in records.ts; `…Ms` alone is the monotonic clock. */
export interface MachineState {
  readonly machineId: MachineId;
  /** The time of the last input. */
  readonly asOf: Now;
  readonly known: KnownStatus;
  /** The time of its last message, or the start of the gateway if that came later; null if it was never heard. */
  readonly heard: Now | null;
  readonly silent: boolean;
  /** The end of its accounted time; null if nothing has been heard since the gateway started. */
  readonly observedMs: number | null;
  /** Boots seen, and messages ignored because they had been delivered before. */
  readonly boots: number;
  readonly redelivered: number;
  /** Counters not heard since the last reboot, and falls that only the next mSecSinceBoot can explain. */
  readonly unheard: readonly CounterName[];
  readonly falls: readonly CounterFall[];
  /** The client that sent its last message, and when its device booted, on the monotonic clock; null if unknown. */
  readonly sender: Sender | null;
  readonly bootedMs: number | null;
  /** The last message of the device that counts, on the monotonic clock; null before the first one. */
  readonly countedAtMs: number | null;
  /** A second device that has sent under the same id, and the production that is not counted because of it (D-59). */
  readonly other: OtherSender | null;
  readonly uncounted: Uncounted | null;
  /** Counters that fell lately on their own topics; `at` on the monotonic clock. */
  readonly latestFalls: readonly CounterFall[];
  /** Null if all its counters have been heard since the gateway started. */
  readonly pause: Pause | null;
  /** Switches set by single fields since the last mSecSinceBoot: they may already belong to the new boot. */
  readonly freshSwitches: readonly SwitchField[];
  /** A name that came as a single field while the part had another: the next partId shows whose name it is. */
  readonly nameAhead: string | null;
  readonly selection: PartSelection | null;
  /** The time of the last choice of the part, by the device or the page (D-09). */
  readonly selectionAt: number;
  /** The latest downtime, lasting or not, and all that still wait for a category. */
  readonly downtime: Downtime | null;
  readonly downtimeEndedMs: number | null;
  readonly uncategorized: readonly string[];
  readonly pendingStop: PendingStop | null;
  readonly shift: ShiftTally;
  readonly earlierShifts: readonly ShiftTally[];
  /**
   * The number of the recount under way: since a correction of the clock the tallies count from zero, and what was made
   * before is in the store (D-04). Null: the tallies are whole.
   */
  readonly recount: number | null;
  /** The work session of the present job and operator; one that idled out stays here, ended, until they change. */
  readonly session: SessionWork | null;
  /** The last time that it ran or made a part. */
  readonly sessionActive: Now;
  readonly span: Span | null;
  readonly decision: Decision;
}

export interface MachineTiming {
  readonly timeoutMs: number;
  readonly minimumStopMs: number;
  readonly sessionIdleMs: number;
}

/** Limits of the interface and of D-10; `minimumStopMs` is configured (D-07). */
export const DEFAULT_TIMING: MachineTiming = { timeoutMs: 10_000, minimumStopMs: 0, sessionIdleMs: 30 * 60_000 };

/** The surroundings of a step: settings, calendar, ids, and the downtime reasons of the group Setup. */
export interface MachineContext {
  readonly timing: MachineTiming;
  readonly shiftAt: (wallMs: number) => Shift;
  readonly newId: () => string;
  readonly setupReasons: ReadonlySet<string>;
}

/** The state of a machine that was never heard: rule 1 fails, and no time is counted until its first message. */
export function createMachineState(machineId: MachineId, now: Now, context: MachineContext): MachineState {
  return {
    machineId,
    asOf: now,
    known: nothingKnown(machineId),
    heard: null,
    silent: false,
    observedMs: null,
    boots: 0,
    redelivered: 0,
    unheard: [],
    falls: [],
    sender: null,
    bootedMs: null,
    countedAtMs: null,
    other: null,
    uncounted: null,
    latestFalls: [],
    pause: { since: null, unread: READING_FIELDS, isHalfRead: false },
    freshSwitches: [],
    nameAhead: null,
    selection: null,
    selectionAt: 0,
    downtime: null,
    downtimeEndedMs: null,
    uncategorized: [],
    pendingStop: null,
    shift: emptyTally(context.shiftAt(now.wallMs)),
    earlierShifts: [],
    recount: null,
    session: null,
    sessionActive: now,
    span: null,
    decision: NEVER_HEARD_DECISION,
  };
}

/** The downtime that lasts, or null. */
export function openDowntime(state: MachineState): Downtime | null {
  return state.downtime?.endedAt === null ? state.downtime : null;
}

/** Whether it is known to run: not while it is silent, nor before it is heard after a restart. */
export function isSeenRunning(state: MachineState): boolean {
  return state.known.running === true && !state.silent && state.observedMs !== null;
}

/** The work session that lasts, with its present counts, or null. */
export function openSession(state: MachineState): WorkSession | null {
  return state.session?.endedAt === null ? sessionRecord(state.session, state.sessionActive) : null;
}

export function sessionRecord(session: SessionWork, { wallMs }: Now): WorkSession {
  return { ...session, lastActiveAt: Math.round(wallMs) };
}

/** The present shift's totals as of the last step, in whole milliseconds, ready to be stored. */
export function currentShift(state: MachineState): ShiftRecord {
  return shiftRecord(state, state.shift);
}

export function shiftRecord(state: MachineState, { period, totals }: ShiftTally): ShiftRecord {
  const { shiftDate, shiftName } = period;
  const reading = readingOf(state);
  const record = { machineId: state.machineId, shiftDate, shiftName, totals: wholeMilliseconds(totals) };
  return reading === null ? record : { ...record, reading };
}

/** The last counter readings; null if none was taken, or some are missing since the gateway was away. */
export function readingOf({ heard, known, pause }: MachineState): MachineReading | null {
  if (heard === null || pause?.isHalfRead === true) return null;
  const { mSecSinceBoot, cycle, goodPart, badPart } = known;
  return { at: Math.round(heard.wallMs), mSecSinceBoot, cycle, goodPart, badPart };
}

/** The decision that follows from a state. */
export function decisionOf(state: Omit<MachineState, 'decision'>): Decision {
  return decide(factsOf(state));
}

/** The facts that the rules look at. */
export function factsOf(state: Omit<MachineState, 'decision'>): DecisionFacts {
  return {
    machinePower: state.known.machinePower,
    partSelected: state.selection !== null,
    responding: !state.silent,
    uncategorizedDowntime: state.uncategorized.length > 0,
    fault: state.known.fault,
  };
}

export const NEVER_HEARD_DECISION = decide({
  machinePower: null,
  partSelected: false,
  responding: true,
  uncategorizedDowntime: false,
  fault: null,
});

export function nothingKnown(machineId: MachineId): KnownStatus {
  return {
    machineId,
    running: null,
    machinePower: null,
    fault: null,
    override: null,
    mSecSinceBoot: null,
    cycle: null,
    goodPart: null,
    badPart: null,
    goodPartTotal: null,
    goodPartInputs: null,
    piecesAtATime: null,
    userId: null,
    partId: null,
    partName: null,
    jobNumber: null,
    material: null,
  };
}

/** One step under way: a mutable copy of the state, and the effects so far. Only `step` sees it. */
export interface Transition {
  readonly state: { -readonly [Key in keyof MachineState]: MachineState[Key] };
  readonly effects: MachineEffect[];
  readonly now: Now;
  readonly context: MachineContext;
}

export function beginTransition(state: MachineState, now: Now, context: MachineContext): Transition {
  return { state: { ...state, asOf: now }, effects: [], now, context };
}

/** A moment, given on the monotonic clock, on both clocks. */
export function momentAt(transition: Transition, monotonicMs: number): Now {
  return monotonicMs === transition.now.monotonicMs
    ? transition.now
    : { monotonicMs, wallMs: wallAt(transition, monotonicMs) };
}

/** The wall time of a moment of the monotonic clock, as the present wall clock sees it: its jumps create no time. */
export function wallAt(transition: Transition, monotonicMs: number): number {
  return Math.round(transition.now.wallMs - (transition.now.monotonicMs - monotonicMs));
}
