import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { samplePlant } from '../../src/simulator/plant/sample-plant.ts';
import { serviceEnvironment } from '../../test/as-service.ts';
import { Program } from '../../test/end-to-end/program.ts';
import { usageOf } from '../bench/process-usage.ts';

/**
 * `npm run measure:sizing [-- --sizes 10,100,500,1000] [--rate HZ] [--seconds N]`: the binary with the machines of the
 * sample plant. It prints processor, memory and disk for the sizing table of docs/operate.md.
 */

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10,100,500,1000' },
    rate: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '300' },
  },
});

const WARM_UP_MS = 30_000;
const MONTH_SECONDS = 30 * 86_400;
const binary = path.resolve(import.meta.dirname, `../../dist/plantgate-linux-${process.arch}`);

interface Size {
  readonly machines: number;
  /** 100: one processor is busy all the time. */
  readonly processorPercent: number;
  readonly residentMiB: number;
  readonly recordsPerSecond: number;
  readonly diskMiBPerDay: number;
  readonly diskGiBPerMonth: number;
}

interface Store {
  readonly bytes: number;
  readonly records: number;
}

async function storeOf({ httpPort }: Program): Promise<Store> {
  const text = await (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN);
  return { bytes: figure('plantgate_store_database_bytes'), records: figure('plantgate_store_records_total') };
}

function simulate({ httpPort, mqttPort }: Program, machines: number): ChildProcess {
  const addresses = ['--url', `http://127.0.0.1:${httpPort}`, '--mqtt', `mqtt://127.0.0.1:${mqttPort}`];
  const words = ['simulate', ...addresses, '--machines', String(machines), '--rate', values.rate];
  return spawn(binary, words, { stdio: 'ignore', env: serviceEnvironment() });
}

/** The growth of the database is uneven: points are packed when many have come. So the window should be minutes. */
async function measure(machines: number): Promise<Size> {
  const program = await Program.start({ plant: samplePlant(machines), binary, environment: serviceEnvironment() });
  const simulation = simulate(program, machines);
  try {
    await delay(WARM_UP_MS);
    const pid = program.process.pid ?? 0;
    const before = { ...usageOf(pid), ...(await storeOf(program)), atMs: performance.now() };
    await delay(Number(values.seconds) * 1_000);
    const after = { ...usageOf(pid), ...(await storeOf(program)) };
    const seconds = (performance.now() - before.atMs) / 1_000;
    const bytesPerSecond = (after.bytes - before.bytes) / seconds;
    return {
      machines,
      processorPercent: (after.cpuUs - before.cpuUs) / seconds / 10_000,
      residentMiB: after.residentMiB,
      recordsPerSecond: (after.records - before.records) / seconds,
      diskMiBPerDay: (bytesPerSecond * 86_400) / 2 ** 20,
      diskGiBPerMonth: (bytesPerSecond * MONTH_SECONDS) / 2 ** 30,
    };
  } finally {
    simulation.kill();
    await once(simulation, 'exit');
    await program.stop();
    program.cleanUp();
  }
}

console.log(`${cpus()[0]?.model}, ${availableParallelism()} processors; ${values.rate} Hz, ${values.seconds} s each`);
const sizes: Size[] = [];
for (const machines of values.sizes.split(',').map(Number)) sizes.push(await measure(machines));
console.table(
  sizes.map((size) =>
    Object.fromEntries(Object.entries(size).map(([name, figure]) => [name, Number(figure.toFixed(1))])),
  ),
);
