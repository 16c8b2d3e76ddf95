import { afterAll, beforeAll, expect, it } from 'vitest';
import { oneOf, seededRandom } from '../../../src/simulator/random.ts';
import { randomFaults } from '../../fakes/bad-line.ts';
import { CentralServer } from '../../fakes/central-server.ts';
import { announceSeed, FAULT_ROUNDS } from '../../rounds.ts';
import { pacedWallMs } from '../pace.ts';
import type { Json } from '../program.ts';
import { stockCentral } from '../warehouse-plant.ts';
import { LOTS } from './crew.ts';
import { DISTURBANCES, type Disturbance, DRAINED_WITHIN_MS, PACE, ROUND_TIMEOUT_MS, Scene } from './scene.ts';

const FAULT_RATE = 0.3;
const MISBEHAVING = ['doesThenFails', 'doesThenCuts', 'doesThenTruncates', 'doesThenHangs', 'throttles'] as const;
const EVENTS: readonly (Disturbance | 'serverDies' | 'serverMisbehaves' | 'lineDown')[] = [
  'plugPulled',
  'plugPulled',
  'serverDies',
  'serverMisbehaves',
  'serverMisbehaves',
  'lineDown',
  'storeCrashes',
  'diskFull',
];

const seed = announceSeed('forward to the interface alone');
const random = seededRandom(seed);
const central = new CentralServer();
let scene: Scene;

beforeAll(async () => {
  stockCentral(
    central.plant,
    LOTS.map(({ taskId }) => ({ taskId, taskState: 'Ready' as const })),
    LOTS.map(({ coilId }) => coilId),
  );
  central.plant.wallMs = () => pacedWallMs(PACE);
  await central.start();
  scene = await Scene.open(() => Number(new URL(central.url).port), central.apiKey, random);
});

afterAll(async () => {
  await scene.close();
  await central.stop();
});

async function disturb(): Promise<string> {
  const event = oneOf('nothing', EVENTS, random);
  if (event === 'serverDies') {
    await central.stop();
    await central.start();
  } else if (event === 'serverMisbehaves') {
    central.manner = () => (random() < 0.5 ? 'works' : oneOf('fails', MISBEHAVING, random));
  } else if (event === 'lineDown') await scene.lineDown();
  else await DISTURBANCES[event](scene.floor, random);
  return event;
}

async function checkOrders(): Promise<void> {
  const here = await Scene.ordersOf(scene.floor);
  const there = new Map([...central.plant.orders].map(([documentID, { salesOrder }]) => [documentID, salesOrder]));
  expect(there).toEqual(here);
  for (const [documentID, { possible }] of scene.crew.office.orders) {
    expect(possible, documentID).toContain(there.get(documentID) ?? null);
  }
}

/** Unconfirmed acts settle by themselves. */
async function checkTasks(): Promise<void> {
  for (const { taskId, coilId, possible } of scene.crew.drivers) {
    const there = () => lotOf(central.plant.tasks.get(taskId) ?? {}, central.plant.coils.get(coilId) ?? {});
    const here = async () => {
      const [task, coil] = await scene.lot(taskId, coilId);
      return lotOf(task, coil);
    };
    await expect.poll(here, { timeout: DRAINED_WITHIN_MS, message: taskId }).toEqual(there());
    expect(possible, taskId).toContain(there().taskState);
  }
}

function lotOf({ taskState, selectedCoilId, userName }: Json, { location }: Json): Json {
  return { taskState, selectedCoilId, userName, location };
}

/** The server has its own ids, so profiles are recognised by their names. */
function checkProfiles(): void {
  const { created, profiles } = scene.crew.designer;
  const there = [...central.plant.profiles.values()];
  expect(created.faults(there.map(({ profileName }) => String(profileName)))).toEqual([]);
  for (const { name, says } of profiles.values()) {
    const found = there.find(({ profileName }) => profileName === name);
    expect(says.possible, name).toContain(found?.archived === true ? 'archived' : found?.description);
  }
}

async function checkMachines(): Promise<void> {
  for (const { machineId, points, toldParts } of scene.crew.machines) {
    const ofMachine = ({ machineId: id }: { readonly machineId: string }) => id === machineId;
    const parts = () => central.plant.statuses.filter(ofMachine).map(({ body }) => Number(body.goodPart));
    await expect.poll(() => parts().at(-1), { timeout: DRAINED_WITHIN_MS, message: machineId }).toBe(toldParts);
    expect(parts(), machineId).toEqual(parts().toSorted((one, other) => one - other));
    // The same measurement sent twice counts once, because it has the same timestamp.
    const told = central.plant.variables.filter(ofMachine).map(({ body }) => `${body.lineSpeed} ${body.timestamp}`);
    expect(points.faults([...new Set(told)].map((measured) => measured.split(' ')[0] ?? '')), machineId).toEqual([]);
  }
}

async function check(): Promise<void> {
  await checkOrders();
  await checkTasks();
  checkProfiles();
  await checkMachines();
}

it.each(Array.from({ length: FAULT_ROUNDS }, (_, index) => index + 1))(
  `UP-02 UP-03 UP-04 D-26 D-30 seed ${seed}, round %i: nothing is lost, doubled or out of order`,
  { timeout: ROUND_TIMEOUT_MS },
  () => scene.round({ faults: randomFaults(random, FAULT_RATE), disturb, calm: () => central.behave(), check }),
);
