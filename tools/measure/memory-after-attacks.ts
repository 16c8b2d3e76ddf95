import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { serviceEnvironment } from '../../test/as-service.ts';
import { ATTACKS, attackFor } from '../../test/end-to-end/attacks/attacks.ts';
import { Floor } from '../../test/end-to-end/attacks/floor.ts';
import { Program } from '../../test/end-to-end/program.ts';
import { fleetPlant } from '../../test/end-to-end/raw-device.ts';
import { usageOf } from '../bench/process-usage.ts';

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

/** After this time a gateway at work uses its usual memory. */
const WARM_UP_MS = 45_000;
const ATTACK_MS = 15_000;
const LOOK_EVERY_MS = 30_000;
const LOOKS = [1, 2, 3];
/** The last answers arrive within this time. */
const LAST_ANSWERS_MS = 1_000;

const root = path.resolve(import.meta.dirname, '../..');

async function attack({ mqttPort, httpPort }: Program, name: string): Promise<void> {
  const worker = await attackFor({ name, mqttPort, httpPort, scale: Number(values.scale), forMs: ATTACK_MS });
  await worker.terminate();
}

/** The memory in MiB before, right after and some time after the attack, then the number of unanswered statuses. */
async function measure(name: string, program: Program, floor: Floor): Promise<readonly string[]> {
  const { pid } = program.process;
  if (pid === undefined) throw new Error('the gateway did not start');
  const memory = () => usageOf(pid).residentMiB.toFixed(0);
  await delay(WARM_UP_MS);
  const figures = [memory()];
  await attack(program, name);
  figures.push(memory());
  for (const _ of LOOKS) {
    await delay(LOOK_EVERY_MS);
    figures.push(memory());
  }
  await floor.rest();
  await delay(LAST_ANSWERS_MS);
  const { asked, answered } = await floor.report();
  return [...figures, String(asked - answered)];
}

async function measureAlone(name: string): Promise<readonly string[]> {
  const program = await Program.start({
    plant: fleetPlant(machines),
    binary: path.resolve(root, values.binary),
    environment: serviceEnvironment(),
  });
  try {
    const floor = await Floor.open({ mqttPort: program.mqttPort, machines, intervalMs: 1_000 / Number(values.rate) });
    return await measure(name, program, floor).finally(() => floor.close());
  } finally {
    await program.end();
  }
}

const print = (cells: readonly string[], name: string) =>
  console.log(`${cells.map((cell) => cell.padStart(8)).join('')}  ${name}`);

const chosen = Object.keys(ATTACKS).filter((name) => name.includes(values.only));
if (chosen.length === 0) throw new Error(`no attack has '${values.only}' in its name`);
console.log(
  `${machines} machines at ${values.rate} Hz, attacks of ${ATTACK_MS / 1_000} s at ${values.scale} of their strength`,
);
print(['before', 'end', ...LOOKS.map((look) => `${(look * LOOK_EVERY_MS) / 1_000} s`), 'lost'], 'attack');
for (const name of chosen) print(await measureAlone(name), name);
