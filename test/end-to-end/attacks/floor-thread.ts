import { parentPort, workerData } from 'node:worker_threads';
import { fleetMachineId, fleetTopicRoot } from '../fleet.ts';
import { RawDevice } from '../raw-device.ts';
import type { FloorPlan, FloorReport } from './floor.ts';

const { mqttPort, machines, intervalMs } = workerData as FloorPlan;
const port = parentPort;
if (port === null) throw new Error('runs as a worker thread only');

let latenciesMs: number[] = [];
let asked = 0;
let answered = 0;
let wrong = 0;

/** One machine: it reports every `intervalMs`, and each report is answered by one command. */
class FloorMachine {
  readonly #index: number;
  readonly #device: RawDevice;
  readonly #askedAt: number[] = [];
  #count = 0;

  private constructor(index: number, device: RawDevice) {
    this.#index = index;
    this.#device = device;
    device.onCommand = ({ command, at }) => {
      const askedAt = this.#askedAt.shift();
      if (askedAt !== undefined) latenciesMs.push(at - askedAt);
      answered++;
      if (command.message !== null) wrong++;
      device.commands.length = 0;
    };
    device.onAcknowledged = () => device.acknowledged.clear();
  }

  static async open(index: number): Promise<FloorMachine> {
    const topicRoot = fleetTopicRoot(index);
    // Every tenth machine also reads what its PLC programmer found simplest to subscribe to.
    const more = index % 10 === 0 ? [`${topicRoot}/#`] : [];
    return new FloorMachine(
      index,
      await RawDevice.open(mqttPort, { clientId: fleetMachineId(index), topicRoot, alsoReads: more }),
    );
  }

  run(): void {
    setTimeout(() => setInterval(() => this.#ask(), intervalMs), (intervalMs * this.#index) / machines);
  }

  #ask(): void {
    if (!isRunning) return;
    this.#count++;
    asked++;
    this.#askedAt.push(performance.now());
    const counters = { cycle: this.#count, goodPart: this.#count, badPart: 0 };
    const switches = { running: true, machinePower: true, override: false, partId: 'P-100' };
    const mSecSinceBoot = 1_000 + this.#count * intervalMs;
    this.#device.status({ machineId: fleetMachineId(this.#index), mSecSinceBoot, ...counters, ...switches });
  }
}

let isRunning = true;

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function report(): FloorReport {
  const sorted = latenciesMs.sort((a, b) => a - b);
  const summary = {
    asked,
    answered,
    wrong,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    maxMs: sorted.at(-1) ?? 0,
  };
  latenciesMs = [];
  return summary;
}

const floor: FloorMachine[] = [];
for (let from = 0; from < machines; from += 50) {
  const indexes = Array.from({ length: Math.min(50, machines - from) }, (_, place) => from + place);
  floor.push(...(await Promise.all(indexes.map((index) => FloorMachine.open(index)))));
}
for (const machine of floor) machine.run();
port.on('message', (request: 'report' | 'rest') => {
  if (request === 'rest') isRunning = false;
  port.postMessage(report());
});
port.postMessage(report());
