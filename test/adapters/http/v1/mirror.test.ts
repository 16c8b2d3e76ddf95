import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { taskView } from '../../../../src/domain/warehouse/task.ts';
import { coilOf, LOCATIONS, REASON_CODES, taskOf } from '../../../domain/warehouse/warehouse-samples.ts';
import { type CentralManner, CentralServer } from '../../../fakes/central-server.ts';
import { WarehouseUnderTest } from './warehouse-under-test.ts';

/** Far below the minute of a reading of everything, and enough for a busy computer. */
const WITHIN = { timeout: 20_000, interval: 30 } as const;
const PROFILE = {
  profileId: 'P-1',
  profileName: 'Panel',
  owningCatalogId: 1,
  features: [{ type: 'Straight', length: 5 }],
  revision: 3,
};

let central: CentralServer;
let warehouse: WarehouseUnderTest;

/** A gateway that has read the whole of a small central server. */
beforeEach(async () => {
  central = new CentralServer();
  const { plant } = central;
  plant.coils.set('C-1', { ...coilOf('C-1') });
  plant.coils.set('C-2', { ...coilOf('C-2', { isComplete: true }) });
  plant.tasks.set('T-1', { ...taskView(taskOf()) });
  plant.tasks.set('T-2', { ...taskView(taskOf({ taskId: 'T-2' })) });
  plant.locations = LOCATIONS.map((location) => ({ ...location }));
  plant.reasonCodes = REASON_CODES.map((code) => ({ ...code }));
  plant.catalogs = [
    { catalogId: 1, name: 'Standard', isDefault: true },
    { catalogId: 2, name: 'Trim' },
  ];
  plant.profiles.set('P-1', { ...PROFILE });
  plant.orders.set('D-1', { documentID: 'D-1', orderCode: 'O-1' });
  await central.start();
  warehouse = await WarehouseUnderTest.start({
    coilIds: ['C-file'],
    tasks: [],
    agentUrl: null,
    upstream: { url: central.url, apiKey: central.apiKey, timeoutSeconds: 0.5, pollSeconds: 0.1 },
  });
  await expect.poll(() => orders(), WITHIN).toContain('O-1');
});

afterEach(async () => {
  await warehouse.close();
  await central.stop();
});

const list = async (place: string) => (await warehouse.api('GET', place)).body as readonly Record<string, unknown>[];
const idsOf = async (place: string, field: string) => (await list(place)).map((record) => record[field]);
const orders = async () => (await warehouse.api('GET', '/orders/orderSummary')).text;
const stateOf = async (taskId: string) => (await warehouse.task(taskId)).taskState;
const coilIds = () => idsOf('/coils?includeComplete=true', 'coilId');

const drained = () =>
  expect
    .poll(
      async () => ((await warehouse.local('GET', '/sync')).body as { queue: { depth: number } }).queue.depth,
      WITHIN,
    )
    .toBe(0);
const add = (order: object) => warehouse.api('POST', '/orders/add', { products: [], ...order });
const remove = async (ordId: string) => (await warehouse.api('DELETE', `/orders/${ordId}`)).status;

describe('a central server that is mirrored', () => {
  it('UP-07 has all its records served here unchanged', async () => {
    expect(await idsOf('/warehouseTasks', 'taskId')).toEqual(['T-1', 'T-2']);
    expect(await idsOf('/warehouseTasks/reasonCodes', 'id')).toEqual(expect.arrayContaining(['OR-2', 'UR-2']));
    expect(await idsOf('/catalogs', 'catalogId')).toEqual([1, 2]);
    const [profile] = await list('/profiles');
    expect(profile).toMatchObject({ profileId: 'P-1', revision: 3, blankWidth: 5 });
    expect(await list('/coils')).toEqual(expect.arrayContaining([coilOf('C-1')]));
    expect(await coilIds()).toContain('C-2');
  });

  it('UP-07 shows a moved coil and a new or changed profile within two polls, where a reading is one page', async () => {
    // From here on the next reading of everything is a minute away: nothing is missing there any more.
    await expect.poll(coilIds, WITHIN).toEqual(['C-1', 'C-2']);
    await expect.poll(() => idsOf('/warehouseTasks/locations', 'code'), WITHIN).toHaveLength(3);
    await pause(1_500);
    Object.assign(central.plant.coils.get('C-1') ?? {}, { location: 'WH-A2' });
    central.plant.profiles.set('P-2', { ...PROFILE, profileId: 'P-2', profileName: 'Eave' });
    await expect.poll(() => warehouse.locationOf('C-1'), WITHIN).toBe('WH-A2');
    await expect.poll(() => idsOf('/profiles', 'profileId'), WITHIN).toEqual(['P-2', 'P-1']);
    central.plant.profiles.set('P-2', { ...PROFILE, profileId: 'P-2', profileName: 'Eave 2', revision: 4 });
    await expect.poll(() => idsOf('/profiles', 'profileName'), WITHIN).toEqual(['Eave 2', 'Panel']);
    Object.assign(central.plant.coils.get('C-1') ?? {}, { location: 'WH-A1' });
    await expect.poll(() => warehouse.locationOf('C-1'), WITHIN).toBe('WH-A1');
  });

  it('UP-07 reads profiles again at the next poll after a reading that broke off', async () => {
    await expect.poll(coilIds, WITHIN).toEqual(['C-1', 'C-2']);
    await pause(1_500);
    let asked = 0;
    const isSecondPage = (path: string) => path.endsWith('/profiles') && ++asked === 2;
    central.manner = (_, path) => (isSecondPage(path) ? 'hangs' : 'works');
    central.plant.profiles.set('P-2', { ...PROFILE, profileId: 'P-2', profileName: 'Eave' });
    await expect.poll(() => asked, WITHIN).toBeGreaterThanOrEqual(2);
    central.plant.profiles.set('P-2', { ...PROFILE, profileId: 'P-2', profileName: 'Eave 2', revision: 4 });
    await expect.poll(() => idsOf('/profiles', 'profileName'), WITHIN).toEqual(['Eave 2', 'Panel']);
  });

  it('UP-07 replaces the seeds of the plant file, because the server decides about them; machines stay', async () => {
    await expect.poll(coilIds, WITHIN).toEqual(['C-1', 'C-2']);
    await expect.poll(() => idsOf('/warehouseTasks/locations', 'code'), WITHIN).toEqual(['RF-01', 'WH-A1', 'WH-A2']);
    const put = await warehouse.local('DELETE', '/plant/locations/WH-A1');
    expect([put.status, put.text]).toEqual([409, expect.stringContaining('central server')]);
    expect((await warehouse.local('GET', '/plant/machines/RF-01')).status).toBe(200);
  });

  it('D-20 UP-01 keeps an order that was replaced here, also once the server has it and is away', async () => {
    expect((await add({ documentID: 'D-1', orderCode: 'O-new' })).status).toBe(200);
    expect(await orders()).toContain('O-new');
    await drained();
    expect(central.plant.orders.get('D-1')?.orderCode).toBe('O-new');
    expect(await orders()).not.toContain('O-1');
    await central.stop();
    expect(await orders()).toContain('O-new');
    expect(await orders()).not.toContain('O-1');
  });

  it('ORD-03 UP-01 does not bring back an order that was added and removed here', async () => {
    await add({ documentID: 'D-9', orderCode: 'O-9' });
    await drained();
    expect(await orders()).toContain('O-9');
    expect(await remove('D-9')).toBe(200);
    await drained();
    expect(await orders()).not.toContain('O-9');
    expect(await remove('D-9')).toBe(404);
  });

  it.each(['D-1', 'O-1'])('ORD-03 D-20 loses an order that only it had when %s is removed here', async (ordId) => {
    await central.stop();
    const { status, text } = await warehouse.api('DELETE', `/orders/${ordId}`);
    expect([status, text]).toEqual([200, expect.stringContaining('O-1')]);
    expect(await orders()).not.toContain('O-1');
    expect(await remove(ordId)).toBe(404);
    await central.start();
    await drained();
    expect(central.plant.orders.size).toBe(0);
    expect(await orders()).not.toContain('O-1');
  });

  it('D-18 UP-05 may refuse a removal: the order is shown again', async () => {
    central.manner = (method) => (method === 'DELETE' ? 'rejects' : 'works');
    expect(await remove('D-1')).toBe(200);
    expect(await orders()).not.toContain('O-1');
    await expect.poll(() => orders(), WITHIN).toContain('O-1');
  });

  it('UP-07 changes and removes records here by its own changes and removals', async () => {
    const { plant } = central;
    Object.assign(plant.tasks.get('T-1') ?? {}, { taskState: 'InProcess', userName: 'ann' });
    await expect.poll(() => stateOf('T-1'), WITHIN).toBe('InProcess');
    plant.tasks.delete('T-2');
    await expect.poll(() => idsOf('/warehouseTasks', 'taskId'), WITHIN).toEqual(['T-1']);
    const profile = plant.profiles.get('P-1');
    if (profile !== undefined) profile.archived = true;
    plant.reasonCodes = plant.reasonCodes.slice(1);
    plant.orders.clear();
    // A missing record makes it read the whole again.
    plant.tasks.set('T-3', { ...taskView(taskOf({ taskId: 'T-3' })) });
    await expect.poll(() => idsOf('/warehouseTasks', 'taskId'), WITHIN).toEqual(['T-1', 'T-3']);
    await expect.poll(() => idsOf('/warehouseTasks/reasonCodes', 'id'), WITHIN).not.toContain('OR-1');
  });

  it('UP-07 leaves all records readable while it is away', async () => {
    await central.stop();
    const { body } = await warehouse.local('GET', '/sync');
    const { mirror } = body as { mirror: readonly { kind: string; lastMirroredAt: string }[] };
    expect(mirror.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['tasks', 'coils', 'profiles', 'orders']));
    for (const { lastMirroredAt } of mirror) expect(Date.now() - Date.parse(lastMirroredAt)).toBeLessThan(60_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await idsOf('/warehouseTasks', 'taskId')).toEqual(['T-1', 'T-2']);
    expect(await orders()).toContain('O-1');
    Object.assign(central.plant.tasks.get('T-1') ?? {}, { taskState: 'InProcess' });
    await central.start();
    await expect.poll(() => stateOf('T-1'), WITHIN).toBe('InProcess');
  });

  it('UP-07 changes nothing here if it fails, cuts, hangs, locks out, truncates or talks nonsense', async () => {
    central.plant.tasks.clear();
    const manners: readonly CentralManner[] = [
      'fails',
      'locksOut',
      'cuts',
      'doesThenTruncates',
      'hangs',
      'talksNonsense',
    ];
    for (const manner of manners) {
      central.manner = () => manner;
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(await idsOf('/warehouseTasks', 'taskId'), manner).toEqual(['T-1', 'T-2']);
    }
  });

  it('UP-07 removes no task here if it loses its tasks for a moment', async () => {
    const tasks = [...central.plant.tasks];
    const read = () => central.requests.filter(({ path }) => path === '/api/v1/warehouseTasks').length;
    const before = read();
    central.plant.tasks.clear();
    await expect.poll(read, WITHIN).toBeGreaterThan(before);
    for (const [taskId, task] of tasks) central.plant.tasks.set(taskId, task);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await idsOf('/warehouseTasks', 'taskId')).toEqual(['T-1', 'T-2']);
  });
});

it('D-21 summaries are read under their other name if the first is not served', async () => {
  central.plant.summaryPath = 'orderSummaries';
  central.plant.orders.set('D-2', { documentID: 'D-2', orderCode: 'O-2' });
  const again = await WarehouseUnderTest.start({
    tasks: [],
    agentUrl: null,
    upstream: { url: central.url, apiKey: central.apiKey, timeoutSeconds: 0.5, pollSeconds: 0.1 },
  });
  await expect.poll(async () => (await again.api('GET', '/orders/orderSummary')).text, WITHIN).toContain('O-2');
  await again.close();
});
