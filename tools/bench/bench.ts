import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { LoadPlan } from './load-plan.ts';
import { measureCentral } from './measure-central.ts';
import { type Measured, measureLoad } from './measure-load.ts';
import { usageOf } from './process-usage.ts';
import { askUnderRealTime } from './real-time.ts';
import {
  queueDepth,
  startAfterOutage,
  startBare,
  startCentral,
  startPlantgate,
  startQueueing,
  startWithWarehouse,
  type Target,
} from './targets.ts';
import { WarehouseReader } from './warehouse-reads.ts';

/** `npm run bench -- [--machines N] [--rate HZ] [--seconds S] [--only mqtt|http|variables|max|reconnect|silence|warehouse|forward|queueing|central] [--binary FILE] [--mqtt 3.1.1|5]` */

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string' },
    binary: { type: 'string' },
    mqtt: { type: 'string', default: '3.1.1' },
  },
});
const machines = Number(values.machines);
const ratePerMachine = Number(values.rate);
const seconds = Number(values.seconds);
const binary = values.binary ?? null;
// The process of the devices inherits it.
if (values.mqtt === '5') process.env.BENCH_MQTT_VERSION = '5';

const P99_LIMIT_MS = 50;
const FIRST_RATE = 10_000;
const MAX_STEP_FACTOR = 1.25;
const MAX_MACHINES = 5_000;
const POINTS_PER_SECOND = 20_000;

async function on(start: () => Promise<Target>, plan: (target: Target) => LoadPlan): Promise<Measured> {
  const target = await start();
  try {
    const measured = await measureLoad(target, plan(target));
    print(measured);
    return measured;
  } finally {
    await target.stop();
  }
}

function print(measured: Measured): void {
  const {
    target,
    sent,
    answered,
    p50Ms,
    p99Ms,
    p999Ms,
    maxMs,
    cpuUsPerMessage,
    cpuUsPerConnect,
    cpuUsPerReturn,
    connectSeconds,
    mibPer1000,
    loopDelay,
  } = measured;
  const columns = [
    target.padEnd(13),
    `sent ${sent}`,
    `lost ${sent - answered}`,
    `cpu/message ${cpuUsPerMessage.toFixed(1)} us`,
    `p50 ${p50Ms.toFixed(2)} ms`,
    `p99 ${p99Ms.toFixed(2)}`,
    `p99.9 ${p999Ms.toFixed(2)}`,
    `max ${maxMs.toFixed(1)}`,
    `cpu/connect ${cpuUsPerConnect.toFixed(0)} us`,
    ...(Number.isNaN(cpuUsPerReturn) ? [] : [`coming back ${cpuUsPerReturn.toFixed(0)} us`]),
    `connected in ${connectSeconds.toFixed(2)} s`,
    `${mibPer1000.toFixed(1)} MiB/1000`,
    ...(Number.isNaN(loopDelay.p99Ms)
      ? []
      : [`loop delay p99 ${loopDelay.p99Ms.toFixed(1)} ms, max ${loopDelay.maxMs.toFixed(1)}`]),
  ];
  console.log(columns.join('  '));
}

function ratios(of: Measured, to: Measured): void {
  const ratio = (pick: (measured: Measured) => number) => (pick(of) / pick(to)).toFixed(2);
  console.log(
    `  ${of.target} / ${to.target}: cpu/message ${ratio((m) => m.cpuUsPerMessage)}  p99 ${ratio((m) => m.p99Ms)}  cpu/connect ${ratio((m) => m.cpuUsPerConnect)}  coming back ${ratio((m) => m.cpuUsPerReturn)}  memory ${ratio((m) => m.mibPer1000)}`,
  );
}

async function mqtt(): Promise<void> {
  console.log(`\nMQTT: ${machines} machines at ${ratePerMachine} statuses a second, ${seconds} s`);
  const plan = ({ mqttPort }: Target): LoadPlan => ({
    kind: 'mqtt',
    port: mqttPort,
    machines,
    ratePerMachine,
    seconds,
    connectRate: 500,
    returning: true,
  });
  // Bare aedes and bare sockets speak 3.1.1 alone.
  if (values.mqtt === '5') {
    await on(() => startPlantgate(machines, binary), plan);
    return;
  }
  const floor = await on(() => startBare('bare-sockets'), plan);
  const bare = await on(() => startBare('bare-aedes'), plan);
  const own = await on(() => startPlantgate(machines, binary), plan);
  ratios(own, bare);
  ratios(own, floor);
}

/** Machines that come in one by one, stay, and report at the rate asked for. */
function steadyPlan({ mqttPort }: Target, count: number): LoadPlan {
  return {
    kind: 'mqtt',
    port: mqttPort,
    machines: count,
    ratePerMachine,
    seconds,
    connectRate: 500,
    returning: false,
  };
}

/** The number of rounds in which two targets are measured in turn. */
const ROUNDS = 3;

/**
 * HTTP-01: the bare server runs at the same time, because the computer's own speed changes from one minute to the next.
 */
async function http(): Promise<void> {
  console.log(`\nHTTP: ${machines} machines at ${ratePerMachine} statuses a second, ${seconds} s, side by side`);
  const plan = ({ httpPort }: Target): LoadPlan => ({
    kind: 'http',
    port: httpPort,
    machines,
    ratePerMachine,
    seconds,
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const [bare, own] = await Promise.all([
      on(() => startBare('bare-http'), plan),
      on(() => startPlantgate(machines, binary), plan),
    ]);
    ratios(own, bare);
  }
}

async function variables(): Promise<void> {
  console.log(`\nVariables: ${POINTS_PER_SECOND} points a second, each acknowledged after its commit, ${seconds} s`);
  await on(
    () => startPlantgate(200, binary),
    ({ mqttPort }) => ({
      kind: 'variables',
      port: mqttPort,
      machines: 200,
      ratePerMachine: POINTS_PER_SECOND / 200,
      seconds,
    }),
  );
}

/** The highest rate with p99 under the limit and nothing lost. Bare aedes ends with a stack overflow on the way there. */
async function max(): Promise<void> {
  console.log(`\nHighest rate with p99 < ${P99_LIMIT_MS} ms and nothing lost`);
  let best = 0;
  for (let perSecond = FIRST_RATE; ; perSecond *= MAX_STEP_FACTOR) {
    const measured = await on(
      () => startPlantgate(MAX_MACHINES, binary),
      ({ mqttPort }) => ({
        kind: 'mqtt',
        port: mqttPort,
        machines: MAX_MACHINES,
        ratePerMachine: perSecond / MAX_MACHINES,
        seconds: 5,
        connectRate: 1_500,
        returning: false,
      }),
    );
    if (measured.p99Ms > P99_LIMIT_MS || measured.answered < measured.sent) break;
    best = perSecond;
  }
  console.log(`  ${Math.round(best)} statuses a second`);
}

async function reconnect(): Promise<void> {
  console.log('\n5,000 devices at once');
  await on(
    () => startPlantgate(5_000, binary),
    ({ mqttPort }) => ({
      kind: 'mqtt',
      port: mqttPort,
      machines: 5_000,
      ratePerMachine: ratePerMachine,
      seconds,
      connectRate: 0,
      returning: false,
    }),
  );
}

/** DEV-10: the command comes between 10.00 and 10.25 s after the last status; the latencies are these times. */
async function silence(): Promise<void> {
  console.log('\n5,000 devices fall silent together');
  await on(
    () => startPlantgate(5_000, binary),
    ({ mqttPort }) => ({
      kind: 'silence',
      port: mqttPort,
      machines: 5_000,
      ratePerMachine: 2,
      seconds: 4,
      connectRate: 1_500,
      returning: false,
    }),
  );
}

/**
 * Latencies with a disturbance and without it, in turn within one run. On a computer with two cores one p99 is up to
 * twice another of the same kind, so the median of many windows counts.
 */
const WINDOW_SECONDS = 5;
const WINDOW_PAIRS = 10;

/** `disturb` takes a window; the one after it is undisturbed, like the first. */
async function byTurns(target: Target, count: number, disturb: (milliseconds: number) => Promise<void>): Promise<void> {
  const started = Promise.withResolvers<void>();
  const plan = {
    ...steadyPlan(target, count),
    seconds: WINDOW_SECONDS * (2 * WINDOW_PAIRS),
    windowSeconds: WINDOW_SECONDS,
  };
  const measuring = measureLoad(target, plan, started.resolve);
  await started.promise;
  const fromMs = performance.now();
  const untilMs = (window: number) => fromMs + window * WINDOW_SECONDS * 1_000 - performance.now();
  for (let pair = 0; pair < WINDOW_PAIRS; pair += 1) {
    await delay(Math.max(0, untilMs(2 * pair + 1)));
    await disturb(untilMs(2 * pair + 2));
  }
  const measured = await measuring;
  print(measured);
  const p99Ms = (isDisturbed: boolean) => measured.windowP99Ms.filter((_, index) => (index % 2 === 1) === isDisturbed);
  const told = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(' ');
  console.log(
    `  p99 of each ${WINDOW_SECONDS} s in peace: ${told(p99Ms(false))}\n  and disturbed: ${told(p99Ms(true))}`,
  );
  console.log(`  medians, disturbed / in peace: ${(median(p99Ms(true)) / median(p99Ms(false))).toFixed(2)}`);
}

/**
 * TASK-02, COIL-05: reads alone, then while machines run, whose latencies they must not change by more than a tenth.
 */
async function warehouse(): Promise<void> {
  console.log('\nA warehouse of 500,000 coils and 100,000 tasks');
  const target = await startWithWarehouse(machines, binary);
  const reader = new WarehouseReader(target);
  askUnderRealTime();
  try {
    console.log(`  ready in ${((await reader.ready()) / 1_000).toFixed(1)} s`);
    await reader.rounds();
    reader.report();
    console.log(`${machines} machines at ${ratePerMachine} statuses a second, in peace and beside questions`);
    await byTurns(target, machines, (milliseconds) => reader.askFor(milliseconds));
    reader.report();
  } finally {
    await reader.close();
    await target.stop();
  }
}

const OUTAGE = { machines: 100, statuses: 1_000_000, points: 6_000_000 };
const CENTRAL_PORT = 18_931;
/** The question delays the gateway like any request, and is not part of the measurement. */
const LOOK_MS = 2_000;

/**
 * UP-02: the queue of an outage drains while machines run, whose latencies it must not change by more than a tenth. A
 * central server that stands still takes nothing.
 */
async function forward(): Promise<void> {
  console.log(`\nAn outage of ${OUTAGE.statuses} statuses and ${OUTAGE.points} points behind it`);
  const floor = await startAfterOutage(OUTAGE, CENTRAL_PORT, binary);
  const central = await startCentral(CENTRAL_PORT, binary);
  try {
    await untilDraining(floor);
    process.kill(central.pid, 'SIGSTOP');
    const first = await queueDepth(floor);
    await byTurns(floor, OUTAGE.machines, async (milliseconds) => {
      process.kill(central.pid, 'SIGCONT');
      await delay(milliseconds);
      process.kill(central.pid, 'SIGSTOP');
    });
    const perSecond = (first - (await queueDepth(floor))) / (WINDOW_PAIRS * WINDOW_SECONDS);
    console.log(`  ${Math.round(perSecond)} records a second while the machines ran`);
  } finally {
    process.kill(central.pid, 'SIGCONT');
    await Promise.all([floor.stop(), central.stop()]);
  }
  await drain();
}

/** While the central server is away, the gateway looks for it less and less often. */
async function untilDraining(floor: Target): Promise<void> {
  const depth = await queueDepth(floor);
  while ((await queueDepth(floor)) >= depth) await delay(LOOK_MS);
}

/**
 * The speed with nothing else to do. The queue is whole again, because a status costs more than a point, and the windows
 * before leave another mixture of them each time.
 */
async function drain(): Promise<void> {
  const floor = await startAfterOutage(OUTAGE, CENTRAL_PORT, binary);
  const central = await startCentral(CENTRAL_PORT, binary);
  try {
    await untilDraining(floor);
    await measureDrain(floor, central);
  } finally {
    await Promise.all([floor.stop(), central.stop()]);
  }
}

/** Resolves when the queue is nearly empty; prints the speed. */
async function measureDrain(floor: Target, central: Target): Promise<void> {
  const from = { at: performance.now(), floor: usageOf(floor.pid), central: usageOf(central.pid) };
  const first = await queueDepth(floor);
  let left = first;
  while (left > first / 100) {
    await delay(LOOK_MS);
    left = await queueDepth(floor);
  }
  const elapsedSeconds = (performance.now() - from.at) / 1_000;
  const cpuUs = (target: Target, then: { readonly cpuUs: number }) =>
    ((usageOf(target.pid).cpuUs - then.cpuUs) / (first - left)).toFixed(1);
  console.log(
    `  ${first} waited; ${Math.round((first - left) / elapsedSeconds)} records a second; cpu/record ${cpuUs(floor, from.floor)} us here, ${cpuUs(central, from.central)} us at the central server`,
  );
}

const QUEUEING_ROUNDS = 6;
/** In a minute without the central server each machine's status is queued once (D-26). */
const QUEUEING_SECONDS = 60;

/**
 * UP-02: the extra cost of a status while the central server is away. Both gateways run at the same time, because the
 * computer's own speed changes from one minute to the next by more than this cost.
 */
async function queueing(): Promise<void> {
  console.log(
    `\n${machines} machines at ${ratePerMachine} statuses a second, ${QUEUEING_SECONDS} s: by itself, and queueing`,
  );
  const cpuRatios: number[] = [];
  for (let round = 0; round < QUEUEING_ROUNDS; round += 1) {
    // The two take turns in starting first, because the first one has another place among the processors and the load's
    // ticks.
    const starts = round % 2 === 0 ? [startPlantgate, startQueueing] : [startQueueing, startPlantgate];
    const measured = await Promise.all(
      starts.map((start) =>
        on(
          () => start(machines, binary),
          (target) => ({ ...steadyPlan(target, machines), seconds: QUEUEING_SECONDS }),
        ),
      ),
    );
    const cpuUs = (of: (typeof starts)[number]) => measured[starts.indexOf(of)]?.cpuUsPerMessage ?? Number.NaN;
    cpuRatios.push(cpuUs(startQueueing) / cpuUs(startPlantgate));
  }
  const told = cpuRatios.map((ratio) => ratio.toFixed(3)).join(', ');
  console.log(`  cpu/message queueing / by itself: ${told}; median ${median(cpuRatios).toFixed(3)}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const central = () => measureCentral(binary);
const parts = { forward, queueing, central, mqtt, http, variables, max, reconnect, silence, warehouse };
const WHEN_ASKED: readonly string[] = ['forward', 'queueing', 'central', 'max', 'reconnect', 'silence', 'warehouse'];
const chosen = Object.entries(parts).filter(([name]) =>
  values.only === undefined ? !WHEN_ASKED.includes(name) : name === values.only,
);
for (const [, part] of chosen) await part();
