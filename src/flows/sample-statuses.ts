import type { MachineEffect } from '../domain/machine/machine-effect.ts';
import type { MachineState } from '../domain/machine/machine-state.ts';
import { statusSample } from '../domain/sync/sample-status.ts';
import type { SampleReason } from '../domain/sync/status-sample.ts';
import type { After } from './forward-loop.ts';
import type { LiveMachine } from './live-machine.ts';
import type { MachineRegistry } from './machine-registry.ts';
import type { Clock } from './ports.ts';
import type { SyncRecord } from './sync-ports.ts';

export interface StatusSamplerOptions {
  readonly store: { record(records: readonly SyncRecord[]): void };
  readonly clock: Clock;
  readonly after: After;
  /** Called when there is something to be sent. */
  readonly onSampled: () => void;
}

/** How long a live device's statuses may be alike before one is sent all the same (D-26). */
const REPEAT_MS = 5_000;
/** A device that says no more for so long may have said its last: what it made is sent. */
const QUIET_MS = 1_000;

/**
 * What of a machine's last sample the next one depends on. Not the status itself: after 5 s it is cold memory, and a status
 * that is like the one before it is like the one sampled last, for each that differed was sampled too, or is owed.
 */
interface Watched {
  live: LiveMachine;
  sampledMs: number;
  sampledSelection: MachineState['selection'];
  /** Whether its newest status was not sampled. */
  isUnsampled: boolean;
  /** Whether something new is not told yet: not all may be known that a status has to have. */
  isChangeOwed: boolean;
}

/**
 * Queues statuses for the central server (D-26): each that says more than counters and times, one each 5 s, the last of
 * each boot, the newest before a device falls quiet, and the two on both sides of a change of the part (D-28). Called for
 * every status, it compares a few fields and mostly does nothing.
 */
export class StatusSampler {
  readonly #options: StatusSamplerOptions;
  readonly #machines = new Map<string, Watched>();
  #cancelLook: (() => void) | null = null;

  constructor(options: StatusSamplerOptions) {
    this.#options = options;
  }

  /**
   * Begins with what is known of the machines. It is not sent: their newest samples may be newer than what was restored,
   * and counters that fell would be told.
   */
  follow(registry: Pick<MachineRegistry, 'onChange' | 'all'>): void {
    for (const live of registry.all()) this.#watched(live, live.state);
    registry.onChange((live, effects, before) => this.#onMachine(live, effects, before));
  }

  #onMachine(live: LiveMachine, effects: readonly MachineEffect[], before: MachineState): void {
    const { state } = live;
    const machine = this.#watched(live, before);
    machine.isChangeOwed ||= !isAlike(before.known, state.known);
    // Where the device said nothing, nothing is told: it would seem alive. What people changed goes with its next status.
    if (state.heard === before.heard) return;
    const { sampledSelection } = machine;
    const isPartChanged = partIdOf(state.selection) !== partIdOf(sampledSelection);
    const isReboot = effects.length > 0 && effects.some(({ type }) => type === 'reboot');
    if (isReboot || isPartChanged)
      this.#record({ ...before, selection: sampledSelection }, isReboot ? 'bootEnd' : 'partChange');
    const why = isPartChanged ? 'partChange' : reasonFor(machine);
    machine.isUnsampled = why === null || !this.#sample(machine, why);
    if (machine.isUnsampled) this.#cancelLook ??= this.#options.after(QUIET_MS, () => this.#look());
  }

  /** Samples what is left over, and listens no more. */
  stop(): void {
    this.#cancelLook?.();
    for (const machine of this.#machines.values()) if (machine.isUnsampled) this.#sample(machine, 'repeat');
    this.#machines.clear();
  }

  #look(): void {
    this.#cancelLook = null;
    const { monotonicMs } = this.#options.clock.now();
    for (const machine of this.#machines.values()) {
      if (!machine.isUnsampled) continue;
      if (monotonicMs - (machine.live.state.heard?.monotonicMs ?? 0) < QUIET_MS) {
        this.#cancelLook ??= this.#options.after(QUIET_MS, () => this.#look());
        continue;
      }
      this.#sample(machine, 'repeat');
      machine.isUnsampled = false;
    }
  }

  /** A machine that went out of the plant and came back is another object in memory, and goes on where it was. */
  #watched(live: LiveMachine, before: MachineState): Watched {
    const { machineId } = live.state;
    const machine = this.#machines.get(machineId);
    if (machine !== undefined) {
      machine.live = live;
      return machine;
    }
    const added = {
      live,
      sampledMs: before.heard?.monotonicMs ?? Number.NEGATIVE_INFINITY,
      sampledSelection: before.selection,
      isUnsampled: false,
      isChangeOwed: false,
    };
    this.#machines.set(machineId, added);
    return added;
  }

  #sample(machine: Watched, why: SampleReason): boolean {
    const { state } = machine.live;
    if (!this.#record(state, why)) return false;
    machine.sampledMs = state.heard?.monotonicMs ?? Number.NEGATIVE_INFINITY;
    machine.sampledSelection = state.selection;
    machine.isChangeOwed = false;
    return true;
  }

  /** A machine that sends single fields may not have said all yet that a status has to have. */
  #record(picture: Pick<MachineState, 'known' | 'heard' | 'selection'>, why: SampleReason): boolean {
    const sample = statusSample(picture, why);
    if (sample === null) return false;
    this.#options.store.record([{ kind: 'statusSample', sample }]);
    this.#options.onSampled();
    return true;
  }
}

function reasonFor({ live: { state }, sampledMs, isChangeOwed }: Watched): SampleReason | null {
  if (isChangeOwed) return 'change';
  return (state.heard?.monotonicMs ?? 0) - sampledMs >= REPEAT_MS ? 'repeat' : null;
}

function partIdOf(selection: MachineState['selection']): string | null {
  return selection === null ? null : selection.partId;
}

/** Whether a status says nothing new but counters and times. */
function isAlike(one: MachineState['known'], other: MachineState['known']): boolean {
  return (
    one === other ||
    (one.running === other.running &&
      one.machinePower === other.machinePower &&
      one.fault === other.fault &&
      one.override === other.override &&
      one.userId === other.userId &&
      one.partId === other.partId &&
      one.partName === other.partName &&
      one.jobNumber === other.jobNumber &&
      one.material === other.material &&
      one.piecesAtATime === other.piecesAtATime)
  );
}
