import { setTimeout as pause } from 'node:timers/promises';
import { RawDevice } from './raw-device.ts';

const OPENED_AT_ONCE = 200;

export function fleetMachineId(index: number): string {
  return `M-${index}`;
}

export function fleetTopicRoot(index: number): string {
  return `hall/machine-${index}`;
}

/** A plant file with this number of machines. */
export function fleetPlant(machines: number): string {
  const entries = Array.from(
    { length: machines },
    (_, index) =>
      `  - { machineId: ${fleetMachineId(index)}, topicRoot: ${fleetTopicRoot(index)}, variables: [ lineSpeed ] }\n`,
  );
  return `machines:\n${entries.join('')}parts: [ { partId: P-100 } ]\n`;
}

/** One machine of a fleet, which keeps the times of its statuses and the commands. */
export class FleetMachine {
  readonly index: number;
  device: RawDevice;
  asked = 0;
  askedAt = 0;

  constructor(index: number, device: RawDevice) {
    this.index = index;
    this.device = device;
  }

  get answered(): number {
    return this.device.commands.length;
  }

  ask(): void {
    this.asked++;
    this.askedAt = performance.now();
    const counters = { cycle: this.asked, goodPart: this.asked, badPart: 0, mSecSinceBoot: 1_000 + this.asked * 500 };
    const switches = { running: true, machinePower: true, override: false };
    this.device.status({ machineId: fleetMachineId(this.index), ...counters, ...switches, partId: 'P-100' });
  }
}

/** The machines of a hall on raw sockets. */
export class Fleet {
  readonly machines: readonly FleetMachine[];
  readonly #timers: NodeJS.Timeout[] = [];

  private constructor(machines: readonly FleetMachine[]) {
    this.machines = machines;
  }

  static async open(port: number, size: number): Promise<Fleet> {
    const machines: FleetMachine[] = [];
    for (let from = 0; from < size; from += OPENED_AT_ONCE) {
      const indexes = Array.from({ length: Math.min(OPENED_AT_ONCE, size - from) }, (_, index) => from + index);
      const devices = await Promise.all(indexes.map((index) => RawDevice.open(port, fleetDevice(index))));
      for (const [place, index] of indexes.entries()) {
        const device = devices[place];
        if (device !== undefined) machines.push(new FleetMachine(index, device));
      }
    }
    return new Fleet(machines);
  }

  get asked(): number {
    return this.machines.reduce((sum, machine) => sum + machine.asked, 0);
  }

  get answered(): number {
    return this.machines.reduce((sum, machine) => sum + machine.answered, 0);
  }

  /** Each machine sends in this interval, all of them spread over it. */
  async run(intervalMs: number): Promise<void> {
    for (const machine of this.machines) {
      machine.ask();
      this.#timers.push(setInterval(() => machine.ask(), intervalMs));
      await pause(intervalMs / this.machines.length);
    }
  }

  rest(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  /** Drops every connection like a pulled cable. */
  drop(): void {
    this.rest();
    for (const { device } of this.machines) device.drop();
  }

  /** All machines come back at the same moment with a status; earlier commands are forgotten. */
  comeBack(port: number): void {
    for (const machine of this.machines) {
      machine.device = RawDevice.launch(port, fleetDevice(machine.index));
      machine.asked = 0;
      machine.ask();
    }
  }
}

function fleetDevice(index: number) {
  return { clientId: fleetMachineId(index), topicRoot: fleetTopicRoot(index) };
}
