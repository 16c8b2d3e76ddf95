import type { MachineEffect } from '../../domain/machine/machine-effect.ts';
import type { MachineState } from '../../domain/machine/machine-state.ts';
import type { KnownStatus } from '../../domain/machine/status/status.ts';
import {
  knownBeforeFalls,
  type SampleReason,
  type StatusSample,
  statusSample,
} from '../../domain/sync/status-sample.ts';
import type { Now } from '../../domain/time.ts';
import { type LiveMachine, saveState } from '../device/live-machine.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { After } from './forward-loop.ts';

export interface StatusSamplerOptions {
  readonly store: Pick<Store, 'record'>;
  readonly clock: Clock;
  readonly after: After;
  /** Whether the central server is there to look at what the machines do now. */
  readonly isServerThere: () => boolean;
  /** Called when there is a status to send. */
  readonly onSampled: () => void;
}

/**
 * The interval of the search for unchanged statuses that are due to be repeated. They are sent in groups, which costs
 * little.
 */
const LOOK_MS = 970;
/**
 * The times of unchanged statuses: the next one is due at the first search this long after the last one, or once a
 * device is silent this long.
 */
interface Cadence {
  readonly repeatMs: number;
  readonly quietMs: number;
}
/** Leads to one status every 5 s (D-26). */
const WATCHED: Cadence = { repeatMs: 4_000, quietMs: 1_000 };
/**
 * Leads to one status a minute. In a week without the central server, a status every 5 s would fill the queue, at the
 * expense of variables (UP-06).
 */
const UNWATCHED: Cadence = { repeatMs: 59_000, quietMs: 10_000 };
/** The number of machines that are looked at before all other work gets a turn. */
const MACHINES_PER_TURN = 250;

/**
 * A machine and its last sample, as far as the next sample depends on it. The sampled status itself is not needed,
 * because each status is compared with the status before it: every difference was sampled, or is noted in `#owing`.
 */
interface Watched {
  live: LiveMachine;
  sampledMs: number;
  sampledHeard: Now | null;
  sampledSelection: MachineState['selection'];
  /**
   * The values of its last mSecSinceBoot or its last sample. Single fields may have brought newer counts since then.
   */
  whole: KnownStatus;
}

/**
 * Queues statuses for the central server (D-26): each status with a change beyond counters and times, one every 5 s
 * while the server is connected and one a minute while it is away, the last one of each boot and the first of the
 * next, both sides of a fall of counters, the newest one before a device falls silent, and both sides of a change of
 * the part (D-28). It is called for every status, compares a few fields and mostly does nothing.
 */
export class StatusSampler {
  readonly #options: StatusSamplerOptions;
  readonly #machines = new Map<string, Watched>();
  /** Machines whose new boot, or whose counters that fell, the server cannot see yet. */
  readonly #booted = new Set<string>();
  /** Machines with news that is not sent yet: a person changed something, or a field that a status needs is unknown. */
  readonly #owing = new Set<string>();
  #registry: Pick<MachineRegistry, 'get'> | null = null;
  #followed: readonly LiveMachine[] = [];
  #cancelLook: () => void = () => undefined;

  constructor(options: StatusSamplerOptions) {
    this.#options = options;
  }

  /** Begins with the known states of the machines. They are not sent, because no machine was heard yet. */
  follow(registry: Pick<MachineRegistry, 'onChange' | 'all' | 'get'>): void {
    this.#registry = registry;
    this.#take(registry.all());
    registry.onChange((live, effects, before) => {
      if (registry.all() !== this.#followed) this.#take(registry.all(), before);
      this.#onMachine(live, effects, before);
    });
    this.#lookLater();
  }

  /** Samples the remaining states, and stops listening. */
  stop(): void {
    this.#cancelLook();
    this.#repeat([...this.#machines.values()].filter(isUnsampled));
    this.#machines.clear();
  }

  /** A machine that left the plant and came back is another object in memory, and goes on with its former sample. */
  #take(lives: readonly LiveMachine[], before?: MachineState): void {
    this.#followed = lives;
    for (const live of lives) {
      const { machineId } = live.state;
      const { known, heard, selection } = machineId === before?.machineId ? before : live.state;
      const machine = this.#machines.get(machineId);
      if (machine === undefined) {
        const sampledMs = heard?.monotonicMs ?? Number.NEGATIVE_INFINITY;
        const whole = known;
        if (live.state.unheard.length > 0) this.#booted.add(machineId);
        this.#machines.set(machineId, { live, sampledMs, sampledHeard: heard, sampledSelection: selection, whole });
      } else if (machine.live !== live) {
        machine.live = live;
        this.#owing.add(machineId);
      }
    }
  }

  #onMachine({ state }: LiveMachine, effects: readonly MachineEffect[], before: MachineState): void {
    if (isMidRound(before.known, state.known)) this.#keepWhole(before);
    const isNew =
      effects.length > 0 ||
      state.selection !== before.selection ||
      !isAlike(before.known, state.known) ||
      this.#owing.has(state.machineId) ||
      this.#booted.has(state.machineId);
    const machine = isNew ? this.#machines.get(state.machineId) : undefined;
    if (machine !== undefined) this.#tell(machine, effects, before);
  }

  /** The counts before the first one that came after the last mSecSinceBoot. */
  #keepWhole({ machineId, known }: MachineState): void {
    const machine = this.#machines.get(machineId);
    if (machine !== undefined && machine.whole.mSecSinceBoot !== known.mSecSinceBoot) machine.whole = known;
  }

  #tell(machine: Watched, effects: readonly MachineEffect[], before: MachineState): void {
    const { state } = machine.live;
    const isPartChanged = partIdOf(state.selection) !== partIdOf(machine.sampledSelection);
    if (isPartChanged || !isAlike(before.known, state.known)) this.#owing.add(state.machineId);
    // A silent device sends no sample, because it would seem alive. Changes by people go with its next status.
    if (state.heard === before.heard) return;
    // Counters that fall without a boot begin anew for the server as well (D-02).
    const beginsAnew = effects.some(({ type }) => type === 'reboot' || type === 'anomaly');
    const known = knownBeforeFalls(before, machine.whole);
    const last = { known, heard: before.heard, selection: machine.sampledSelection };
    if (beginsAnew) this.#booted.add(state.machineId);
    const isDue = this.#owing.has(state.machineId) || this.#isBootWhole(state);
    this.#record(machine, [
      beginsAnew || isPartChanged ? statusSample(last, beginsAnew ? 'bootEnd' : 'partChange') : null,
      isDue ? this.#sample(machine, isPartChanged ? 'partChange' : 'change') : null,
    ]);
  }

  /**
   * Whether it booted, and all counters are of the new boot: single fields may bring the counters after mSecSinceBoot.
   */
  #isBootWhole({ machineId, unheard, known }: MachineState): boolean {
    return this.#booted.has(machineId) && unheard.every((counter) => known[counter] === 0);
  }

  #lookLater(): void {
    this.#cancelLook = this.#options.after(LOOK_MS, () => this.#look([...this.#machines.values()]));
  }

  #look(machines: readonly Watched[]): void {
    const { monotonicMs } = this.#options.clock.now();
    const { repeatMs, quietMs } = this.#options.isServerThere() ? WATCHED : UNWATCHED;
    const isDue = (machine: Watched) =>
      isUnsampled(machine) &&
      (monotonicMs - machine.sampledMs >= repeatMs ||
        monotonicMs - (machine.live.state.heard?.monotonicMs ?? 0) >= quietMs);
    this.#repeat(machines.slice(0, MACHINES_PER_TURN).filter(isDue));
    const rest = machines.slice(MACHINES_PER_TURN);
    if (rest.length === 0) this.#lookLater();
    else this.#cancelLook = this.#options.after(0, () => this.#look(rest));
  }

  #repeat(machines: readonly Watched[]): void {
    for (const machine of machines) this.#record(machine, [this.#sample(machine, 'repeat')]);
  }

  /**
   * Gives null if a machine with single fields has not sent all required fields yet. The first status of a boot is kept
   * like the last one: a boot that outlasts the one before is not seen from their last ones alone.
   */
  #sample(machine: Watched, why: SampleReason): StatusSample | null {
    const { state } = machine.live;
    const { heard, selection } = state;
    const known = knownBeforeFalls(state, machine.whole);
    const isBootWhole = this.#isBootWhole(state);
    const sample = statusSample({ known, heard, selection }, isBootWhole ? 'bootEnd' : why);
    if (sample === null) return null;
    machine.whole = known;
    machine.sampledMs = this.#options.clock.now().monotonicMs;
    machine.sampledHeard = heard;
    machine.sampledSelection = selection;
    this.#owing.delete(state.machineId);
    if (isBootWhole) this.#booted.delete(state.machineId);
    return sample;
  }

  /**
   * Samples go to disk together with the state of the machine. A restored state is then never older than a sample that
   * was sent. From an older state the gateway would make an older end of the boot, and the server would see one more
   * boot and count all of it again.
   */
  #record({ live }: Watched, samples: readonly (StatusSample | null)[]): void {
    const records = samples.flatMap((sample) => (sample === null ? [] : [{ kind: 'statusSample', sample } as const]));
    if (records.length === 0) return;
    // The state of a machine that left the plant was saved then, and may have gone on since.
    const isPresent = this.#registry?.get(live.state.machineId) === live;
    const saved = isPresent ? [saveState(live, this.#options.clock.now().monotonicMs)] : [];
    this.#options.store.record([...saved, ...records]);
    this.#options.onSampled();
  }
}

function isUnsampled({ live, sampledHeard }: Watched): boolean {
  return live.state.heard !== sampledHeard;
}

/** Whether a counter came without mSecSinceBoot, as a single field. */
function isMidRound(before: KnownStatus, after: KnownStatus): boolean {
  return (
    before !== after &&
    before.mSecSinceBoot === after.mSecSinceBoot &&
    (before.cycle !== after.cycle || before.goodPart !== after.goodPart || before.badPart !== after.badPart)
  );
}

function partIdOf(selection: MachineState['selection']): string | null {
  return selection === null ? null : selection.partId;
}

/** Whether a status differs only in counters and times. */
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
