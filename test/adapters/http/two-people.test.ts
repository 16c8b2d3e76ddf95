import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type GatewayUnderTest, startGateway, statusOf } from './gateway-under-test.ts';

const PASSWORD = 'rolls and coils';
const PEOPLE = ['pat', 'crew', 'sam'].map((name) => ({ name, role: 'supervisor' as const, password: PASSWORD }));
const COIL_TYPE = {
  coilTypeCode: 'CT-1',
  materialType: 'Galvalume',
  color: 'White',
  gauge: 26,
  widthIn: 41.5625,
  lbsPerFt: 1.9,
};
const TASK = {
  taskId: 'T-1',
  machineId: 'RF-01' as never,
  taskType: 'WarehouseToMachine',
  taskState: 'Ready',
  coilType: COIL_TYPE,
  requiredFt: 100,
  sourceLocation: 'WH-A1',
  destinationLocation: 'WH-A1',
  requiredDate: '2026-01-02T08:00:00Z',
} as const;

let gateway: GatewayUnderTest;
let downtimeId: string;
const cookies = new Map<string, string>();
beforeAll(async () => {
  gateway = await startGateway({
    plantFile: {
      users: PEOPLE,
      locations: [{ code: 'WH-A1', name: 'Rack A1', category: 'Warehouse' }],
      tasks: [TASK],
    },
  });
  for (const { name } of PEOPLE) {
    const { headers } = await gateway.call('POST', '/api/local/session', { name, password: PASSWORD });
    cookies.set(name, String(headers['set-cookie']).split(';')[0] ?? '');
  }
  await gateway.plant.put('machines', 'RF-01', {
    machineId: 'RF-01',
    topicRoot: 'plant1/RF-01',
    claims: ['service.machine.warehouse'],
  });
  await gateway.postStatus(statusOf({ running: true, partId: 'P-100' }));
  await gateway.postStatus(statusOf({ running: false, partId: 'P-100', mSecSinceBoot: 2_000 }));
  const { body } = await act('pat', 'GET', '/api/local/downtimes', undefined);
  downtimeId = (body as { downtimeId: string }[])[0]?.downtimeId ?? '';
});
afterAll(() => gateway.close());

/** An act of a person on a record that the person saw `seenAgeMs` ago. */
function act(name: string, method: string, path: string, body: object | undefined, seenAgeMs: number | string = 1_000) {
  const headers = { cookie: cookies.get(name) ?? '', 'plantgate-seen-age': String(seenAgeMs) };
  return call(`${gateway.url}${path}`, method, body, headers);
}

const WRITES: readonly (readonly [what: string, method: string, path: () => string, body: () => object])[] = [
  ['a part', 'PUT', () => '/api/local/machines/RF-02/part', () => ({ partId: 'P-100' })],
  ['a stop', 'PUT', () => `/api/local/downtimes/${downtimeId}/category`, () => ({ reasonId: 'DT-01' })],
  [
    'several stops',
    'POST',
    () => '/api/local/downtimes/category',
    () => ({ downtimeIds: [downtimeId], reasonId: null }),
  ],
  ['a task', 'POST', () => '/api/v1/warehouseTasks/T-1/inProcess', () => ({})],
  ['a plant record', 'PUT', () => '/api/local/plant/parts/P-100', () => ({ partId: 'P-100', partName: 'Panel 100' })],
];

describe('two people who act on one thing', () => {
  it.each(WRITES)('the second one gets the name of the first one and the time: %s', async (_, method, path, body) => {
    // After this pause the changes of the cases before count as seen.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const first = await act('pat', method, path(), body(), 0);
    expect(first.status).toBeLessThan(300);
    const { status, text, headers } = await act('crew', method, path(), body());
    expect({ status, by: headers['plantgate-changed-by'] }).toEqual({ status: 409, by: 'pat' });
    expect(text).toMatch(/pat changed this at \d{4}-.*Z, after you saw it: look at it again, then repeat/);
    expect(Math.abs(Date.parse(String(headers['plantgate-changed-at'])) - Date.now())).toBeLessThan(20_000);
    expect((await act('pat', method, path(), body())).status).toBe(first.status);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await act('crew', method, path(), body(), 0)).status).toBe(first.status);
  });

  it('change it once if both press at the same time', async () => {
    const answers = await Promise.all(
      [0, 1, 2, 3].flatMap(() =>
        ['pat', 'crew'].map((name) => act(name, 'PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' })),
      ),
    );
    const done = answers.filter(({ status }) => status === 200).length;
    expect({ done, told: answers.filter(({ status }) => status === 409).length }).toEqual({ done: 4, told: 4 });
  });

  it('cannot change it while an act of the other one is under way, however new their view of it is', async () => {
    const answers = await Promise.all(
      [0, 1, 2, 3].flatMap(() =>
        ['pat', 'crew'].map((name) => act(name, 'PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' }, 0)),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(409);
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
  });

  it('may go on after an act that was refused', async () => {
    expect((await act('pat', 'PUT', '/api/local/machines/RF-02/part', { partId: 'none' }, 0)).status).toBe(400);
    const { status } = await act('pat', 'DELETE', '/api/local/machines/RF-02/part', undefined, 0);
    expect(status).toBe(200);
    await act('crew', 'PUT', '/api/local/plant/parts/none', { partId: 'other' }, 0);
    expect((await act('pat', 'PUT', '/api/local/plant/parts/none', { partId: 'none' })).status).toBe(200);
  });

  it.each([
    ['the same person', 'pat', 0],
    ['a sender that does not say what it saw', 'crew', ''],
  ])('may change it after the second of two acts at once was refused: it came from %s', async (_, second, age) => {
    const path = '/api/local/plant/parts/P-300';
    await gateway.plant.put('parts', 'P-300', { partId: 'P-300' });
    gateway.testing.stall(300);
    const done = act('pat', 'DELETE', path, undefined, 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const refused = act(second, 'DELETE', path, undefined, age);
    expect([(await done).status, (await refused).status]).toEqual([204, 404]);
    const other = (seenAgeMs: number) => act('sam', 'PUT', path, { partId: 'P-300' }, seenAgeMs);
    expect(await other(60_000)).toMatchObject({ status: 409, headers: { 'plantgate-changed-by': 'pat' } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await other(0)).status).toBe(200);
  });

  it('are recorded correctly after a request with too many downtimes was refused', async () => {
    await act('pat', 'PUT', `/api/local/downtimes/${downtimeId}/category`, { reasonId: 'DT-01' }, 0);
    const downtimeIds = Array.from({ length: 11_000 }, (_, index) => `D-${index}`);
    const refused = await act('crew', 'POST', '/api/local/downtimes/category', { downtimeIds, reasonId: null }, 0);
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('downtimeIds') });
    const late = await act('crew', 'PUT', `/api/local/downtimes/${downtimeId}/category`, { reasonId: null });
    expect(late.headers['plantgate-changed-by']).toBe('pat');
  });

  it.each(['', 'soon', '-1', '1e9', '9'.repeat(40)])('an age of %j is ignored', async (age) => {
    await act('pat', 'PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' }, 0);
    expect((await act('crew', 'PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' }, age)).status).toBe(200);
  });
});
