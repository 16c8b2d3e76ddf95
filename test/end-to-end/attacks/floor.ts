import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

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
    const worker = new Worker(new URL('./floor-thread.ts', import.meta.url), { workerData: plan });
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
