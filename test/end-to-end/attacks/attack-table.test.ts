import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LoopDelay, loopDelayOf } from '../../../tools/bench/loop-delay.ts';
import { serviceEnvironment } from '../../as-service.ts';
import { Program } from '../program.ts';
import { fleetPlant } from '../raw-device.ts';
import { ATTACKS, attackFor, EVERYTHING_AT_ONCE } from './attacks.ts';
import { Floor, type FloorReport } from './floor.ts';
import { ATTACKED_ACCOUNT } from './mqtt5-attacks.ts';

/** `npm run attack` sets both: larger attacks for longer. */
const SCALE = Number(process.env.ATTACK_SCALE ?? 1);
const ATTACK_MS = Number(process.env.ATTACK_SECONDS ?? 2) * 1_000;
const MACHINES = 200;
const INTERVAL_MS = 200;
const SETTLE_MS = 500;
const PEACE_MS = 1_000;
/** The time after an attack in which statuses must be answered as well. */
const AFTER_MS = 500;
/** In CI two processors are shared by the gateway, its machines and their attacker: the bounds are wider there. */
const IS_SHARED = SCALE === 1;
const MAX_P99_MS = IS_SHARED ? 200 : 50;
/** Two slow shared processors were seen to need 650 ms while every attack runs at once, and fast ones 150 ms. */
const MAX_P99_AT_ONCE_MS = IS_SHARED ? 750 : 50;
const MAX_GROWTH_BYTES = (IS_SHARED ? 150 : 100) * 1_048_576;
/** Beside the 90 MiB that clients fill, V8 keeps garbage of the same size until it has time to collect it. */
const MAX_GROWTH_AT_ONCE_BYTES = 250 * 1_048_576;
const MAX_STOP_MS = 5_000;
const MAX_START_MS = IS_SHARED ? 5_000 : 2_000;

const binary = path.resolve(import.meta.dirname, `../../../dist/plantgate-linux-${process.arch}`);

/** The program runs like the service. */
const environment = serviceEnvironment();

interface Row {
  readonly attack: string;
  readonly attacked: FloorReport;
  readonly unanswered: number;
  readonly growthMb: number;
  /** The delay of the event loop meanwhile. */
  readonly loop: LoopDelay;
  readonly stopMs: number;
  readonly startMs: number;
}

const table: Row[] = [];
/** The report of the floor without an attack. */
let peace: FloorReport;
let program: Program;
let floor: Floor;

function ms(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

async function startGateway(): Promise<void> {
  const plant = `${fleetPlant(MACHINES)}mqttAccounts: ${JSON.stringify([{ ...ATTACKED_ACCOUNT, read: ['plant1/#'] }])}\n`;
  program = await Program.start({ plant, binary, environment });
}

/** A gateway that failed under an attack does not meet the next one. */
async function endGateway(): Promise<void> {
  await floor.close();
  await program.end();
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return Math.round(performance.now() - from);
}

async function openFloor(): Promise<void> {
  floor = await Floor.open({ mqttPort: program.mqttPort, machines: MACHINES, intervalMs: INTERVAL_MS });
  await pause(SETTLE_MS);
  await floor.report();
}

async function reportWithoutAttack(): Promise<FloorReport> {
  await openFloor();
  await pause(PEACE_MS);
  const report = await floor.report();
  await floor.close();
  return report;
}

async function underAttack(name: string): Promise<Row> {
  const { mqttPort, httpPort } = program;
  await openFloor();
  const before = program.residentBytes();
  const target = { hasMetrics: true, httpPort };
  await loopDelayOf(target);
  const attacker = await attackFor({ name, mqttPort, httpPort, scale: SCALE, forMs: ATTACK_MS });
  const growthMb = Math.round((program.residentBytes() - before) / 1_048_576);
  const attacked = await floor.rest();
  const loop = await loopDelayOf(target);
  await pause(AFTER_MS);
  const { asked, answered } = await floor.report();
  const stopMs = await timed(() => program.stop());
  await attacker.terminate();
  await floor.close();
  const { dir } = program;
  const startMs = await timed(async () => {
    program = await Program.start({ dir, binary, environment });
  });
  return { attack: name, attacked, unanswered: asked - answered, growthMb, loop, stopMs, startMs };
}

/** Each attack meets the gateway that the attack before left, with its sessions. */
describe('attacks, 200 machines at work', () => {
  beforeAll(async () => {
    await startGateway();
    peace = await reportWithoutAttack();
  });
  beforeEach(() => (program.lives ? undefined : startGateway()));
  afterEach(({ task }) => (task.result?.state === 'fail' ? endGateway() : floor.close()));
  afterAll(async () => {
    await endGateway();
    const shown = table.map(({ attack, attacked, loop, ...rest }) => {
      const floorMs = {
        peaceP99: ms(peace.p99Ms),
        p50: ms(attacked.p50Ms),
        p99: ms(attacked.p99Ms),
        max: ms(attacked.maxMs),
      };
      return { attack, ...floorMs, loopP99: ms(loop.p99Ms), loopMax: ms(loop.maxMs), ...rest };
    });
    console.table(shown);
  });

  // These are figures of time and memory, and another program may be busy meanwhile, so a bad row is measured again.
  it.each(Object.keys(ATTACKS))(
    'D-04, D-25, MQTT-12 every status is answered in time while %s',
    { timeout: ATTACK_MS + 60_000, retry: 2 },
    async (name) => {
      const row = await underAttack(name);
      table.push(row);
      const { attacked, unanswered, growthMb, stopMs, startMs } = row;
      expect({ unanswered, wrong: attacked.wrong }).toEqual({ unanswered: 0, wrong: 0 });
      const isAtOnce = name === EVERYTHING_AT_ONCE;
      expect(attacked.p99Ms).toBeLessThan(Math.max(3 * peace.p99Ms, isAtOnce ? MAX_P99_AT_ONCE_MS : MAX_P99_MS));
      const maxGrowthBytes = isAtOnce ? MAX_GROWTH_AT_ONCE_BYTES : MAX_GROWTH_BYTES;
      expect(growthMb * 1_048_576).toBeLessThan(maxGrowthBytes);
      expect(stopMs).toBeLessThan(MAX_STOP_MS);
      expect(startMs).toBeLessThan(MAX_START_MS);
    },
  );
});
