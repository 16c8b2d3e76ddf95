import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { oneOf, seededRandom } from '../../../src/simulator/random.ts';
import { LocalPostgres } from '../../../tools/postgres/local-postgres.ts';
import { randomFaults } from '../../fakes/bad-line.ts';
import { announceSeed, FAULT_ROUNDS } from '../../rounds.ts';
import type { Json } from '../program.ts';
import { keyOf, warehousePlant } from '../warehouse-plant.ts';
import { LOTS } from './crew.ts';
import {
  DISTURBANCES,
  type Disturbance,
  DRAINED_WITHIN_MS,
  GATEWAY_ID,
  PACE,
  Restarting,
  ROUND_TIMEOUT_MS,
  Scene,
  SHIFTS,
} from './scene.ts';

/** The share of the connections that the line disturbs. */
const FAULT_RATE = 0.4;
const DATABASE_AWAY_MS = 300;
/** Totals go to disk once a minute of the gateway's clock; the state, which also holds them, goes at once. */
const TOTALS_WITHIN_MS = 150_000 / PACE.times;
const EVER = 'from=1970-01-02T00:00:00Z&to=2099-01-01T00:00:00Z';
/** The events, and the program that they happen to; an event that is listed twice happens twice as often. */
const EVENTS: readonly (readonly [Disturbance | 'lineDown' | 'databaseStops', 'here' | 'there' | 'both'])[] = [
  ['plugPulled', 'here'],
  ['plugPulled', 'here'],
  ['plugPulled', 'there'],
  ['plugPulled', 'both'],
  ['storeCrashes', 'here'],
  ['storeCrashes', 'there'],
  ['diskStalls', 'here'],
  ['diskFull', 'here'],
  ['diskFull', 'there'],
  ['clockJumps', 'here'],
  ['lineDown', 'here'],
];

const seed = announceSeed('forward to a plantgate');
const random = seededRandom(seed);
const tasks = LOTS.map(({ taskId }) => ({ taskId, taskState: 'Ready' as const }));
let events = EVENTS;
let database: LocalPostgres | null = null;
let central: Restarting;
let scene: Scene;

async function disturb(): Promise<string> {
  const [what, where] = oneOf<(typeof EVENTS)[number]>(['nothing', 'here'], events, random);
  if (what === 'lineDown') await scene.lineDown();
  else if (what === 'databaseStops') await databaseStops();
  else {
    const programs = { here: [scene.floor], there: [central], both: [scene.floor, central] }[where];
    await Promise.all(programs.map((program) => DISTURBANCES[what](program, random)));
  }
  return `${what} ${where}`;
}

async function checkOrders(): Promise<void> {
  const [here, there] = await Promise.all([Scene.ordersOf(scene.floor), Scene.ordersOf(central)]);
  expect(there).toEqual(here);
  for (const [documentID, ledger] of scene.crew.office.orders) {
    expect(ledger.possible, documentID).toContain(there.get(documentID) ?? null);
  }
}

async function centralLot(taskId: string, coilId: string): Promise<readonly Json[]> {
  const { running } = central;
  return [
    (await running.api('GET', `/plant/tasks/${taskId}`)).body,
    (await running.api('GET', `/plant/coils/${coilId}`)).body,
  ];
}

/**
 * A task without its dates: if the central server dated an operation itself, the mirror brings the date a little later.
 */
function undated([{ availableDate, startedDate, completedDate, ...task }, coil]: readonly Json[]): Json {
  return { task, coil };
}

/** Unconfirmed acts settle by themselves. */
async function checkTasks(): Promise<void> {
  for (const { taskId, coilId, possible } of scene.crew.drivers) {
    const there = undated(await centralLot(taskId, coilId));
    await expect
      .poll(async () => undated(await scene.lot(taskId, coilId)), { timeout: DRAINED_WITHIN_MS, message: taskId })
      .toEqual(there);
    expect(possible, taskId).toContain(there.task.taskState);
  }
}

async function checkProfiles(): Promise<void> {
  const { created, profiles } = scene.crew.designer;
  const { body: listed } = await central.running.api('GET', '/plant/profiles?take=1000');
  const names: string[] = listed.map(({ profileName }: Json) => profileName);
  for (const [profileId, { name, says }] of profiles) {
    const found = listed.find((profile: Json) => profile.profileId === profileId);
    expect(says.possible, profileId).toContain(found?.description ?? 'archived');
    if (found === undefined) names.push(name);
  }
  expect(created.faults(names)).toEqual([]);
}

/** The ids of downtimes, and whether each lasts. A record sent before the clock was corrected keeps its time. */
function stateOf(downtimes: readonly Json[]): ReadonlyMap<string, boolean> {
  return new Map(downtimes.map(({ downtimeId, endedAt }) => [downtimeId, endedAt === null]));
}

async function checkMachines(): Promise<void> {
  for (const { machineId, points } of scene.crew.machines) {
    const here = (place: string) => scene.floor.running.api('GET', `/machines/${machineId}/${place}`);
    const there = (place: string) =>
      central.running.api('GET', `/gateways/${GATEWAY_ID}/machines/${machineId}/${place}`);
    for (const [where, look] of Object.entries({ here, there })) {
      const { points: found } = (await look(`variables/lineSpeed?${EVER}`)).body;
      const values = found.map(({ value }: Json) => String(value));
      expect(points.faults(values), `${machineId} ${where}`).toEqual([]);
    }
    const same = { timeout: DRAINED_WITHIN_MS, message: `${machineId} downtimes` };
    // All downtimes, because the newest hundred differ with the clock's corrections.
    const stateIn = async (look: typeof here) => stateOf((await look('downtimes?limit=1000')).body);
    await expect.poll(async () => isDeepStrictEqual(await stateIn(here), await stateIn(there)), same).toBe(true);
  }
}

async function check(): Promise<void> {
  await checkOrders();
  await checkTasks();
  await checkProfiles();
  await checkMachines();
}

async function databaseStops(): Promise<void> {
  await database?.stop('immediate');
  await pause(random() * DATABASE_AWAY_MS);
  await database?.start();
}

/** A gateway forwards to a central server that keeps what it gets in one of the two stores. */
export function itForwards(store: 'SQLite' | 'PostgreSQL'): void {
  beforeAll(async () => {
    const coilIds = LOTS.map(({ coilId }) => coilId);
    const plant = warehousePlant(tasks, coilIds);
    database = store === 'PostgreSQL' ? await LocalPostgres.start({ isDurable: true }) : null;
    if (database !== null) events = [...EVENTS, ['databaseStops', 'there'], ['databaseStops', 'there']];
    const storage = database === null ? '' : `storage: { postgres: { url: "${database.url()}" } }\n`;
    const settings = `legacyAgent: { kind: simulated }\n${storage}${SHIFTS}`;
    central = new Restarting({ plant, settings, atHand: true, pace: PACE });
    await central.start();
    scene = await Scene.open(() => central.running.httpPort, keyOf(0), random);
  });

  afterAll(async () => {
    await scene.close();
    await central.end();
    await database?.end();
  });

  it.each(Array.from({ length: FAULT_ROUNDS }, (_, index) => index + 1))(
    `UP-01 UP-02 UP-04 D-27 seed ${seed}, round %i: nothing is lost, doubled or out of order`,
    { timeout: ROUND_TIMEOUT_MS },
    () => scene.round({ faults: randomFaults(random, FAULT_RATE), disturb, check }),
  );

  it(
    'UP-07 in the end the tasks are the same in both, to the last date',
    async () => {
      for (const { taskId, coilId } of scene.crew.drivers) {
        await expect
          .poll(() => scene.lot(taskId, coilId), { timeout: DRAINED_WITHIN_MS, message: taskId })
          .toEqual(await centralLot(taskId, coilId));
      }
    },
    ROUND_TIMEOUT_MS,
  );

  it('D-27 in the end production is the same there, part by part', { timeout: 2 * TOTALS_WITHIN_MS }, async () => {
    for (const { machineId, toldParts } of scene.crew.machines) {
      const production = async (place: string, { running }: Restarting) => {
        const { goodParts, badParts, cycles } = (await running.api('GET', `${place}/machines/${machineId}/production`))
          .body;
        return { goodParts, badParts, cycles };
      };
      const both = async () => ({
        here: await production('', scene.floor),
        there: await production(`/gateways/${GATEWAY_ID}`, central),
      });
      await vi.waitFor(
        async () => {
          const { here, there } = await both();
          expect(there).toEqual(here);
          expect(here.goodParts).toBeLessThanOrEqual(toldParts);
        },
        { timeout: TOTALS_WITHIN_MS, interval: 500 },
      );
    }
  });
}
