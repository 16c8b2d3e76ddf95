import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { fleetMachineId, fleetTopicRoot, RawDevice } from '../raw-device.ts';

export interface FloorPlan {
  readonly mqttPort: number;
  readonly machines: number;
  readonly intervalMs: number;
}

/** Answers since the start; latencies since the last report. `wrong` counts answers by which a machine may not run. */
export interface FloorReport {
  readonly asked: number;
  readonly answered: number;
  readonly wrong: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** A floor of working machines on a separate thread, so that a test beside them does not delay their clocks. */
export class Floor {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async open(plan: FloorPlan): Promise<Floor> {
    const worker = new Worker(new URL(import.meta.url), { workerData: { floor: plan } });
    await once(worker, 'message');
    return new Floor(worker);
  }

  /** The report of the time since the last one. */
  report(): Promise<FloorReport> {
    return this.#ask('report');
  }

  /** Stops all requests of the machines; answers may still come. */
  rest(): Promise<FloorReport> {
    return this.#ask('rest');
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  async #ask(request: 'report' | 'rest'): Promise<FloorReport> {
    const reply = once(this.#worker, 'message');
    this.#worker.postMessage(request);
    const [report] = await reply;
    return report;
  }
}

// The thread itself.

let latenciesMs: number[] = [];
let asked = 0;
let answered = 0;
let wrong = 0;
let isRunning = true;

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

  static async open(mqttPort: number, index: number): Promise<FloorMachine> {
    const topicRoot = fleetTopicRoot(index);
    // Every tenth machine also reads what its PLC programmer found simplest to subscribe to.
    const more = index % 10 === 0 ? [`${topicRoot}/#`] : [];
    return new FloorMachine(
      index,
      await RawDevice.open(mqttPort, { clientId: fleetMachineId(index), topicRoot, alsoReads: more }),
    );
  }

  run({ machines, intervalMs }: FloorPlan): void {
    setTimeout(() => setInterval(() => this.#ask(intervalMs), intervalMs), (intervalMs * this.#index) / machines);
  }

  #ask(intervalMs: number): void {
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

async function runFloor(plan: FloorPlan): Promise<void> {
  const floor: FloorMachine[] = [];
  for (let from = 0; from < plan.machines; from += 50) {
    const indexes = Array.from({ length: Math.min(50, plan.machines - from) }, (_, place) => from + place);
    floor.push(...(await Promise.all(indexes.map((index) => FloorMachine.open(plan.mqttPort, index)))));
  }
  for (const machine of floor) machine.run(plan);
  parentPort?.on('message', (request: 'report' | 'rest') => {
    if (request === 'rest') isRunning = false;
    parentPort?.postMessage(report());
  });
  parentPort?.postMessage(report());
}

if (!isMainThread && workerData?.floor !== undefined) void runFloor(workerData.floor);
