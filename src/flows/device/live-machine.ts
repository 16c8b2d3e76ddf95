import { errorMessage } from '../../domain/error-text.ts';
import { type ClockCorrection, correctionOf } from '../../domain/machine/counters/clock-correction.ts';
import type { Sender } from '../../domain/machine/counters/sender.ts';
import type { RefusedMessages } from '../../domain/machine/decision-cause.ts';
import type { MachineEffect } from '../../domain/machine/machine-effect.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import { currentShift, type MachineState, openSession } from '../../domain/machine/machine-state.ts';
import { restore, serialise } from '../../domain/machine/serialise.ts';
import type { FullStatus } from '../../domain/machine/status/status.ts';
import { STATUS_FIELDS } from '../../domain/machine/status/status-fields.ts';
import type { Machine } from '../../domain/plant/plant.ts';
import type { Now } from '../../domain/time.ts';
import type { StoreRecord } from '../store-ports.ts';

import type { Reply } from './device-ports.ts';
import { MessageRing } from './message-ring.ts';

/** A little less than a second, so that a device at exactly its limit loses no message to network jitter. */
const WINDOW_MS = 950;

/** Lets a set number of messages of one device pass in any second, all at once if need be (DEV-18). */
export class RateGate {
  /** The times of the last passed messages, as a ring: the oldest is overwritten next. */
  readonly #passedMs: Float64Array;
  #oldest = 0;

  constructor(perSecond: number) {
    this.#passedMs = new Float64Array(Math.max(1, Math.round(perSecond))).fill(Number.NEGATIVE_INFINITY);
  }

  /** Whether one more may pass now; it is counted if so. */
  pass(monotonicMs: number): boolean {
    const oldestMs = this.#passedMs[this.#oldest] ?? 0;
    if (monotonicMs - oldestMs < WINDOW_MS) return false;
    this.#passedMs[this.#oldest] = monotonicMs;
    this.#oldest = (this.#oldest + 1) % this.#passedMs.length;
    return true;
  }
}

export type Connection = 'online' | 'offline' | 'unknown';

/** The newest message of a device that sends faster than it may: it is taken when its turn comes (D-12). */
export interface HeldStatus {
  readonly status: FullStatus;
  readonly duplicate: boolean;
  readonly sender: Sender;
  readonly reply: Reply | undefined;
}

/**
 * The kinds of changes that are not yet on their way to disk. Facts are saved first; times, which the next status
 * restores, last.
 */
export type Unsaved = 'nothing' | 'times' | 'counts' | 'facts';

/** When each of these last changed, in wall-clock milliseconds; null: before the gateway started. */
export interface Since {
  readonly decision: number | null;
  readonly fault: number | null;
  readonly override: number | null;
}

/** A machine in memory: its configuration, its state, and messages that its device sent too fast. */
export interface LiveMachine {
  machine: Machine;
  tracked: ReadonlySet<string>;
  state: MachineState;
  /** The time, on the monotonic clock, at which the machine changes without a message. */
  dueAtMs: number;
  /** The place of the machine in the list of the configured ones. */
  place: number;
  connection: Connection;
  /** The address from which its newest status came; null if none came since the start. */
  address: string | null;
  readonly messages: MessageRing;
  /** Null if the last status message was taken. */
  refused: RefusedMessages | null;
  since: Since;
  unsaved: Unsaved;
  savedAtMs: number;
  /**
   * The time, on the monotonic clock, by which its totals have to be on their way to disk; infinite while they are
   * there.
   */
  totalsDueAtMs: number;
  readonly statusGate: RateGate;
  readonly fieldGate: RateGate;
  /** The limit of held statuses that are taken early, so that production before a reboot is not lost. */
  readonly rebootGate: RateGate;
  heldStatus: HeldStatus | null;
  readonly heldFields: Map<string, { readonly text: string; readonly duplicate: boolean }>;
  shedMessages: number;
}

/** A PLC that sends single fields may send each of a status' fields as often as a whole status. */
const FIELDS_PER_STATUS = STATUS_FIELDS.length;

/** `machines` is the number of machines that share the memory for messages. */
export function createLiveMachine(
  machine: Machine,
  state: MachineState,
  maxUpdatesPerSecond: number,
  machines: number,
): LiveMachine {
  return {
    machine,
    tracked: new Set(machine.variables),
    state,
    dueAtMs: 0,
    place: 0,
    connection: 'unknown',
    address: null,
    messages: new MessageRing(machines),
    refused: null,
    since: { decision: null, fault: null, override: null },
    unsaved: 'facts',
    savedAtMs: 0,
    totalsDueAtMs: 0,
    statusGate: new RateGate(maxUpdatesPerSecond),
    fieldGate: new RateGate(maxUpdatesPerSecond * FIELDS_PER_STATUS),
    rebootGate: new RateGate(maxUpdatesPerSecond),
    heldStatus: null,
    heldFields: new Map(),
    shedMessages: 0,
  };
}

/** Keeps the moment in which the decision, the fault or the override changed. */
export function noteSince(live: LiveMachine, before: MachineState, wallMs: number): void {
  const { known, decision } = live.state;
  const isSameDecision = decision.message === before.decision.message;
  const isSameFault = known.fault === before.known.fault;
  const isSameOverride = known.override === before.known.override;
  if (isSameDecision && isSameFault && isSameOverride) return;
  live.since = {
    decision: isSameDecision ? live.since.decision : wallMs,
    fault: isSameFault ? live.since.fault : wallMs,
    override: isSameOverride ? live.since.override : wallMs,
  };
}

/** Moves the times beside the state together with the wall clock (D-04). */
export function correctLiveTimes(live: LiveMachine, correction: ClockCorrection, now: Now): void {
  const correct = correctionOf(correction, now);
  const correctOrNull = (at: number | null) => (at === null ? null : correct(at));
  const { since, refused } = live;
  live.since = {
    decision: correctOrNull(since.decision),
    fault: correctOrNull(since.fault),
    override: correctOrNull(since.override),
  };
  if (refused !== null) live.refused = { ...refused, since: correct(refused.since), lastAt: correct(refused.lastAt) };
}

/** The time that each kind of change may wait for the disk. Counters are cumulative: the next status restores them. */
const SAVE_WITHIN_MS: Readonly<Record<Unsaved, number>> = {
  facts: 500,
  counts: 5_000,
  times: 10_000,
  nothing: Number.POSITIVE_INFINITY,
};

/** The state holds the totals too, so their own rows may lag. */
const SAVE_TOTALS_WITHIN_MS = 60_000;

/** Notes that the totals may have changed. */
export function noteTotals(live: LiveMachine, monotonicMs: number): void {
  live.totalsDueAtMs = Math.min(live.totalsDueAtMs, monotonicMs + SAVE_TOTALS_WITHIN_MS);
}

/** The time, on the monotonic clock, by which a machine's changes have to be on their way to disk. */
export function saveAt(live: LiveMachine): number {
  return Math.min(live.savedAtMs + SAVE_WITHIN_MS[live.unsaved], live.totalsDueAtMs);
}

/** Whether a message that its device sent too fast waits for its turn. */
export function holdsAny(live: LiveMachine): boolean {
  return live.heldStatus !== null || live.heldFields.size > 0;
}

/** The time at which the machine needs attention: time changes it, it has to be saved, or held messages or a recount wait. */
export function wakeAt(live: LiveMachine): number {
  const isUrgent = holdsAny(live) || live.state.recount !== null;
  return isUrgent ? Number.NEGATIVE_INFINITY : Math.min(live.dueAtMs, saveAt(live));
}

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

interface SnapshotParts extends Pick<LiveMachine, 'state' | 'connection'> {
  readonly since: Pick<Since, 'decision'>;
}

/** The text of a machine that `readSnapshot` reads. */
export function snapshot({ state, connection, since }: SnapshotParts): string {
  const decision = JSON.stringify({ message: state.decision.message, since: since.decision });
  return `{"connection":"${connection}","decision":${decision},"state":${serialise(state)}}`;
}

/** A machine's state, which holds all that changes without an effect. */
export function stateRecord(live: LiveMachine): StoreRecord {
  return { kind: 'machineState', machineId: live.state.machineId, json: snapshot(live) };
}

/** The record of a machine's state, to be handed over now: nothing of the machine waits to be saved then. */
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

/** The message of the decision when a machine was stored, and since when it had it. */
interface StoredDecision {
  readonly message: unknown;
  readonly since: Pick<Since, 'decision'>;
}

type StoredMachine = { readonly connection: Connection } & StoredDecision & ReturnType<typeof restore>;

/** A decision that is the same as before a restart has lasted since then (D-95). */
export function sinceAgain({ message, since }: StoredDecision, { decision }: MachineState): Since {
  return { decision: message === decision.message ? since.decision : null, fault: null, override: null };
}

/** Reads a snapshot. A damaged one gives faults: the machine then starts like one that was never heard. */
export function readSnapshot(json: string, now: Now): StoredMachine {
  try {
    const { connection, decision, state } = JSON.parse(json) as Readonly<Record<string, unknown>>;
    const known = connection === 'online' || connection === 'offline' ? connection : 'unknown';
    return { connection: known, ...storedDecision(decision), ...restore(JSON.stringify(state ?? null), now) };
  } catch (error) {
    return {
      connection: 'unknown',
      ...NO_DECISION,
      ok: false,
      faults: [{ path: 'machineState', found: errorMessage(error), expected: 'JSON' }],
    };
  }
}

const NO_DECISION: StoredDecision = { message: undefined, since: { decision: null } };

/** Snapshots of earlier versions have none. */
function storedDecision(value: unknown): StoredDecision {
  if (typeof value !== 'object' || value === null || !('message' in value) || !('since' in value)) return NO_DECISION;
  return { message: value.message, since: { decision: typeof value.since === 'number' ? value.since : null } };
}
