import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, LOCAL_KEY, machineOf, startGateway } from '../gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Served or not: without a key nobody learns which paths there are. */
const PATHS = [
  '/api/local',
  '/api/local/nothing',
  '/api/local/machines',
  '/api/v1',
  '/api/v1/',
  '/api/v1/nothing',
  '/api/v1/warehouseTasks',
  '/api/v1/warehouseTasks/T-1',
  '/api/v1/warehouseTasks/T-1/nothing',
  '/api/v1/coils',
  '/api/v1/coils/C-1',
  '/api/v1/orders/nothing',
  '/api/v1/profiles/1/nothing',
  '/api/v1/catalogs/nothing',
];

const WRONG_KEYS = [
  undefined,
  'ApiKey wrong',
  'ApiKey',
  'Bearer x',
  `Basic ${btoa('a:b')}`,
  'ApiKey a b',
  keyOf('admin'),
];

describe('the API key', () => {
  let strict: GatewayUnderTest;
  beforeAll(async () => {
    // An address that tries wrong keys is slowed down: here time passes between any two.
    let monotonicMs = 0;
    const now = () => {
      monotonicMs += 10_000;
      return { monotonicMs, wallMs: Date.now() };
    };
    strict = await startGateway({ options: { clock: { now } } });
  });
  afterAll(() => strict.close());

  it.each(PATHS)('AUTH-01 ERR-01 gets the same 401 at %s whenever it is wrong', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      for (const authorization of WRONG_KEYS) {
        const headers = authorization === undefined ? {} : { authorization };
        expect(await strict.call(method, path, undefined, headers)).toMatchObject({
          status: 401,
          text: '{"errors":["Authorization: expected \\"ApiKey \\" and a valid API key; an administrator makes one on the page under Admin, Keys"]}',
          headers: { 'www-authenticate': 'ApiKey' },
        });
      }
    }
  });

  it('may be the gateway’s own key', async () => {
    expect((await gateway.as(LOCAL_KEY, 'GET', '/api/v1/warehouseTasks/reasonCodes')).status).toBe(200);
  });
});

describe('ERR-01 each surface refuses in its own words', () => {
  const errors = { errors: [expect.stringMatching(/^path: nothing is served at/)] };
  it.each([
    ['/api/local/nothing', errors],
    ['/api/v1', errors],
    ['/api/v1/nothing', errors],
    ['/api/v1/warehouseTasks/T-1/nothing', errors],
    ['/api/v1/coils/C-1/nothing', errors],
    ['/api/v1/orders/a/b', { code: '404', message: 'Not Found' }],
    ['/api/v1/profiles/1/nothing', errors.errors],
    ['/api/v1/catalogs/nothing', errors.errors],
    ['/api/v1/profilesque', errors],
  ])('ORD-01 %s', async (path, body) => {
    expect(await gateway.as(keyOf('technician'), 'GET', path)).toMatchObject({ status: 404, body });
  });

  it('names the methods of a path', async () => {
    const answer = await gateway.as(keyOf('business'), 'PATCH', '/api/v1/warehouseTasks/locations');
    expect(answer).toMatchObject({ status: 405, body: { errors: ['method: found PATCH, expected HEAD or GET'] } });
  });

  it.each(['/API/v1/coils', '/api/V1/coils', '//api/v1/coils', '/api/v1x'])(
    'AUTH-01 serves nothing at %s, with or without a key',
    async (path) => {
      expect((await gateway.call('GET', path)).status).toBe(404);
      expect((await gateway.as(keyOf('business'), 'GET', path)).status).toBe(404);
    },
  );
});

describe('D-25 the rate of a key', () => {
  it('is http.requestsPerSecond, five times as many at once, for each key by itself, and does not count for devices', async () => {
    let monotonicMs = 1_000_000;
    const clock = { now: () => ({ monotonicMs, wallMs: Date.now() }) };
    const limited = await startGateway({ requestsPerSecond: 20, options: { clock } });
    const ask = (role: string, path = '/api/v1/warehouseTasks/locations') => limited.as(keyOf(role), 'GET', path);
    const statuses = async (count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => ask('business')));
      return [200, 429].map((status) => answers.filter((answer) => answer.status === status).length);
    };
    expect(await statuses(120)).toEqual([100, 20]);
    monotonicMs += 1_000;
    expect(await statuses(30)).toEqual([20, 10]);
    const refused = await ask('business', '/api/v1/orders/nothing');
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { code: '429', message: 'Too Many Requests' },
    });
    expect((await ask('business')).body).toEqual({
      errors: [
        'Too many requests of business-principal, at most 20 a second and 100 at once are allowed: wait a second',
      ],
    });
    expect((await ask('admin')).status).toBe(200);
    expect((await limited.postStatus({ machineId: 'RF-01' })).status).toBe(400);
    expect((await ask('technician', '/api/local/machines')).status).toBe(200);
    await limited.close();
  });
});

describe('reason codes and locations', () => {
  const plantFile = {
    reasonCodes: [
      { id: 'OR-1', codeSet: 'OverrideReasons', reason: 'Preferred coil damaged' },
      { id: 'UR-1', codeSet: 'UnattainableReasons', reason: 'Coil not found' },
    ],
    locations: [
      { code: 'RF-01', name: 'Rollformer 1', category: 'Machine' },
      { code: 'WH-A1', name: 'Rack A1', category: 'Warehouse' },
      { code: 'WH-A2', name: 'Rack A2', category: 'Warehouse' },
    ],
  } as const;

  it('TASK-05 D-52 are listed, locations by category', async () => {
    const machines = [{ ...machineOf('RF-01'), claims: ['service.machine.warehouse'] }, machineOf('RF-02')];
    const licensed = await startGateway({ machines, plantFile });
    const read = (path: string) => licensed.as(keyOf('business'), 'GET', `/api/v1/warehouseTasks${path}`);
    expect((await read('/reasonCodes')).body).toEqual(plantFile.reasonCodes);
    expect((await read('/locations')).body).toEqual(plantFile.locations);
    const codes = async (category: string) => {
      const { body } = await read(`/locations?category=${category}`);
      return (body as readonly { readonly code: string }[]).map(({ code }) => code);
    };
    expect(await codes('Warehouse')).toEqual(['WH-A1', 'WH-A2']);
    expect(await codes('wareHOUSE')).toEqual(['WH-A1', 'WH-A2']);
    expect(await codes('Bin')).toEqual([]);
    expect(await codes('')).toEqual(['RF-01', 'WH-A1', 'WH-A2']);
    await licensed.close();
  });

  it('TASK-05 are empty if no machine is licensed', async () => {
    const unlicensed = await startGateway({ plantFile });
    for (const path of ['reasonCodes', 'locations', 'locations?category=Warehouse']) {
      expect((await unlicensed.as(keyOf('business'), 'GET', `/api/v1/warehouseTasks/${path}`)).text).toBe('[]');
    }
    await unlicensed.close();
  });

  it.each([
    ['category=barn', 'category: found "barn", expected Machine, Warehouse, StagingBay, LoadingDock or Bin'],
    ['category=Bin&category=Bin', 'category: found an array, expected text'],
    ['kind=Bin', 'kind: unknown field'],
    ['__proto__=Bin', '__proto__: unknown field'],
    ['constructor=Bin', 'constructor: unknown field'],
  ])('TASK-14 refuse ?%s and name it', async (query, message) => {
    const answer = await gateway.as(keyOf('technician'), 'GET', `/api/v1/warehouseTasks/locations?${query}`);
    expect(answer.status).toBe(400);
    expect((answer.body as { readonly errors: readonly string[] }).errors).toContain(message);
  });
});
