import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { usageOf } from '../bench/process-usage.ts';
import { ATTACKS } from '../end-to-end/attacks/attacks.ts';
import { Floor } from '../end-to-end/attacks/floor.ts';
import { fleetPlant } from '../end-to-end/fleet.ts';
import { Program } from '../end-to-end/program.ts';
import { serviceEnvironment } from '../end-to-end/service-environment.ts';

/**
 * `npm run measure:memory [-- --machines N] [--rate HZ] [--scale PART] [--only TEXT] [--binary FILE]`: the memory before
 * and after each attack, in MiB. Each attack meets a gateway of its own, with machines at work all the time.
 */

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '500' },
    rate: { type: 'string', default: '2' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    binary: { type: 'string', default: `dist/plantgate-linux-${process.arch}` },
  },
});
const machines = Number(values.machines);
const intervalMs = 1_000 / Number(values.rate);

/** A gateway at work has its usual memory by then. */
const WARM_UP_MS = 45_000;
const ATTACK_MS = 15_000;
const LOOK_EVERY_MS = 30_000;
const LOOKS = 3;

const root = path.resolve(import.meta.dirname, '../..');
const attackerThread = new URL('../end-to-end/attacks/attacker-thread.ts', import.meta.url);

async function attack({ mqttPort, httpPort }: Program, name: string): Promise<void> {
  const workerData = { name, mqttPort, httpPort, scale: Number(values.scale), forMs: ATTACK_MS };
  const worker = new Worker(attackerThread, { workerData });
  await once(worker, 'message');
  await worker.terminate();
}

async function measure(name: string): Promise<string> {
  const program = await Program.start({
    plant: fleetPlant(machines),
    binary: path.resolve(root, values.binary),
    environment: serviceEnvironment(),
  });
  const memory = () =>
    usageOf(program.process.pid ?? 0)
      .residentMiB.toFixed(0)
      .padStart(6);
  const floor = await Floor.open({ mqttPort: program.mqttPort, machines, intervalMs });
  try {
    await delay(WARM_UP_MS);
    const figures = [memory()];
    await attack(program, name);
    figures.push(memory());
    for (let look = 0; look < LOOKS; look++) {
      await delay(LOOK_EVERY_MS);
      figures.push(memory());
    }
    await floor.rest();
    const { asked, answered } = await floor.report();
    return `${figures.join('')}${String(asked - answered).padStart(12)}  ${name}`;
  } finally {
    await floor.close();
    await program.kill();
    program.cleanUp();
  }
}

console.log(
  `${machines} machines at ${values.rate} Hz, attacks of ${ATTACK_MS / 1_000} s at ${values.scale} of their strength`,
);
console.log('before   end  30 s  60 s  90 s  unanswered');
for (const name of Object.keys(ATTACKS)) {
  if (name.includes(values.only)) console.log(await measure(name));
}
