import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CentralServer } from '../fakes/central-server.ts';
import { type Json, PLANT, Program, statusOf } from './program.ts';

const TASK = `
tasks:
  - taskId: T-1
    machineId: RF-03
    taskType: WarehouseToMachine
    taskState: Ready
    coilType: { coilTypeCode: G24, materialType: Steel, color: Red, gauge: 24, widthIn: 20, lbsPerFt: 1.5 }
    requiredFt: 100
    sourceLocation: WH-A1
    destinationLocation: RF-03
    requiredDate: 2026-01-01T00:00:00Z
`;
const PLANT_WITH_TASK = `${PLANT.replace(
  'locations: [',
  'locations: [ { code: WH-A1, name: Rack, category: Warehouse }, { code: RF-03, name: Rollformer 3, category: Machine },',
).replace(
  'machines:',
  'machines:\n  - { machineId: RF-03, topicRoot: plant1/rollformer-3, claims: [ service.machine.warehouse ] }',
)}${TASK}`;

const PROFILE = {
  profileName: 'Z 200',
  features: [{ type: 'Straight', length: 12.5 }],
} as const;

/** Programs start slowly while other tests run beside them. */
vi.setConfig({ testTimeout: 60_000 });

const programs: Program[] = [];
let central: CentralServer;

beforeEach(async () => {
  central = new CentralServer();
  await central.start();
});

afterEach(async () => {
  for (const program of programs.splice(0)) {
    await program.end();
  }
  await central.stop();
});

async function start(options: Parameters<typeof Program.start>[0]): Promise<Program> {
  const program = await Program.start(options);
  programs.push(program);
  return program;
}

/** A gateway with a central server at `url`. */
function gateway(url: string, dir?: string, key = 'central-key'): Promise<Program> {
  const settings = `upstream: { url: "${url}", apiKey: ${key}, timeoutSeconds: 1, pollSeconds: 60 }\ngatewayId: line-3\n`;
  return start({ plant: PLANT_WITH_TASK, settings, ...(dir !== undefined && { dir }) });
}

async function sync(program: Program): Promise<Json> {
  return (await program.api('GET', '/sync')).body;
}

function business(program: Program, method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `ApiKey ${program.key}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${program.httpPort}/api/v1${path}`;
  return fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

function device(program: Program, what: 'status' | 'vars', body: object): Promise<Response> {
  const url = `http://127.0.0.1:${program.httpPort}/api/device/${what}`;
  return fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
}

/** A little of every kind of work at a gateway. */
async function work(program: Program): Promise<void> {
  for (let count = 1; count <= 3; count += 1) {
    await device(program, 'status', statusOf({ mSecSinceBoot: count * 1_000, goodPart: count }));
  }
  await device(program, 'status', statusOf({ mSecSinceBoot: 500, goodPart: 0, running: false }));
  await device(program, 'vars', { machineId: 'RF-01', lineSpeed: 41.5 });
  expect((await business(program, 'POST', '/orders/add', { documentID: 'D-1', products: [] })).status).toBe(200);
  expect((await business(program, 'POST', '/profiles', PROFILE)).status).toBe(200);
  const inProcess = await business(program, 'POST', '/warehouseTasks/T-1/inProcess', { userName: 'Pat' });
  expect([inProcess.status, await inProcess.text()]).toEqual([202, '']);
}

const DRAINED = { upstream: { state: 'online' }, queue: { depth: 0 }, setAside: [] };

describe('a central server with the interface alone', () => {
  it('UP-01 UP-02 UP-03 D-26 D-31 gets all operations of an outage after it, across a kill -9', async () => {
    await central.stop();
    let program = await gateway(central.url);
    await work(program);
    await expect.poll(() => sync(program)).toMatchObject({ upstream: { state: 'offline' }, setAside: [] });
    expect((await sync(program)).queue.depth).toBeGreaterThan(5);
    await program.kill();
    program = await gateway(central.url, program.dir);
    central.plant.tasks.set('T-1', { taskId: 'T-1', taskState: 'Ready' });
    await central.start();
    await expect.poll(() => sync(program), { timeout: 20_000 }).toMatchObject(DRAINED);
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InProcess', userName: 'Pat' });
    expect(central.plant.orders.size).toBe(1);
    expect([...central.plant.profiles.values()]).toMatchObject([{ profileName: 'Z 200' }]);
    const counts = central.plant.statuses.map(({ body }) => [body.mSecSinceBoot, body.goodPart]);
    expect(counts).toContainEqual([3_000, 3]);
    expect(counts.at(-1)).toEqual([500, 0]);
    await expect.poll(() => central.plant.variables.map(({ body }) => body)).toMatchObject([{ lineSpeed: 41.5 }]);
    expect(central.plant.variables[0]?.body.timestamp).toMatch(/^\d{4}-.*Z$/);
    expect((await sync(program)).upstream).toMatchObject({ server: 'interface', connection: 'online' });
    const told = program.log.filter((line) => line.includes('the central server is'));
    expect(told.map((line) => JSON.parse(line).msg)).toEqual([
      'the central server is offline',
      'the central server is online',
    ]);
  });

  it('UP-02 UP-07 is shown with its last contact by a gateway that starts in an outage', async () => {
    const before = await gateway(central.url);
    const hasMirror = async () => (await sync(before)).mirror.every((kind: Json) => kind.lastMirroredAt !== null);
    await expect.poll(hasMirror, { timeout: 20_000 }).toBe(true);
    const { mirror } = await sync(before);
    await before.kill();
    await central.stop();
    const program = await gateway(central.url, before.dir);
    await expect.poll(async () => (await sync(program)).upstream.state).toBe('offline');
    const newest = Math.max(...mirror.map(({ lastMirroredAt }: Json) => Date.parse(lastMirroredAt)));
    const { lastContactAt, lastAcknowledgedAt } = (await sync(program)).upstream;
    // The shown time of a kind is a little newer than the one on disk.
    expect(newest - Date.parse(lastContactAt)).toBeLessThan(1_000);
    expect(lastAcknowledgedAt).toBe(null);
  }, 40_000);

  it('UP-05 D-18 D-28 its refusals and differing commands are shown; supervisors retry and discard the refused records', async () => {
    central.plant.command = { runEnabled: false, attentionNeeded: true, message: 'Closed for the day' };
    central.manner = (_, path) => (/orders|tasks\/T-1\/inProcess/.test(path) ? 'rejects' : 'works');
    const program = await gateway(central.url);
    await work(program);
    await expect.poll(async () => (await sync(program)).setAside.length, { timeout: 10_000 }).toBe(2);
    const { setAside, commandDifferences } = await sync(program);
    const [order, task] = [...setAside].sort((one: Json, other: Json) => one.what.localeCompare(other.what)).reverse();
    expect(order).toMatchObject({ what: 'order documentID D-1', reason: 'HTTP 400: the central server says 400' });
    expect(task).toMatchObject({ what: 'inProcess of task T-1', userName: 'Pat', entity: 'task:T-1' });
    expect(commandDifferences).toMatchObject([{ machineId: 'RF-01', theirs: { message: 'Closed for the day' } }]);
    const { upstream } = (await program.api('GET', '/diagnostics')).body;
    expect(JSON.stringify(upstream)).toContain('refused inProcess of task T-1 by Pat');
    central.behave();
    expect((await program.api('POST', `/sync/setAside/${order.id}/retry`)).status).toBe(204);
    expect((await program.api('DELETE', `/sync/setAside/${task.id}`)).status).toBe(204);
    expect((await program.api('DELETE', `/sync/setAside/${task.id}`)).status).toBe(404);
    await expect.poll(() => central.plant.orders.size).toBe(1);
    await expect.poll(() => sync(program)).toMatchObject(DRAINED);
    expect((await program.get('/metrics')).text).toMatch(/^plantgate_queue_sent_records_total [1-9]/m);
  });

  it('UP-02 refuses a wrong key, which is reported once', async () => {
    const program = await gateway(central.url, undefined, 'wrong');
    await expect.poll(() => sync(program)).toMatchObject({ upstream: { state: 'refused' } });
    await device(program, 'status', statusOf({}));
    await expect.poll(async () => central.requests.length, { timeout: 10_000 }).toBeGreaterThan(2);
    expect(central.plant.statuses).toEqual([]);
    expect(program.log.filter((line) => line.includes('the central server is refused'))).toHaveLength(1);
  });
});

describe('a central server with the batch extension', () => {
  it('UP-01 UP-02 D-27 gets every kind of operation in batches', async () => {
    const centre = await start({
      plant: `${PLANT_WITH_TASK}\n`.replace(
        'key: shop-key-01234567890, role: technician } ]',
        'key: shop-key-01234567890, role: technician }, { principal: line-3, key: line-3-key-0123456789, role: gateway } ]',
      ),
    });
    const program = await gateway(`http://127.0.0.1:${centre.httpPort}/`, undefined, 'line-3-key-0123456789');
    await work(program);
    await expect.poll(() => sync(program), { timeout: 20_000 }).toMatchObject(DRAINED);
    expect((await sync(program)).upstream).toMatchObject({ server: 'batch' });
    const there = async (path: string) => (await business(centre, 'GET', path)).text();
    expect(JSON.parse(await there('/warehouseTasks/T-1'))).toMatchObject({ taskState: 'InProcess' });
    expect(JSON.parse(await there('/profiles'))).toMatchObject([{ profileName: 'Z 200' }]);
    expect(await there('/orders/orderSummary')).toContain('D-1');
    expect((await centre.api('GET', '/gateways')).body).toMatchObject([{ gatewayId: 'line-3' }]);
  });
});
