import { Agent, request } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Json } from './program.ts';
import { RawDevice } from './raw-device.ts';

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
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { wellBehaved: { mqttPort, httpPort } } });
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

// The thread itself.

const INTERVAL_MS = 250;
const SETTLE_MS = 1_000;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const wrong: string[] = [];
const latencies: number[] = [];
const sentAt: number[] = [];
let asked = 0;
let uptimeMs = 0;

function status(machineId: string): string {
  const counters = { cycle: asked, goodPart: asked, badPart: 0, mSecSinceBoot: uptimeMs };
  return JSON.stringify({
    machineId,
    ...counters,
    running: true,
    machinePower: true,
    override: false,
    partId: 'P-100',
  });
}

function judge(who: string, sentAtMs: number, command: Json): void {
  latencies.push(performance.now() - sentAtMs);
  if (command.runEnabled !== true || command.message !== null || command.attentionNeeded !== false)
    wrong.push(`${who}: ${JSON.stringify(command)}`);
}

function pollOverHttp(httpPort: number): void {
  const from = performance.now();
  const post = request({ port: httpPort, method: 'POST', path: '/api/device/status', agent }, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => judge('RF-02', from, JSON.parse(text)));
  });
  post.on('error', (error) => wrong.push(`RF-02: ${error.message}`));
  post.end(status('RF-02'));
}

async function behave({ mqttPort, httpPort }: WellBehavedPlan): Promise<void> {
  const device = await RawDevice.open(mqttPort, { clientId: 'RF-01', topicRoot: 'plant1/rollformer-1' });
  device.onCommand = ({ command }) => judge('RF-01', sentAt.shift() ?? 0, command);
  device.onClosed = () => wrong.push('RF-01: cut off');
  const timer = setInterval(() => {
    uptimeMs += INTERVAL_MS;
    asked += 2;
    sentAt.push(performance.now());
    device.publish('status', status('RF-01'));
    pollOverHttp(httpPort);
  }, INTERVAL_MS);
  parentPort?.once('message', () => {
    clearInterval(timer);
    setTimeout(() => {
      device.onClosed = () => undefined;
      device.drop();
      agent.destroy();
      const slowestMs = Math.max(...latencies);
      parentPort?.postMessage({ asked, answered: latencies.length, slowestMs, wrong } satisfies WellBehavedReport);
      parentPort?.close();
    }, SETTLE_MS);
  });
}

if (!isMainThread && workerData?.wellBehaved !== undefined) void behave(workerData.wellBehaved);
