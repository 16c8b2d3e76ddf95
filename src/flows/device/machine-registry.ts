import { faultText } from '../../domain/error.ts';
import { type ClockCorrection, correctionOf } from '../../domain/machine/counters/clock-correction.ts';
import { followCalendar } from '../../domain/machine/counters/counting.ts';
import { movesProduction } from '../../domain/machine/counters/recount.ts';
import type { Decision } from '../../domain/machine/decision.ts';
import type { MachineEffect } from '../../domain/machine/machine-effect.ts';
import type { MachineInput } from '../../domain/machine/machine-input.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import { createMachineState, type MachineContext, type MachineState } from '../../domain/machine/machine-state.ts';
import { nextDueAt, type Step, step } from '../../domain/machine/step.ts';
import type { Machine } from '../../domain/plant/plant.ts';
import type { Now } from '../../domain/time.ts';
import type { Store, StoredState, StoreRecord } from '../store-ports.ts';
import type { Reply, SendCommand } from './device-ports.ts';
import {
  type Connection,
  correctLiveTimes,
  createLiveMachine,
  type LiveMachine,
  noteSince,
  noteTotals,
  overrideEnd,
  readSnapshot,
  recordsOf,
  saveState,
  sinceAgain,
  snapshot,
  stateRecord,
  totalsRecords,
  wakeAt,
} from './live-machine.ts';

/**
 * The topics on which a changed decision is published: none (the caller answers), the 0/1 topics, or every command
 * topic (D-05).
 */
export type Tell = 'nobody' | 'bits' | 'all';

export interface MachineRegistryOptions {
  readonly context: Omit<MachineContext, 'setupReasons'>;
  readonly maxUpdatesPerSecond: number;
  readonly store: Pick<Store, 'record'>;
  readonly setupReasons: () => ReadonlySet<string>;
  readonly onPartReported: (machineId: MachineId, partId: string, partName: string | null) => void;
}

/** `before` is the state before the change, or the present one if the change is outside the state. */
export type MachineListener = (live: LiveMachine, effects: readonly MachineEffect[], before: MachineState) => void;

/** An event loop that stood still this long was held up, and sockets hold the bytes that came meanwhile (D-04). */
export const HELD_UP_MS = 500;

/**
 * The longest hold-up for which a waiting message proves that its machine was not silent. After a longer one the
 * keepalive of the connection has run out meanwhile, so the time counts as silence (D-04).
 */
const LONGEST_BRIDGED_MS = 90_000;

const TELLS_TOTALS: ReadonlySet<StoreRecord['kind']> = new Set(['shift', 'workSession', 'catchUp']);

/** Every configured machine, alive in memory. Every change of a machine happens here, at once and without waiting. */
export class MachineRegistry {
  readonly #options: MachineRegistryOptions;
  readonly #machines = new Map<string, LiveMachine>();
  #list: readonly LiveMachine[] = [];
  /**
   * The time, on the monotonic clock, at which each machine of the list needs attention. The times lie side by side in
   * memory, because they are read many times a second and the machines themselves lie far apart.
   */
  #wakeAtMs = new Float64Array(0);
  /** Snapshots of machines that are known and not configured at present. */
  readonly #suspended = new Map<string, string>();
  readonly #pendingInputs = new Map<string, MachineInput[]>();
  readonly #listeners: MachineListener[] = [];
  readonly #decisionListeners: SendCommand[] = [];
  /** Machines that were in the plant since the start: memory is newer than the state that the store had then. */
  readonly #caughtUp = new Set<string>();
  #storedParts = new Map<string, StoredState['parts'][number]>();
  #storedDowntimes: StoredState['openDowntimes'] = [];
  #context: MachineContext;
  /** The context without a timeout, for messages that are read while the process catches up (D-04). */
  #patientContext: MachineContext;
  /** Counts the messages: the watch sees by it whether sockets still hold bytes (D-04). */
  inputs = 0;
  /** The last time, on the monotonic clock, at which the sockets were known to be empty; the watch sets it. */
  caughtUpAtMs = Number.POSITIVE_INFINITY;

  constructor(options: MachineRegistryOptions) {
    this.#options = options;
    this.#context = { ...options.context, setupReasons: options.setupReasons() };
    this.#patientContext = withoutSilence(this.#context);
  }

  /** Calls the listener with every decision that has to be published to a device. */
  onDecision(listener: SendCommand): void {
    this.#decisionListeners.push(listener);
  }

  onChange(listener: MachineListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Keeps the machines' states from before the gateway stopped; each is taken up when its machine is configured (D-03).
   */
  restore(stored: StoredState): void {
    for (const { machineId, json } of stored.machineStates) this.#suspended.set(machineId, json);
    this.#storedParts = new Map(stored.parts.map((part) => [part.machineId, part]));
    this.#storedDowntimes = stored.openDowntimes;
  }

  /** Brings the machines in line with the plant, in its order. A removed machine goes on where it stopped once it is back (D-03). */
  configure(machines: readonly Machine[], now: Now): void {
    this.#context = { ...this.#options.context, setupReasons: this.#options.setupReasons() };
    this.#patientContext = withoutSilence(this.#context);
    const wanted = new Set<string>(machines.map(({ machineId }) => machineId));
    for (const live of this.#list) if (!wanted.has(live.machine.machineId)) this.#suspend(live);
    for (const machine of machines) {
      const live = this.#machines.get(machine.machineId);
      if (live === undefined) this.#machines.set(machine.machineId, this.#add(machine, now, machines.length));
      else {
        live.machine = machine;
        live.tracked = new Set(machine.variables);
      }
    }
    this.#list = machines.flatMap(({ machineId }) => this.#machines.get(machineId) ?? []);
    this.#wakeAtMs = new Float64Array(this.#list.length);
    for (const [place, live] of this.#list.entries()) {
      live.place = place;
      this.noteWake(live);
    }
  }

  /** The time at which a machine needs attention may have changed. */
  noteWake(live: LiveMachine): void {
    // A machine that has left the plant does not have this place any more.
    if (this.#list[live.place] === live) this.#wakeAtMs[live.place] = wakeAt(live);
  }

  /** Whether the machine at that place of `all()` needs attention. */
  isDue(place: number, monotonicMs: number): boolean {
    return monotonicMs >= (this.#wakeAtMs[place] ?? 0);
  }

  get(machineId: string): LiveMachine | undefined {
    return this.#machines.get(machineId);
  }

  all(): readonly LiveMachine[] {
    return this.#list;
  }

  get size(): number {
    return this.#machines.size;
  }

  /** Applies an input to a machine: decides, notes what has to be written, informs the listeners. */
  apply(live: LiveMachine, input: MachineInput, now: Now, tell: Tell): Decision {
    const before = live.state;
    const heldUpMs = now.monotonicMs - this.caughtUpAtMs;
    const { state, effects } =
      heldUpMs > HELD_UP_MS ? this.#stepBehind(before, input, now, heldUpMs) : step(before, input, now, this.#context);
    live.state = state;
    if (input.type === 'clockCorrected') correctLiveTimes(live, input, now);
    noteSince(live, before, now.wallMs);
    live.dueAtMs = nextDueAt(state, this.#context);
    this.#noteUnsaved(live, before, effects);
    noteTotals(live, now.monotonicMs);
    this.noteWake(live);
    for (const effect of effects) {
      if (effect.type === 'decision' && tell !== 'nobody')
        this.#send(state.machineId, effect.decision, tell, undefined);
      if (effect.type === 'partReported') this.#options.onPartReported(state.machineId, effect.partId, effect.partName);
    }
    this.#record(live, effects, now);
    for (const listener of this.#listeners) listener(live, effects, before);
    return state.decision;
  }

  /**
   * Corrects the times of every machine together with the wall clock, also of those out of the plant (D-04). What they
   * counted by the wrong clock is recorded before; their new states are committed together with the store's correction.
   */
  correctClock(correction: ClockCorrection, now: Now, correctStore: (states: readonly StoreRecord[]) => void): void {
    const { store } = this.#options;
    if (movesProduction(correction.deltaMs)) {
      for (const live of this.#list) store.record([saveState(live, now.monotonicMs), ...totalsRecords(live)]);
    }
    const suspended = [...this.#suspended.values()].map((json) => readSnapshot(json, now));
    // A damaged state stays as it is, and is reported when it is taken up.
    const readable = suspended.flatMap((stored) => (stored.ok ? [stored] : []));
    for (const { state, effects } of readable) store.record(recordsOf(state.machineId, effects));
    const correct = correctionOf(correction, now);
    const records = [...this.#list, ...readable].flatMap(
      ({ state: before, connection, since }): readonly StoreRecord[] => {
        const { state, effects } = step(before, correction, now, this.#context);
        const decision = since.decision === null ? null : correct(since.decision);
        const json = snapshot({ state, connection, since: { decision } });
        const { machineId } = state;
        const saved = { kind: 'machineState', machineId, json } as const;
        if (!this.#suspended.has(machineId)) return [saved];
        this.#suspended.set(machineId, json);
        return [...recordsOf(machineId, effects), saved];
      },
    );
    correctStore(records);
    for (const live of this.#list) this.apply(live, correction, now, 'all');
  }

  /**
   * While the process catches up, only a machine's own messages count for the past time; for all other inputs time
   * stands still.
   */
  #stepBehind(before: MachineState, input: MachineInput, now: Now, heldUpMs: number): Step {
    const isMessage = input.type === 'status' || input.type === 'field';
    if (isMessage)
      return step(before, input, now, heldUpMs <= LONGEST_BRIDGED_MS ? this.#patientContext : this.#context);
    const aheadMs = Math.max(0, now.monotonicMs - Math.max(this.caughtUpAtMs, before.asOf.monotonicMs));
    const then = { monotonicMs: now.monotonicMs - aheadMs, wallMs: now.wallMs - aheadMs };
    return step(before, input, then, this.#context);
  }

  /** Keeps an input for a machine that is out of the plant, and applies it when the machine is back. */
  applyWhenBack(machineId: MachineId, input: MachineInput): void {
    if (!this.#suspended.has(machineId)) return;
    const pending = this.#pendingInputs.get(machineId) ?? [];
    pending.push(input);
    this.#pendingInputs.set(machineId, pending);
  }

  send(machineId: MachineId, decision: Decision, reply: Reply | undefined): void {
    this.#send(machineId, decision, 'all', reply);
  }

  /** Gives false if the machine has that connection already. */
  setConnection(live: LiveMachine, connection: Connection): boolean {
    if (live.connection === connection) return false;
    live.connection = connection;
    live.unsaved = 'facts';
    this.noteWake(live);
    this.announce(live);
    return true;
  }

  /** Announces a change of a machine that is no part of its state. */
  announce(live: LiveMachine): void {
    for (const listener of this.#listeners) listener(live, [], live.state);
  }

  readonly #send: SendCommand = (machineId, decision, topics, reply) => {
    for (const listener of this.#decisionListeners) listener(machineId, decision, topics, reply);
  };

  /** Records go to disk together with their state: after a power cut both are there, or neither (D-03). */
  #record(live: LiveMachine, effects: readonly MachineEffect[], now: Now): void {
    if (effects.length === 0) return;
    const records = this.#withTotals(live, recordsOf(live.state.machineId, effects));
    if (records.length === 0) return;
    this.#options.store.record([...records, saveState(live, now.monotonicMs)]);
  }

  /**
   * All totals are reported together, because a central server goes on from their combination
   * (domain/sync/catch-up.ts).
   */
  #withTotals(live: LiveMachine, records: readonly StoreRecord[]): readonly StoreRecord[] {
    if (!records.some(({ kind }) => TELLS_TOTALS.has(kind))) return records;
    live.totalsDueAtMs = Number.POSITIVE_INFINITY;
    return [...records, ...totalsRecords(live)];
  }

  #suspend(live: LiveMachine): void {
    const { machineId } = live.machine;
    this.#machines.delete(machineId);
    this.#suspended.set(machineId, snapshot(live));
    this.#options.store.record([stateRecord(live), ...totalsRecords(live)]);
  }

  #noteUnsaved(live: LiveMachine, before: LiveMachine['state'], effects: readonly MachineEffect[]): void {
    const { known } = live.state;
    if (effects.length > 0) live.unsaved = 'facts';
    if (live.unsaved === 'facts') return;
    const counted =
      known.cycle !== before.known.cycle ||
      known.goodPart !== before.known.goodPart ||
      known.badPart !== before.known.badPart;
    if (counted) live.unsaved = 'counts';
    else if (live.unsaved === 'nothing') live.unsaved = 'times';
  }

  #add(machine: Machine, now: Now, machines: number): LiveMachine {
    const { machineId } = machine;
    const fresh = createLiveMachine(
      machine,
      createMachineState(machineId, now, this.#context),
      this.#options.maxUpdatesPerSecond,
      machines,
    );
    const json = this.#suspended.get(machineId);
    if (json !== undefined) this.#restoreState(fresh, json, now);
    this.#suspended.delete(machineId);
    const { message } = fresh.state.decision;
    if (!this.#caughtUp.has(machineId)) this.#catchUp(fresh, now);
    if (fresh.state.decision.message !== message) fresh.since = { ...fresh.since, decision: null };
    this.#caughtUp.add(machineId);
    this.#replayPending(fresh, now);
    fresh.dueAtMs = nextDueAt(fresh.state, this.#context);
    return fresh;
  }

  #replayPending(live: LiveMachine, now: Now): void {
    const { machineId } = live.machine;
    for (const input of this.#pendingInputs.get(machineId) ?? []) {
      const { state, effects } = step(live.state, input, now, this.#context);
      live.state = state;
      this.#record(live, effects, now);
    }
    this.#pendingInputs.delete(machineId);
  }

  #restoreState(live: LiveMachine, json: string, now: Now): void {
    const { machineId } = live.machine;
    const stored = readSnapshot(json, now);
    live.connection = stored.connection;
    if (!stored.ok) {
      const reason = `it starts as a new machine: ${stored.faults.map(faultText).join('; ')}`;
      const record = { table: 'machine_state', key: machineId, content: json, reason };
      this.#options.store.record([{ kind: 'damaged', record }]);
      return;
    }
    const remembered = followCalendar(stored.state, this.#context);
    // A shift or a work session may have ended meanwhile.
    const { state, effects } = step(remembered, { type: 'clock' }, now, this.#context);
    live.state = state;
    live.since = sinceAgain(stored, state);
    const records = recordsOf(machineId, [...stored.effects, ...effects]);
    this.#options.store.record([...overrideEnd(stored.state), ...this.#withTotals(live, records)]);
  }

  /** Acts of people are synced one by one, the state only now and then: a newer record in the store counts. */
  #catchUp(live: LiveMachine, now: Now): void {
    const { machineId } = live.machine;
    const chosen = this.#storedParts.get(machineId);
    if (chosen !== undefined && chosen.at > live.state.selectionAt) {
      const { part, at } = chosen;
      const input: MachineInput =
        part === null
          ? { type: 'clearPart', at }
          : { type: 'selectPart', partId: part.partId, partName: part.partName, at, by: part.selectedBy };
      live.state = step(live.state, input, now, this.#context).state;
    }
    const downtimes = this.#storedDowntimes.filter((downtime) => downtime.machineId === machineId);
    const waiting = new Set(downtimes.map(({ downtimeId }) => downtimeId));
    const removedIds = live.state.uncategorized.filter((downtimeId) => !waiting.has(downtimeId));
    if (downtimes.length + removedIds.length === 0) return;
    live.state = step(live.state, { type: 'downtimesChanged', downtimes, removedIds }, now, this.#context).state;
  }
}

function withoutSilence(context: MachineContext): MachineContext {
  return { ...context, timing: { ...context.timing, timeoutMs: Number.POSITIVE_INFINITY } };
}
