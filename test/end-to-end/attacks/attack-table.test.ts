import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { fleetPlant } from '../fleet.ts';
import { Program } from '../program.ts';
import { pause } from './attacker.ts';
import { Floor, type FloorReport } from './floor.ts';
import { MQTT_ATTACKS } from './mqtt-attacks.ts';

/** `npm run attack` sets both: larger attacks for longer. */
const SCALE = Number(process.env.ATTACK_SCALE ?? 1);
const ATTACK_MS = Number(process.env.ATTACK_SECONDS ?? 4) * 1_000;
const MACHINES = 200;
const INTERVAL_MS = 200;
const PEACE_MS = 2_000;
const MAX_P99_MS = 50;
const MAX_GROWTH_BYTES = 100 * 1_048_576;
const MAX_STOP_MS = 5_000;
const MAX_START_MS = 2_000;

const binary = path.resolve(import.meta.dirname, `../../../dist/plantgate-linux-${process.arch}`);

interface Row {
  readonly attack: string;
  readonly peace: FloorReport;
  readonly attacked: FloorReport;
  readonly unanswered: number;
  readonly growthMb: number;
  readonly stopMs: number;
  readonly startMs: number;
}

const table: Row[] = [];
let program: Program;
let floor: Floor;

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return Math.round(performance.now() - from);
}

async function underAttack(name: string): Promise<Row> {
  program = await Program.start({ plant: fleetPlant(MACHINES), binary });
  const { mqttPort, httpPort } = program;
  floor = await Floor.open({ mqttPort, machines: MACHINES, intervalMs: INTERVAL_MS });
  await pause(PEACE_MS / 2);
  await floor.report();
  await pause(PEACE_MS);
  const peace = await floor.report();
  const before = program.residentBytes();
  const workerData = { name, mqttPort, httpPort, scale: SCALE, forMs: ATTACK_MS };
  const attacker = new Worker(new URL('./attacker-thread.ts', import.meta.url), { workerData });
  await once(attacker, 'message');
  const growthMb = Math.round((program.residentBytes() - before) / 1_048_576);
  const attacked = await floor.rest();
  await pause(1_000);
  const { asked, answered } = await floor.report();
  const stopMs = await timed(() => program.stop());
  await attacker.terminate();
  await floor.close();
  const { dir } = program;
  const startMs = await timed(async () => {
    program = await Program.start({ dir, binary });
  });
  return { attack: name, peace, attacked, unanswered: asked - answered, growthMb, stopMs, startMs };
}

describe('attacks by MQTT clients, 200 machines at work', () => {
  afterEach(async () => {
    await floor.close();
    await program.kill();
    program.cleanUp();
  });
  afterAll(() => {
    const shown = table.map(({ attack, peace, attacked, ...rest }) => {
      const times = {
        peaceP99: peace.p99Ms.toFixed(1),
        p50: attacked.p50Ms.toFixed(1),
        max: attacked.maxMs.toFixed(0),
      };
      return { attack, ...times, wrong: attacked.wrong, ...rest };
    });
    console.table(shown);
  });

  it.each(Object.keys(MQTT_ATTACKS))(
    'D-04, MQTT-12 every status is answered in time while %s',
    async (name) => {
      const row = await underAttack(name);
      table.push(row);
      const { peace, attacked, unanswered, growthMb, stopMs, startMs } = row;
      expect({ unanswered, wrong: attacked.wrong }).toEqual({ unanswered: 0, wrong: 0 });
      expect(attacked.p99Ms).toBeLessThan(Math.max(3 * peace.p99Ms, MAX_P99_MS));
      expect(growthMb * 1_048_576).toBeLessThan(MAX_GROWTH_BYTES);
      expect(stopMs).toBeLessThan(MAX_STOP_MS);
      expect(startMs).toBeLessThan(MAX_START_MS);
    },
    ATTACK_MS + 60_000,
  );
});
