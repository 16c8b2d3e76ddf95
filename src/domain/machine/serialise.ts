import { CodedError, foundText } from '../error.ts';
import type { Result } from '../result.ts';
import type { Now } from '../time.ts';
import { type ShiftTally, wholeMilliseconds } from './counters/counters.ts';
import { pauseOf } from './downtime/downtime.ts';
import type { MachineEffect } from './machine-effect.ts';
import { type MachineMemory, MEMORY_VERSION, machineMemory, type RememberedShift } from './machine-memory.ts';
import { decisionOf, type MachineState, NEVER_HEARD_DECISION, nothingKnown, sessionRecord } from './machine-state.ts';

export type RestoreResult = Result<{ readonly state: MachineState; readonly effects: readonly MachineEffect[] }>;

/** The stored state of a machine. A longer one is damaged. */
const MAX_MEMORY_LENGTH = 1024 * 1024;

/** A machine's state as JSON, for `restore`. */
export function serialise(state: MachineState): string {
  const { asOf, heard, observedMs, pendingStop, sessionActive } = state;
  const { silent, pause, downtimeEndedMs, decision, sender, bootedMs, ...others } = state;
  const { countedAtMs, other, uncounted, latestFalls, ...rest } = others;
  const memory: MachineMemory = {
    version: MEMORY_VERSION,
    ...rest,
    shift: rememberedShift(state.shift),
    earlierShifts: state.earlierShifts.map(rememberedShift),
    session: state.session === null ? null : sessionRecord(state.session, sessionActive),
    heardAt: heard?.wallMs ?? null,
    observedAt: observedMs === null ? null : Math.round(asOf.wallMs - (asOf.monotonicMs - observedMs)),
    stopPendingSince: pendingStop?.startedAt ?? null,
  };
  return JSON.stringify(memory);
}

function rememberedShift({ period, totals }: ShiftTally): RememberedShift {
  return { ...period, totals };
}

/**
 * A machine's state as it was before the gateway went down (D-03). The time in between belongs to no activity: the
 * lasting span ends (an effect) at the last known time, rule 3 waits `timeoutMs` from now, and the first status is
 * compared with the last one before. Unreadable fields give faults that name them.
 */
export function restore(json: string, now: Now): RestoreResult {
  try {
    const memory = readMemory(json);
    return { ok: true, state: wake(memory, now), effects: closeSpan(memory) };
  } catch (error) {
    if (error instanceof CodedError) return { ok: false, faults: error.faults };
    throw error;
  }
}

function readMemory(json: string): MachineMemory {
  const memory = machineMemory(parseJson(json), '');
  if (memory.version <= MEMORY_VERSION) return memory;
  throw unreadable('version', memory.version, `at most ${MEMORY_VERSION}`);
}

function parseJson(json: string): unknown {
  if (json.length > MAX_MEMORY_LENGTH) throw unreadable('state', json, `at most ${MAX_MEMORY_LENGTH} characters`);
  try {
    return JSON.parse(json);
  } catch {
    throw unreadable('state', json, 'JSON');
  }
}

function unreadable(path: string, found: unknown, expected: string): CodedError {
  return new CodedError('invalid-input', 'unreadable machine state', [{ path, found: foundText(found), expected }]);
}

/** Its fields stand in the order of `createMachineState`, because V8 works faster on states of one shape than of two. */
function wake(memory: MachineMemory, now: Now): MachineState {
  const { monotonicMs, wallMs } = now;
  const { machineId, known, heardAt, downtime, stopPendingSince, session } = memory;
  const endedAt = downtime?.endedAt ?? null;
  const state = {
    machineId,
    asOf: now,
    known: { ...nothingKnown(machineId), ...known },
    heard: heardAt === null ? null : { monotonicMs, wallMs: heardAt },
    silent: false,
    observedMs: null,
    boots: memory.boots,
    redelivered: memory.redelivered,
    unheard: memory.unheard,
    falls: memory.falls,
    sender: null,
    bootedMs: null,
    countedAtMs: null,
    other: null,
    uncounted: null,
    latestFalls: [],
    pause: pauseOf(known, heardAt),
    freshSwitches: memory.freshSwitches,
    nameAhead: memory.nameAhead,
    selection: memory.selection,
    selectionAt: memory.selectionAt,
    downtime,
    downtimeEndedMs: endedAt === null ? null : monotonicMs - Math.max(0, wallMs - endedAt),
    uncategorized: memory.uncategorized,
    pendingStop: stopPendingSince === null ? null : { sinceMs: monotonicMs, startedAt: stopPendingSince },
    shift: tallyOf(memory.shift),
    earlierShifts: memory.earlierShifts.map(tallyOf),
    recount: memory.recount,
    session,
    sessionActive: { monotonicMs, wallMs: session?.lastActiveAt ?? wallMs },
    span: null,
    decision: NEVER_HEARD_DECISION,
  };
  return { ...state, decision: decisionOf(state) };
}

function tallyOf({ totals, ...period }: RememberedShift): ShiftTally {
  return { period, totals: wholeMilliseconds(totals) };
}

function closeSpan({ span, observedAt }: MachineMemory): readonly MachineEffect[] {
  if (span === null) return [];
  const endedAt = Math.max(span.startedAt, observedAt ?? span.startedAt);
  return [{ type: 'span', span: { ...span, endedAt } }];
}
