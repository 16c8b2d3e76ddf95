import { Worker } from 'node:worker_threads';

export interface WellBehavedPlan {
  readonly mqttPort: number;
  readonly httpPort: number;
}

/** The results of two ordinary machines, one over MQTT and one over HTTP: their answers of all requests. */
export interface WellBehavedReport {
  readonly asked: number;
  readonly answered: number;
  readonly slowestMs: number;
  /** Answers that were not the right decision, and lost connections. */
  readonly wrong: readonly string[];
}

/** RF-01 over MQTT and RF-02 over HTTP, on a separate thread so that the test itself does not delay their clocks. */
export class WellBehavedMachines {
  readonly #worker: Worker;

  constructor({ mqttPort, httpPort }: WellBehavedPlan) {
    const workerData: WellBehavedPlan = { mqttPort, httpPort };
    this.#worker = new Worker(new URL('./well-behaved-thread.ts', import.meta.url), { workerData });
  }

  /** Ends them; gives their report. */
  async finish(): Promise<WellBehavedReport> {
    const report = new Promise<WellBehavedReport>((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
    });
    this.#worker.postMessage('finish');
    return report;
  }
}
