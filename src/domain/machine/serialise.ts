import { CodedError, type Fault, foundText } from '../error.ts';
import type { Now } from '../time.ts';
import type { MachineEffect } from './machine-effect.ts';
import { type MachineMemory, MEMORY_VERSION, machineMemory } from './machine-memory.ts';
import { decisionOf, type MachineState } from './machine-state.ts';

export type RestoreResult =
  | { readonly ok: true; readonly state: MachineState; readonly effects: readonly MachineEffect[] }
  | { readonly ok: false; readonly faults: readonly Fault[] };

const MAX_MEMORY_LENGTH = 1024 * 1024;

/** A machine's state as JSON, for `restore`. */
export function serialise(state: MachineState): string {
  const { asOf, heardMs, silent, observedMs, downtimeEndedMs, pendingStop, sessionActiveMs, decision, ...rest } = state;
  const memory: MachineMemory = {
    version: MEMORY_VERSION,
    ...rest,
    observedAt: observedMs === null ? null : Math.round(asOf.wallMs - (asOf.monotonicMs - observedMs)),
    stopPendingSince: pendingStop?.startedAt ?? null,
  };
  return JSON.stringify(memory);
}

/**
 * A machine's state as it was before the gateway went down (D-03). The time in between is nobody's: the span that lasted
 * ends (an effect) when it was last known, rule 3 waits `timeoutMs` from now, and the first status is compared with the
 * last one before. What cannot be read gives faults that name the field.
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

function wake(memory: MachineMemory, now: Now): MachineState {
  const { version, observedAt, stopPendingSince, ...kept } = memory;
  const endedAt = memory.downtime?.endedAt ?? null;
  const state = {
    ...kept,
    asOf: now,
    heardMs: memory.heardAt === null ? null : now.monotonicMs,
    silent: false,
    observedMs: null,
    downtimeEndedMs: endedAt === null ? null : now.monotonicMs - Math.max(0, now.wallMs - endedAt),
    pendingStop: stopPendingSince === null ? null : { sinceMs: now.monotonicMs, startedAt: stopPendingSince },
    sessionActiveMs: now.monotonicMs,
    span: null,
  };
  return { ...state, decision: decisionOf(state) };
}

function closeSpan({ span, observedAt }: MachineMemory): readonly MachineEffect[] {
  if (span === null) return [];
  const endedAt = Math.max(span.startedAt, observedAt ?? span.startedAt);
  return [{ type: 'span', span: { ...span, endedAt } }];
}
