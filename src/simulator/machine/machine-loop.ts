import { type Random, seededRandom } from '../random.ts';
import { advance } from './advance.ts';
import type { DeviceLink, LinkListener } from './device-link.ts';
import type { SimulatedMachine } from './machine-design.ts';
import { type Command, isTalking, type SimulatedState, switchedOn } from './simulated-state.ts';

const READINGS_INTERVAL_MS = 2_000;

interface LoopCounts {
  statuses: number;
  commands: number;
}

export interface MachineLoopOptions {
  readonly machine: SimulatedMachine;
  readonly link: (listener: LinkListener) => DeviceLink;
  readonly counts: LoopCounts;
  /** The time of its first status, on the clock of `tick`. */
  readonly firstDueMs: number;
  readonly log: (line: string) => void;
}

/** One machine over time: lets it advance, and sends its messages when they are due. */
export class MachineLoop {
  readonly #log: (line: string) => void;
  readonly #random: Random;
  readonly #link: DeviceLink;
  #state: SimulatedState;
  #command: Command | null = null;
  #lastMs: number;
  #dueMs: number;
  #readingsDueMs: number;
  #lastTrouble = '';

  constructor({ machine, link, counts, firstDueMs, log }: MachineLoopOptions) {
    this.#random = seededRandom(machine.seed);
    this.#state = switchedOn(machine, this.#random);
    this.#lastMs = firstDueMs;
    this.#dueMs = firstDueMs;
    this.#readingsDueMs = firstDueMs;
    this.#log = (text) => log(`${machine.machineId}  ${text}`);
    this.#link = link({
      onCommand: (command) => {
        counts.commands++;
        // Commands that arrive while it is deaf never reach the machine's program.
        if (isTalking(this.#state)) this.#command = command;
      },
      onStatusSent: () => {
        counts.statuses++;
        this.#lastTrouble = '';
      },
      onTrouble: (text) => this.#tellOnce(text),
    });
  }

  get state(): SimulatedState {
    return this.#state;
  }

  get isLinked(): boolean {
    return this.#link.isLinked;
  }

  tick(nowMs: number): void {
    if (nowMs < this.#dueMs) return;
    const before = this.#state;
    const command = this.#link.isLinked ? this.#command : null;
    this.#state = advance(before, command, nowMs - this.#lastMs, this.#random);
    this.#lastMs = nowMs;
    const { running, stopped } = this.#state.machine.statusIntervalMs;
    const intervalMs = this.#state.running ? running : stopped;
    // A process that was held up sends once, not once for each status it missed.
    this.#dueMs = Math.max(this.#dueMs + intervalMs, nowMs);
    if (this.#state.boots !== before.boots) this.#reboot();
    if (isTalking(this.#state)) this.#say(nowMs);
    const event = describeChange(before, this.#state);
    if (event !== null) this.#log(event);
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #say(nowMs: number): void {
    this.#link.sendStatus(this.#state);
    if (nowMs < this.#readingsDueMs) return;
    this.#readingsDueMs = nowMs + READINGS_INTERVAL_MS;
    this.#link.sendReadings(this.#state.readings);
  }

  #reboot(): void {
    this.#command = null;
    this.#link.reboot();
  }

  #tellOnce(text: string): void {
    if (text === this.#lastTrouble) return;
    this.#lastTrouble = text;
    this.#log(text);
  }
}

const STOPS = {
  boot: 'reboots: its counters begin at 0 again',
  setUp: 'is set up for another job',
  coilChange: 'has run its coil empty and gets another',
  break: 'stands still for a break',
  fault: 'faults',
} as const;

/** Describes in words the change of a machine between two moments; null if no change is worth a line. */
function describeChange(before: SimulatedState, after: SimulatedState): string | null {
  const kind = after.stop?.kind;
  if (kind !== undefined && kind !== before.stop?.kind) return STOPS[kind];
  if (after.silentMs > 0 && before.silentMs === 0) return `falls silent for ${Math.round(after.silentMs / 1_000)} s`;
  if (isTalking(after) && before.silentMs > 0) return 'speaks again';
  if (after.override && !before.override) return 'is overridden by its operator';
  if (after.running && !before.running) return `runs ${after.job.part.partName} for job J-${after.job.jobNumber}`;
  return null;
}
