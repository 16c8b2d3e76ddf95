import { Agent, request } from 'node:http';
import { Latencies } from './latencies.ts';
import { LoadDevice } from './load-device.ts';
import { type LoadEvent, type LoadPlan, type LoadResult, statusJson } from './load-plan.ts';

/** Open loop: a late send counts as latency, so a slow server cannot slow down its own measurement. */

const TICK_MS = 1;
/** The bench measures the cost of a server that runs for months, not of its first statuses before they are compiled. */
const WARM_UP_SECONDS = 10;
const AWAY_MS = 1_000;
const DRAIN_MS = 3_000;
const SILENCE_MS = 12_000;

interface Sender {
  /** Sends one message; the latency counts from `plannedMs`. */
  send(index: number, number: number, plannedMs: number): void;
}

function tell(event: LoadEvent): void {
  process.send?.(event);
}

/** Sends `perSecond` messages a second in all, round robin over the machines, each at its planned moment. */
async function drive(sender: Sender, machines: number, perSecond: number, seconds: number): Promise<number> {
  const from = performance.now();
  const total = Math.round(perSecond * seconds);
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - from) / 1_000) * perSecond) + 1);
    for (; sent < due; sent++) {
      sender.send(sent % machines, Math.floor(sent / machines), from + (sent / perSecond) * 1_000);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  return sent;
}

async function measure(sender: Sender, measured: Measurement, plan: LoadPlan): Promise<LoadResult> {
  const perSecond = plan.machines * plan.ratePerMachine;
  await drive(sender, plan.machines, perSecond, WARM_UP_SECONDS);
  measured.begin();
  tell({ event: 'measuring' });
  const sent = await drive(sender, plan.machines, perSecond, plan.seconds);
  const deadline = performance.now() + DRAIN_MS;
  while (measured.latencies.count < sent && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10));
  tell({ event: 'driven' });
  return resultOf(sent, measured.latencies, measured.windows);
}

function resultOf(sent: number, latencies: Latencies, windows: readonly Latencies[] = []): LoadResult {
  const [p50Ms, p99Ms, p999Ms, maxMs] = latencies.quantiles([0.5, 0.99, 0.999, 1]);
  const windowP99Ms = windows.map((window) => window.quantiles([0.99])[0]);
  return { sent, answered: latencies.count, p50Ms, p99Ms, p999Ms, maxMs, windowP99Ms };
}

/** A measurement of the messages planned after `begin`: answers to earlier ones do not count. */
class Measurement {
  readonly latencies = new Latencies();
  readonly windows: Latencies[] = [];
  readonly #windowMs: number;
  #fromMs = Number.POSITIVE_INFINITY;

  constructor(windowSeconds = Number.POSITIVE_INFINITY) {
    this.#windowMs = windowSeconds * 1_000;
  }

  begin(): void {
    this.#fromMs = performance.now();
  }

  answered(plannedMs: number | undefined): void {
    if (plannedMs === undefined || plannedMs < this.#fromMs) return;
    const latencyMs = performance.now() - plannedMs;
    this.latencies.add(latencyMs);
    const index = Math.floor((plannedMs - this.#fromMs) / this.#windowMs);
    this.windows[index] ??= new Latencies();
    this.windows[index].add(latencyMs);
  }
}

type MqttPlan = Extract<LoadPlan, { port: number; kind: 'mqtt' | 'silence' | 'variables' }>;

async function connectDevices(
  plan: MqttPlan,
  listener: (index: number) => ConstructorParameters<typeof LoadDevice>[2],
): Promise<readonly LoadDevice[]> {
  const from = performance.now();
  const connectRate = plan.kind === 'variables' ? 500 : plan.connectRate;
  const devices: LoadDevice[] = [];
  for (let index = 0; index < plan.machines; index++) {
    devices.push(new LoadDevice(index, plan.port, listener(index)));
    const aheadMs = connectRate === 0 ? 0 : (index / connectRate) * 1_000 - (performance.now() - from);
    if (aheadMs > 1) await new Promise((resolve) => setTimeout(resolve, aheadMs));
  }
  await Promise.all(devices.map((device) => device.ready()));
  return devices;
}

async function connectFirst(...of: Parameters<typeof connectDevices>): Promise<readonly LoadDevice[]> {
  const from = performance.now();
  const devices = await connectDevices(...of);
  tell({ event: 'connected', milliseconds: performance.now() - from });
  return devices;
}

async function comeBack(plan: MqttPlan, devices: readonly LoadDevice[]): Promise<void> {
  for (const device of devices) device.close();
  await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
  tell({ event: 'returning' });
  await connectDevices(plan, () => ({ command: () => undefined, puback: () => undefined }));
  tell({ event: 'returned' });
}

async function overMqtt(plan: MqttPlan): Promise<LoadResult> {
  const waiting: number[][] = Array.from({ length: plan.machines }, () => []);
  const measured = new Measurement('windowSeconds' in plan ? plan.windowSeconds : undefined);
  const arrived = (index: number) => () => measured.answered(waiting[index]?.shift());
  const devices = await connectFirst(plan, (index) =>
    plan.kind === 'mqtt'
      ? { command: arrived(index), puback: () => undefined }
      : { command: () => undefined, puback: arrived(index) },
  );
  // Without messages to send the plan was only to connect.
  if (plan.seconds === 0) return resultOf(0, new Latencies());
  const send = (index: number, number: number, plannedMs: number) => {
    waiting[index]?.push(plannedMs);
    if (plan.kind === 'mqtt') devices[index]?.publish('status', statusJson(index, number));
    else devices[index]?.publish('vars/speed', String(number + 0.5));
  };
  const result = await measure({ send }, measured, plan);
  if (plan.kind === 'mqtt' && plan.returning) await comeBack(plan, devices);
  return result;
}

/** The wait of each device, from its last status until the command that it does not respond. */
async function untilToldOfSilence(plan: MqttPlan): Promise<LoadResult> {
  const sentMs = new Float64Array(plan.machines);
  const toldMs = new Float64Array(plan.machines);
  const devices = await connectFirst(plan, (index) => ({
    command: () => {
      toldMs[index] = performance.now();
    },
    puback: () => undefined,
  }));
  const send = (index: number, number: number) => {
    sentMs[index] = performance.now();
    devices[index]?.publish('status', statusJson(index, number));
  };
  tell({ event: 'measuring' });
  await drive({ send }, plan.machines, plan.machines * plan.ratePerMachine, plan.seconds);
  tell({ event: 'driven' });
  await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
  const latencies = new Latencies();
  for (const [index, at] of toldMs.entries()) {
    const waitedMs = at - (sentMs[index] ?? 0);
    if (waitedMs > SILENCE_MS / 2) latencies.add(waitedMs);
  }
  return resultOf(plan.machines, latencies);
}

async function overHttp(plan: LoadPlan): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: plan.machines });
  const measured = new Measurement();
  const send = (index: number, number: number, plannedMs: number) => {
    const body = statusJson(index, number);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(
      { port: plan.port, host: '127.0.0.1', method: 'POST', path: '/api/device/status', agent, headers },
      (response) => {
        response.resume();
        response.on('end', () => response.statusCode === 200 && measured.answered(plannedMs));
      },
    );
    call.on('error', (error) => process.stderr.write(`request failed: ${error.message}\n`));
    call.end(body);
  };
  tell({ event: 'connected', milliseconds: 0 });
  return measure({ send }, measured, plan);
}

function run(plan: LoadPlan): Promise<LoadResult> {
  if (plan.kind === 'http') return overHttp(plan);
  return plan.kind === 'silence' ? untilToldOfSilence(plan) : overMqtt(plan);
}

process.on('message', async (plan: LoadPlan) => {
  const result = await run(plan);
  tell({ event: 'measured', result });
  // The devices stay connected until the parent has looked at memory.
  process.on('message', () => process.exit(0));
});
