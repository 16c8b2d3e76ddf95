import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { serviceEnvironment } from '../../test/as-service.ts';
import { connectPacket, opened, publishPacket, sent } from '../../test/end-to-end/attacks/attack-scene.ts';
import { ATTACKS, attackFor, EVERYTHING_AT_ONCE } from '../../test/end-to-end/attacks/attacks.ts';
import { Floor } from '../../test/end-to-end/attacks/floor.ts';
import { Program } from '../../test/end-to-end/program.ts';
import { fleetPlant, fleetTopicRoot } from '../../test/end-to-end/raw-device.ts';
import { type CentralManner, CentralServer } from '../../test/fakes/central-server.ts';
import { usageOf } from '../bench/process-usage.ts';
import { type MemorySample, memoryChart, slopeText, trend } from './memory-chart.ts';

/**
 * `npm run soak [-- --minutes N] [--machines N] [--rate HZ] [--scale PART] [--warm-up MINUTES] [--rest MINUTES]
 * [--pause SECONDS]`: machines at work, and faults until the rest, one right after the other or with a pause after each;
 * memory as a curve, `dist/soak.svg`.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    machines: { type: 'string', default: '500' },
    rate: { type: 'string', default: '2' },
    scale: { type: 'string', default: '0.2' },
    'warm-up': { type: 'string', default: '5' },
    rest: { type: 'string', default: '0' },
    pause: { type: 'string', default: '0' },
    out: { type: 'string', default: 'dist' },
  },
});
const minutes = Number(values.minutes);
const machines = Number(values.machines);
const scale = Number(values.scale);
const warmUpMinutes = Number(values['warm-up']);
const pauseMs = Number(values.pause) * 1_000;

const SAMPLE_MS = 5_000;
const SAMPLES_A_WRITE = 12;
const ASK_MS = 3_000;
const FAULT_MS = 15_000;
const MANNERS: readonly CentralManner[] = [
  'works',
  'fails',
  'works',
  'hangs',
  'doesThenCuts',
  'works',
  'talksNonsense',
];
/** The faults, which come one by one. `npm run attack` also has the one that combines them. */
const FAULTS = Object.keys(ATTACKS).filter((name) => name !== EVERYTHING_AT_ONCE);
/** Names the pause behind a fault. */
const AFTER = 'after: ';
const BROKEN = ['{"running":', 'null', '[]', '{"machineId":7}', '\u0000\u0001', '{"cycle":"many","goodPart":-1}'];

const root = path.resolve(import.meta.dirname, '../..');
const central = new CentralServer();
const endsAt = performance.now() + minutes * 60_000;
const faultsEndAt = endsAt - Number(values.rest) * 60_000;
const isOver = () => performance.now() >= endsAt;
const rests = () => performance.now() >= faultsEndAt;
let fault = 'none';
/** The reasons why `/metrics` did not answer. */
const failedQuestions: string[] = [];

/** Changes the central server's manner with each fault, and stops it now and then. */
async function changeManner(number: number): Promise<void> {
  const manner = MANNERS[number % MANNERS.length] ?? 'works';
  central.manner = () => manner;
  // Its list of requests is for tests, and would grow here.
  central.requests.length = 0;
  if (number % 6 === 5) await central.stop();
  else if (number % 6 === 0 && number > 0) await central.start();
}

async function attack({ mqttPort, httpPort }: Program): Promise<void> {
  for (let number = 0; !rests(); number++) {
    fault = FAULTS[number % FAULTS.length] ?? '';
    await changeManner(number);
    const worker = await attackFor({ name: fault, mqttPort, httpPort, scale, forMs: FAULT_MS });
    await worker.terminate();
    if (pauseMs === 0) continue;
    fault = `${AFTER}${fault}`;
    await delay(pauseMs);
  }
  fault = 'none';
}

/** The memory at the end of each pause, by the fault before it. */
function tellPauses(samples: readonly MemorySample[]): void {
  const atEnd = samples.filter(({ fault }, index) => fault.startsWith(AFTER) && fault !== samples[index + 1]?.fault);
  for (const { fault, residentMiB } of atEnd) console.log(`  ${residentMiB.toFixed(1).padStart(6)} MiB ${fault}`);
}

/** Publishes malformed statuses on the topics of machines, from clients that are cut off in the middle. */
async function babble({ mqttPort }: Program): Promise<void> {
  for (let number = 0; !rests(); number++) {
    const socket = await opened(mqttPort, connectPacket(`babbler-${number % 20}`));
    for (const [index, text] of BROKEN.entries()) {
      const topic = `${fleetTopicRoot((number + index) % machines)}/${index % 2 === 0 ? 'status' : 'vars/lineSpeed'}`;
      await sent(socket, publishPacket(topic, text, 1, index + 1));
    }
    await delay(200);
    socket.destroy();
  }
}

type HeapSample = Pick<MemorySample, 'heapMiB' | 'heapPagesMiB' | 'externalMiB'>;

const NO_HEAP: HeapSample = { heapMiB: 0, heapPagesMiB: 0, externalMiB: 0 };

async function heapOf(program: Program): Promise<HeapSample> {
  const answer = await fetch(`http://127.0.0.1:${program.httpPort}/metrics`, { signal: AbortSignal.timeout(ASK_MS) });
  const text = await answer.text();
  const mib = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN) / 2 ** 20;
  return {
    heapMiB: mib('nodejs_heap_size_used_bytes'),
    heapPagesMiB: mib('nodejs_heap_size_total_bytes'),
    externalMiB: mib('nodejs_external_memory_bytes'),
  };
}

async function sample(program: Program, floor: Floor, samples: MemorySample[]): Promise<void> {
  const from = performance.now();
  let before = { cpuUs: usageOf(program.process.pid ?? 0).cpuUs, atMs: from };
  while (!isOver()) {
    await delay(SAMPLE_MS);
    if (!program.lives) throw new Error(`the gateway ended:\n${program.log.slice(-10).join('\n')}`);
    const { residentMiB, cpuUs } = usageOf(program.process.pid ?? 0);
    const now = { cpuUs, atMs: performance.now() };
    const processors = (now.cpuUs - before.cpuUs) / 1_000 / (now.atMs - before.atMs);
    before = now;
    // An attack may cost this question its answer; the next question has one.
    const heap = await heapOf(program).catch((error: Error): HeapSample => {
      failedQuestions.push(error.message);
      return samples.at(-1) ?? NO_HEAP;
    });
    const { asked, answered } = await floor.report();
    const minutes = (performance.now() - from) / 60_000;
    const { heapMiB, heapPagesMiB, externalMiB } = heap;
    samples.push({
      ...{ minutes, residentMiB, heapMiB, heapPagesMiB, externalMiB, processors },
      ...{ unanswered: asked - answered, fault },
    });
    // A soak that is cut off keeps its curve.
    if (samples.length % SAMPLES_A_WRITE === 0) write(samples);
  }
}

function write(samples: readonly MemorySample[]): void {
  const out = path.resolve(root, values.out);
  mkdirSync(out, { recursive: true });
  writeFileSync(path.join(out, 'soak.svg'), memoryChart(samples, warmUpMinutes));
  const rows = samples.map(({ fault, ...numbers }) => {
    const { minutes, residentMiB, heapMiB, heapPagesMiB, externalMiB, processors, unanswered } = numbers;
    const memory = [residentMiB, heapMiB, heapPagesMiB, externalMiB].map((mib) => mib.toFixed(1));
    return [minutes.toFixed(2), ...memory, processors.toFixed(2), unanswered, `"${fault}"`].join();
  });
  const names = 'minutes,residentMiB,heapMiB,heapPagesMiB,externalMiB,processors,unanswered,fault';
  writeFileSync(path.join(out, 'soak.csv'), `${names}\n${rows.join('\n')}\n`);
}

await central.start();
const program = await Program.start({
  plant: fleetPlant(machines),
  settings: `upstream: { url: "${central.url}", apiKey: central-key, timeoutSeconds: 5 }\n`,
  binary: path.join(root, `dist/plantgate-linux-${process.arch}`),
  environment: serviceEnvironment(),
});
const floor = await Floor.open({ mqttPort: program.mqttPort, machines, intervalMs: 1_000 / Number(values.rate) });
const samples: MemorySample[] = [];
try {
  await Promise.all([attack(program), babble(program), sample(program, floor, samples)]);
  await floor.rest();
  await delay(1_000);
  const { asked, answered, wrong, p99Ms } = await floor.report();
  write(samples);
  const told = program.log.filter((line) => !line.includes('"level":"info"'));
  writeFileSync(path.resolve(root, values.out, 'soak.log'), `${told.join('\n')}\n`);
  console.log(
    `${cpus()[0]?.model}, ${availableParallelism()} processors; ${machines} machines at ${values.rate} Hz, ${minutes} min`,
  );
  console.log(
    `  statuses ${asked}, unanswered ${asked - answered}, told wrongly ${wrong}, p99 of the last moments ${p99Ms.toFixed(1)} ms`,
  );
  console.log(`  questions for the heap without an answer: ${failedQuestions.length}`);
  console.log(`  resident ${slopeText(trend(samples, 'residentMiB', warmUpMinutes))}`);
  console.log(`  heap in use ${slopeText(trend(samples, 'heapMiB', warmUpMinutes))}`);
  tellPauses(samples);
  const from = performance.now();
  const code = await program.stop();
  console.log(`  SIGTERM: exit ${code} after ${((performance.now() - from) / 1_000).toFixed(1)} s`);
} finally {
  await floor.close();
  await program.kill();
  await central.stop();
  program.cleanUp();
}
