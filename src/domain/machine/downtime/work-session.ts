import type { Production } from '../counters/counters.ts';
import { isSeenRunning, type MachineContext, type MachineState, sessionRecord } from '../machine-state.ts';
import type { SessionWork } from '../records.ts';
import { momentAt, type Transition, wallAt } from '../transition.ts';

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
export function creditSession(transition: Transition, made: Production): void {
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
