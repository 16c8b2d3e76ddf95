import { errorMessage } from '../../domain/error-text.ts';
import type { MachineEffect } from '../../domain/machine/machine-effect.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import { currentShift, type MachineState, openSession } from '../../domain/machine/machine-state.ts';
import { restore, serialise } from '../../domain/machine/serialise.ts';
import type { Now } from '../../domain/time.ts';
import type { StoreRecord } from '../store-ports.ts';
import type { Connection, LiveMachine } from './live-machine.ts';

/**
 * The records to write for the effects on a machine. Decisions, reboots and the beginning and end of silence are not
 * written.
 */
export function recordsOf(machineId: MachineId, effects: readonly MachineEffect[]): readonly StoreRecord[] {
  const records: StoreRecord[] = [];
  for (const effect of effects) {
    if (effect.type === 'downtime') records.push({ kind: 'downtime', downtime: effect.downtime });
    else if (effect.type === 'span') records.push({ kind: 'span', span: effect.span });
    else if (effect.type === 'shift') records.push({ kind: 'shift', shift: effect.shift, at: effect.at });
    else if (effect.type === 'workSession') records.push({ kind: 'workSession', session: effect.session });
    else if (effect.type === 'anomaly') records.push({ kind: 'anomaly', anomaly: effect.anomaly });
    else if (effect.type === 'caughtUp') records.push({ kind: 'catchUp', catchUp: effect.catchUp });
    else if (effect.type === 'partSelected')
      records.push({ kind: 'part', machineId, part: effect.part, at: effect.at });
  }
  return records;
}

/** The text of a machine that `readSnapshot` reads. */
export function snapshot({ state, connection }: Pick<LiveMachine, 'state' | 'connection'>): string {
  return `{"connection":"${connection}","state":${serialise(state)}}`;
}

/** A machine's state, which holds all that changes without an effect. */
export function stateRecord(live: LiveMachine): StoreRecord {
  return { kind: 'machineState', machineId: live.state.machineId, json: snapshot(live) };
}

/** The same, to be handed over now: nothing of the machine waits to be saved then. */
export function saveState(live: LiveMachine, monotonicMs: number): StoreRecord {
  live.unsaved = 'nothing';
  live.savedAtMs = monotonicMs;
  return stateRecord(live);
}

/**
 * The present shift's totals and the open work session. The state has them too; these records are the history. Totals
 * under a recount are not whole, and not reported.
 */
export function totalsRecords({ state }: LiveMachine): readonly StoreRecord[] {
  const session = openSession(state);
  const shift: StoreRecord = { kind: 'shift', shift: currentShift(state), at: state.asOf.wallMs };
  const shifts = state.recount === null ? [shift] : [];
  return session === null ? shifts : [...shifts, { kind: 'workSession', session }];
}

/**
 * The end of an override that lasted when the gateway stopped, or when the machine was removed: the time of the
 * machine's last message. A stored state may be older than the beginning of the override, so it does not tell whether
 * one lasted. The store ignores the end if none did.
 */
export function overrideEnd({ machineId, heard }: MachineState): readonly StoreRecord[] {
  if (heard === null) return [];
  return [{ kind: 'override', override: { machineId, isOn: false, at: Math.round(heard.wallMs) } }];
}

export type StoredMachine = { readonly connection: Connection } & ReturnType<typeof restore>;

/** Reads a snapshot. A damaged one gives faults: the machine then starts like one that was never heard. */
export function readSnapshot(json: string, now: Now): StoredMachine {
  try {
    const { connection, state } = JSON.parse(json) as { readonly connection?: unknown; readonly state?: unknown };
    const known = connection === 'online' || connection === 'offline' ? connection : 'unknown';
    return { connection: known, ...restore(JSON.stringify(state ?? null), now) };
  } catch (error) {
    return {
      connection: 'unknown',
      ok: false,
      faults: [{ path: 'machineState', found: errorMessage(error), expected: 'JSON' }],
    };
  }
}
