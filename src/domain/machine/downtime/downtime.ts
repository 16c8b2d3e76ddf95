import {
  currentShift,
  type MachineState,
  openDowntime,
  openSession,
  type Pause,
  READING_FIELDS,
  type ReadingField,
  readingOf,
  type Transition,
  wallAt,
} from '../machine-state.ts';
import type { Activity, Downtime } from '../records.ts';
import type { KnownStatus } from '../status/status.ts';

/** A set-up runs and stops again: a stop within this time after a downtime of the group Setup continues it (D-07). */
export const SETUP_JOIN_MS = 15 * 60_000;

/**
 * The number of downtimes that may wait for a category. Beyond it a stop continues the latest one, so that rule 4 stays
 * true.
 */
export const MAX_UNCATEGORIZED = 500;

/** The machine stopped while it was running: a downtime opens now or after the grace (DEV-11, D-07). */
export function beginStop(transition: Transition): void {
  const { state, now, context } = transition;
  state.pendingStop = { sinceMs: now.monotonicMs, startedAt: Math.round(now.wallMs) };
  if (context.timing.minimumStopMs <= 0) openStoppedDowntime(transition, now.monotonicMs);
}

/** The machine runs: a stop within its grace is forgotten, an open downtime ends and still wants its category. */
export function endStop(transition: Transition): void {
  const { state, now } = transition;
  state.pendingStop = null;
  if (state.downtime === null || state.downtime.endedAt !== null) return;
  state.downtimeEndedMs = now.monotonicMs;
  const endedAt = Math.max(state.downtime.startedAt, Math.round(now.wallMs));
  setLatest(transition, { ...state.downtime, endedAt });
}

/**
 * The stop that was pending becomes a downtime, starting when the machine stopped. Time counts as down from here on; the
 * grace before stays stopped time.
 */
export function openStoppedDowntime(transition: Transition, atMs: number): void {
  const { state, context } = transition;
  const startedAt = state.pendingStop?.startedAt ?? wallAt(transition, atMs);
  const stoppedMs = state.pendingStop?.sinceMs ?? atMs;
  state.pendingStop = null;
  if (state.downtime !== null && continuesDowntime(transition, state.downtime, stoppedMs)) {
    setLatest(transition, { ...state.downtime, endedAt: null });
    return;
  }
  const downtimeId = context.newId();
  state.uncategorized = [...state.uncategorized, downtimeId];
  setLatest(transition, {
    downtimeId,
    machineId: state.machineId,
    startedAt,
    endedAt: null,
    reasonId: null,
    note: null,
    userName: null,
  });
}

/**
 * Takes over downtimes that a person categorized, split or merged. The machine knows the end of the latest one best,
 * because it may have run on while the store wrote. So that downtime is written again if the given record differs.
 */
export function changeDowntimes(
  transition: Transition,
  changed: readonly Downtime[],
  removedIds: readonly string[],
): void {
  const { state } = transition;
  const own = changed.filter((downtime) => downtime.machineId === state.machineId);
  const gone = new Set([...removedIds, ...own.map((downtime) => downtime.downtimeId)]);
  state.uncategorized = [
    ...state.uncategorized.filter((downtimeId) => !gone.has(downtimeId)),
    ...own.filter((downtime) => downtime.reasonId === null).map((downtime) => downtime.downtimeId),
  ];
  const before = state.downtime;
  const kept = before !== null && !gone.has(before.downtimeId) ? [before] : [];
  const rank = (downtime: Downtime) => openness(downtime, before);
  const [latest] = [...kept, ...own].sort((one, other) => rank(other) - rank(one) || other.startedAt - one.startedAt);
  if (latest === undefined) {
    state.downtime = null;
    return;
  }
  state.downtime = { ...latest, endedAt: endOfLatest(transition, latest, before) };
  if (before?.downtimeId !== latest.downtimeId) state.downtimeEndedMs = endedMsOf(transition, state.downtime);
  if (state.downtime.endedAt !== latest.endedAt)
    transition.effects.push({ type: 'downtime', downtime: state.downtime });
}

/**
 * The wall clock may have been set back, so that an open downtime began before an ended one: the open one is the
 * latest.
 */
function openness({ downtimeId, endedAt }: Downtime, before: Downtime | null): 0 | 1 | 2 {
  if (endedAt !== null) return 0;
  return downtimeId === before?.downtimeId ? 2 : 1;
}

function endOfLatest({ state, now }: Transition, latest: Downtime, before: Downtime | null): number | null {
  if (before?.downtimeId === latest.downtimeId) return before.endedAt;
  if (latest.endedAt !== null || state.known.running !== true) return latest.endedAt;
  return Math.max(latest.startedAt, Math.round(now.wallMs));
}

function endedMsOf({ now }: Transition, { endedAt }: Downtime): number | null {
  return endedAt === null ? null : now.monotonicMs - Math.max(0, now.wallMs - endedAt);
}

function continuesDowntime({ state, context }: Transition, latest: Downtime, stoppedMs: number): boolean {
  if (latest.endedAt === null) return true;
  if (state.uncategorized.length >= MAX_UNCATEGORIZED) return true;
  if (latest.reasonId === null || !context.setupReasons.has(latest.reasonId)) return false;
  return state.downtimeEndedMs !== null && stoppedMs - state.downtimeEndedMs <= SETUP_JOIN_MS;
}

function setLatest({ state, effects }: Transition, downtime: Downtime): void {
  state.downtime = downtime;
  effects.push({ type: 'downtime', downtime });
}

/** The pause of a machine that was heard at `since`, or never (null). Counters that it never sent are not awaited. */
export function pauseOf(known: KnownStatus, since: number | null): Pause {
  const unread = since === null ? READING_FIELDS : READING_FIELDS.filter((field) => known[field] !== null);
  return { since, unread, isHalfRead: false };
}

/**
 * Notes that a field was heard, or all fields if `field` is undefined. The pause is over once all known fields are
 * heard and no fall of a counter waits for the next mSecSinceBoot (`settleFalls`).
 */
export function settlePause(transition: Transition, field?: ReadingField): void {
  const { state, effects, now } = transition;
  if (state.pause === null) return;
  const { since, unread } = state.pause;
  const left = field === undefined ? [] : unread.filter((other) => other !== field);
  if (left.length > 0 || state.falls.length > 0) {
    state.pause = { since, unread: left, isHalfRead: true };
    return;
  }
  state.pause = null;
  const reading = readingOf(state);
  if (reading === null || state.recount !== null) return;
  const { reading: _, ...shift } = currentShift(state);
  effects.push({
    type: 'caughtUp',
    catchUp: { since, at: Math.round(now.wallMs), reading, shift, session: openSession(state) },
  });
}

/** The activity for the timeline: offline before fault before running before down before stopped; null while nothing is known. */
function activityOf(state: MachineState): Activity | null {
  if (state.silent) return 'offline';
  if (state.observedMs === null) return null;
  if (state.known.fault === true) return 'fault';
  if (state.known.running === true) return 'running';
  return openDowntime(state) === null ? 'stopped' : 'down';
}

/** Ends the lasting span and starts the next if the activity has changed. */
export function settleSpan(transition: Transition, atMs: number): void {
  const { state, effects, context } = transition;
  const activity = activityOf(state);
  if (activity === null || activity === state.span?.activity) return;
  const at = wallAt(transition, atMs);
  if (state.span !== null && state.span.startedAt === at) {
    // Two changes in one millisecond leave one span, not an empty one before it.
    state.span = { ...state.span, activity };
  } else {
    if (state.span !== null) {
      effects.push({ type: 'span', span: { ...state.span, endedAt: Math.max(state.span.startedAt, at) } });
    }
    state.span = { spanId: context.newId(), machineId: state.machineId, activity, startedAt: at, endedAt: null };
  }
  effects.push({ type: 'span', span: state.span });
}
