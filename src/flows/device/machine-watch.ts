import type { MachineState } from '../../domain/machine/machine-state.ts';
import type { Now } from '../../domain/time.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { DeviceInboxFlow } from './device-inbox-flow.ts';
import { holdsAny, type LiveMachine, saveAt, saveState, totalsRecords } from './live-machine.ts';
import { HELD_UP_MS, type MachineRegistry } from './machine-registry.ts';
import type { ShiftRecounts } from './shift-recounts.ts';

/** Silence is noticed within 0.25 s of the tenth second (DEV-10). A look is cheap, so looks are frequent. */
const WATCH_INTERVAL_MS = 50;
/** The number of machines that are served in one turn of the event loop, before all other work gets a turn. */
const MACHINES_PER_TURN = 100;
/** The sockets are empty after this many turns of the loop without a message. */
const QUIET_TURNS = 4;
/** After the process was held up, waiting messages are read for this long at most before machines count as silent. */
const MAX_SETTLING_MS = 5_000;

export interface MachineWatchOptions {
  readonly registry: MachineRegistry;
  readonly inbox: DeviceInboxFlow;
  readonly store: Pick<Store, 'record'>;
  readonly clock: Clock;
  readonly incidents: Incidents;
  readonly shiftEndMs: (wallMs: number) => number;
  readonly recounts: Pick<ShiftRecounts, 'look'>;
}

/** The time at which the process went on reading, its last turn, and the number of turns in a row without a message. */
interface Settling {
  readonly sinceMs: number;
  readonly turnMs: number;
  readonly inputs: number;
  readonly quietTurns: number;
}

/** Lets time pass for every machine: finds silence, takes held messages, saves, begins the next shift. */
export class MachineWatch {
  readonly #options: MachineWatchOptions;
  #timer: NodeJS.Timeout | null = null;
  #shiftEndsAt: number;
  #visiting = false;
  #settling = false;
  #stopped = false;

  constructor(options: MachineWatchOptions) {
    this.#options = options;
    this.#shiftEndsAt = options.shiftEndMs(options.clock.now().wallMs);
  }

  start(): void {
    this.#options.registry.caughtUpAtMs = this.#options.clock.now().monotonicMs;
    this.#timer = setInterval(() => this.#look(), WATCH_INTERVAL_MS);
  }

  /** Ends the watch and hands everything unsaved to the store. */
  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    const now = this.#options.clock.now();
    for (const live of this.#options.registry.all()) this.#save(live, now);
  }

  #look(): void {
    if (this.#settling) return;
    const { registry, clock, incidents } = this.#options;
    const now = clock.now();
    const heldUpMs = now.monotonicMs - registry.caughtUpAtMs;
    if (heldUpMs > HELD_UP_MS) {
      const detail = `the process was held up for ${Math.round(heldUpMs)} ms`;
      incidents.report({ kind: 'heldUp', subject: 'gateway', detail });
      this.#settling = true;
      this.#settle({ sinceMs: now.monotonicMs, turnMs: now.monotonicMs, inputs: registry.inputs, quietTurns: 0 });
      return;
    }
    registry.caughtUpAtMs = now.monotonicMs;
    if (!this.#visiting) this.#pass(now);
  }

  /** Reads on until the sockets are empty; only then may a machine count as silent. */
  #settle({ sinceMs, turnMs, inputs, quietTurns }: Settling): void {
    setImmediate(() => {
      const { registry, clock } = this.#options;
      const now = clock.now();
      const isHeldUpAgain = now.monotonicMs - turnMs > HELD_UP_MS;
      const next = {
        sinceMs: isHeldUpAgain ? now.monotonicMs : sinceMs,
        turnMs: now.monotonicMs,
        inputs: registry.inputs,
        quietTurns: isHeldUpAgain || registry.inputs !== inputs ? 0 : quietTurns + 1,
      };
      if (next.quietTurns < QUIET_TURNS && now.monotonicMs - next.sinceMs < MAX_SETTLING_MS) {
        this.#settle(next);
        return;
      }
      this.#settling = false;
      registry.caughtUpAtMs = now.monotonicMs;
      if (!this.#visiting) this.#pass(now);
    });
  }

  #pass(now: Now): void {
    const shiftTurned = now.wallMs >= this.#shiftEndsAt || this.#options.shiftEndMs(now.wallMs) !== this.#shiftEndsAt;
    if (shiftTurned) this.#shiftEndsAt = this.#options.shiftEndMs(now.wallMs);
    this.#visiting = true;
    this.#visit(this.#options.registry.all(), 0, shiftTurned);
  }

  #visit(machines: readonly LiveMachine[], from: number, shiftTurned: boolean): void {
    const { registry } = this.#options;
    if (this.#stopped) return;
    if (machines !== registry.all()) {
      this.#visit(registry.all(), 0, shiftTurned);
      return;
    }
    const now = this.#options.clock.now();
    let acted = 0;
    let index = from;
    for (; index < machines.length && acted < MACHINES_PER_TURN; index++) {
      const live = shiftTurned || registry.isDue(index, now.monotonicMs) ? machines[index] : undefined;
      if (live === undefined) continue;
      this.#tend(live, now, shiftTurned);
      acted++;
    }
    if (index < machines.length) setImmediate(() => this.#visit(machines, index, shiftTurned));
    else this.#visiting = false;
  }

  #tend(live: LiveMachine, now: Now, shiftTurned: boolean): void {
    const { registry, inbox, recounts } = this.#options;
    recounts.look(live, now);
    if (holdsAny(live)) inbox.takeHeld(live, now);
    // The present millisecond is not over. An input that is due in it waits for the next one (DEV-10).
    if (now.monotonicMs > live.dueAtMs || shiftTurned) registry.apply(live, { type: 'clock' }, now, 'all');
    if (now.monotonicMs >= saveAt(live)) this.#save(live, now);
    registry.noteWake(live);
  }

  #save(live: LiveMachine, now: Now): void {
    const { monotonicMs } = now;
    const totalsDue =
      monotonicMs >= live.totalsDueAtMs || (this.#stopped && live.totalsDueAtMs < Number.POSITIVE_INFINITY);
    if (live.unsaved === 'nothing' && !totalsDue) return;
    if (totalsDue) live.totalsDueAtMs = Number.POSITIVE_INFINITY;
    // Only this input records the length of the silence, and it makes the totals due again.
    if (totalsDue && live.state.silent) this.#options.registry.apply(live, { type: 'clock' }, now, 'all');
    const saved = saveState(live, monotonicMs);
    this.#options.store.record(totalsDue ? [saved, ...totalsRecords(live)] : [saved]);
  }
}

/**
 * Records the times in which machines run in override. Called for every status; without a change it costs one
 * comparison.
 */
export function recordOverrides(registry: MachineRegistry, store: Pick<Store, 'record'>): void {
  registry.onChange(({ state }, _, before) => {
    const isOn = isOverridden(state);
    if (isOn === isOverridden(before)) return;
    const at = Math.round(state.asOf.wallMs);
    store.record([{ kind: 'override', override: { machineId: state.machineId, isOn, at } }]);
  });
}

/** The override of a machine that is silent, or not heard yet since a pause, is unknown and counts as off. */
function isOverridden({ known, silent, observedMs }: MachineState): boolean {
  return known.override === true && !silent && observedMs !== null;
}
