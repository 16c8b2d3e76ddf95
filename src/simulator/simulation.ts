import type { DeviceLink, LinkListener } from './machine/device-link.ts';
import { FieldMachine } from './machine/field-machine.ts';
import { HttpMachine } from './machine/http-machine.ts';
import type { SimulatedMachine } from './machine/machine-design.ts';
import { MachineLoop } from './machine/machine-loop.ts';
import { MqttMachine } from './machine/mqtt-machine.ts';
import type { SimulatedState } from './machine/simulated-state.ts';

export interface SimulationOptions {
  readonly mqttUrl: string;
  readonly httpUrl: string;
  readonly machines: readonly SimulatedMachine[];
  /** Gets a line for each event of a machine. */
  readonly log: (line: string) => void;
}

export interface SimulationCounts {
  readonly machines: number;
  readonly linked: number;
  readonly running: number;
  /** The numbers since the start: sent statuses, and commands in answer. */
  readonly statuses: number;
  readonly commands: number;
}

export interface Simulation {
  counts(): SimulationCounts;
  state(machineId: string): SimulatedState | null;
  /** Every machine says goodbye (`online` `false`); resolves when all connections are closed. */
  stop(): Promise<void>;
}

const TICK_MS = 20;
/** Machines that switch on in a second: those of a plant would not all start at once. */
const SWITCHED_ON_PER_SECOND = 250;

/** Machines that speak real MQTT and HTTP to a gateway, paced by one timer with their phases spread. */
export function startSimulation({ mqttUrl, httpUrl, machines, log }: SimulationOptions): Simulation {
  const counts = { statuses: 0, commands: 0 };
  const loops = new Map<string, MachineLoop>();
  const startedMs = performance.now();
  const spreadMs = Math.max(1_000, (machines.length / SWITCHED_ON_PER_SECOND) * 1_000);
  const waiting = [...machines.entries()];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const [place, machine] = next;
      const firstDueMs = startedMs + (place / machines.length) * spreadMs;
      if (firstDueMs > nowMs) break;
      waiting.shift();
      const link = (listener: LinkListener) => openLink(machine, mqttUrl, httpUrl, listener);
      loops.set(machine.machineId, new MachineLoop({ machine, link, counts, firstDueMs, log }));
    }
    for (const loop of loops.values()) loop.tick(nowMs);
  }, TICK_MS);
  return {
    counts: () => {
      const all = [...loops.values()];
      return {
        machines: machines.length,
        linked: all.filter((loop) => loop.isLinked).length,
        running: all.filter((loop) => loop.state.running).length,
        ...counts,
      };
    },
    state: (machineId) => loops.get(machineId)?.state ?? null,
    stop: async () => {
      clearInterval(timer);
      await Promise.all([...loops.values()].map((loop) => loop.close()));
    },
  };
}

function openLink(machine: SimulatedMachine, mqttUrl: string, httpUrl: string, listener: LinkListener): DeviceLink {
  switch (machine.transport) {
    case 'json':
      return new MqttMachine(mqttUrl, machine, listener);
    case 'fields':
      return new FieldMachine(mqttUrl, machine, listener);
    case 'http':
      return new HttpMachine(httpUrl, machine, listener);
  }
}
