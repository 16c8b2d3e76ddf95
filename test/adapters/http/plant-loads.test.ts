import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

const LOADS = '/api/local/plant/loads';
let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function begin(role = 'supervisor'): Promise<string> {
  const { status, body } = await gateway.as(keyOf(role), 'POST', LOADS);
  expect(status).toBe(201);
  return `${LOADS}/${(body as { loadId: string }).loadId}`;
}

const as = (role: string, method: string, path: string, body?: unknown) => gateway.as(keyOf(role), method, path, body);

describe('POST /api/local/plant/loads', () => {
  it('takes a plant file in pieces and gives the result', async () => {
    const load = await begin();
    expect(await as('supervisor', 'POST', `${load}/records/parts`, [{ partId: 'P-9' }])).toMatchObject({
      status: 204,
      text: '',
    });
    expect(await as('supervisor', 'POST', `${load}/finish`, { dryRun: false })).toMatchObject({
      status: 200,
      body: { counts: [{ kind: 'parts', named: 1, created: 1, updated: 0 }], changes: [{ kind: 'parts', id: 'P-9' }] },
    });
    expect(gateway.plant.part('P-9')).toEqual({ partId: 'P-9', partName: 'P-9', isNew: false });
    expect((await as('supervisor', 'POST', `${load}/finish`, { dryRun: false })).status).toBe(404);
  });

  it('takes orders, one a line, and profiles; both can be read back in pages', async () => {
    const load = await begin();
    const orders = ['{"documentID":"D-2","products":[]}', '{"documentID":"D-1","products":[]}'];
    await as('admin', 'PUT', '/api/local/plant/catalogs/1', { catalogId: 1, name: 'Standard', default: true });
    const profiles = [{ profileName: 'Ridge cap', features: [{ type: 'Straight', length: 1 }] }];
    expect((await as('supervisor', 'POST', `${load}/records/orders`, `${orders.join('\n')}\n`)).status).toBe(204);
    expect((await as('supervisor', 'POST', `${load}/records/profiles`, profiles)).status).toBe(204);
    expect((await as('supervisor', 'POST', `${load}/finish`, { dryRun: false })).body).toMatchObject({
      counts: [
        { kind: 'profiles', named: 1, created: 1 },
        { kind: 'orders', named: 2, created: 2 },
      ],
    });
    const page = async (path: string) => (await as('technician', 'GET', `/api/local/plant/${path}`)).body;
    expect(await page('orders')).toMatchObject([{ documentID: 'D-1' }, { documentID: 'D-2' }]);
    expect(await page('orders?after=documentID%20D-1&take=1')).toMatchObject([{ documentID: 'D-2' }]);
    expect(await page('profiles')).toMatchObject([
      { profileId: 'Ridge cap', features: [{ type: 'Straight', length: 1 }] },
    ]);
    expect(await page('profiles?after=Ridge%20cap')).toEqual([]);
    const [profile] = (await as('business', 'GET', '/api/v1/profiles')).body as { createdBy: string }[];
    expect(profile?.createdBy).toBe('supervisor-principal');
  });

  const entries = (count: number, entryOf: (place: number) => unknown) =>
    Array.from({ length: count }, (_, place) => entryOf(place));
  const machine = { machineId: 'RF-09', topicRoot: 'plant1/RF-09' };

  it.each([
    ['thousands of records without a field', 'tasks', entries(11_000, () => ({})), 1_000],
    [
      'a record with thousands of fields',
      'parts',
      [Object.fromEntries(entries(20_000, (place) => [`x${place}`, 1]) as [])],
      1,
    ],
    [
      'a record with thousands of wrong entries',
      'machines',
      [{ ...machine, variables: entries(20_000, (place) => place) }],
      100,
    ],
    [
      'a list of thousands of objects',
      'machines',
      [{ ...machine, variableDetails: entries(11_000, (place) => ({ name: `v${place}` })) }],
      1,
    ],
  ])('D-13 refuses %s with a limited number of faults', async (_, kind, records, told) => {
    const load = await begin('admin');
    const { status, body } = await as('admin', 'POST', `${load}/records/${kind}`, records);
    expect(status).toBe(400);
    expect((body as { readonly errors: readonly string[] }).errors).toHaveLength(told);
  });

  it('D-25 takes keys and people only from an administrator', async () => {
    const load = await begin();
    const key = [{ principal: 'x', role: 'admin', key: 'k'.repeat(20) }];
    const short = [{ principal: 'x', role: 'admin', key: 'secret-1' }];
    expect((await as('supervisor', 'POST', `${load}/records/apiKeys`, key)).status).toBe(403);
    expect((await as('supervisor', 'POST', `${load}/records/users`, [{ name: 'x', role: 'admin' }])).status).toBe(403);
    const refused = await as('admin', 'POST', `${await begin()}/records/apiKeys`, short);
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/key.*20 to 256 characters/);
    expect(refused.text).not.toContain('secret-1');
    expect((await as('admin', 'POST', `${load}/records/apiKeys`, key)).status).toBe(204);
    expect((await as('supervisor', 'DELETE', load)).status).toBe(204);
  });

  it('reports faults as sentences with their places', async () => {
    const load = await begin();
    await as('supervisor', 'POST', `${load}/records/coils`, [{ coilId: 'C', location: 'nowhere' }]);
    const fault = { path: 'coils[0].location', found: '"nowhere"', expected: 'a location of this plant' };
    expect(await as('supervisor', 'POST', `${load}/finish`, { dryRun: true })).toMatchObject({
      status: 400,
      body: { errors: ['coils[0].location: found "nowhere", expected a location of this plant'], faults: [fault] },
    });
  });

  it.each<[string, string, unknown, number]>([
    ['an unknown kind', 'records/partz', [], 404],
    ['no list', 'records/parts', { partId: 'P' }, 400],
    ['more values than a piece may have', 'records/parts', `[${'0,'.repeat(24_000)}0]`, 400],
    ['an entry that is no record', 'records/parts', ['P'], 400],
    ['no JSON', 'records/parts', '[{', 400],
    ['a key twice', 'records/parts', '[{"partId":"P","partId":"Q"}]', 400],
    ['a piece that is too large', 'records/parts', JSON.stringify(['x'.repeat(262_144)]), 413],
    ['no body', 'records/parts', undefined, 400],
    ['no word on dryRun', 'finish', {}, 400],
    ['a dryRun that is not a boolean', 'finish', { dryRun: 'yes' }, 400],
  ])('refuses %s, and applies nothing of a file that lacks a piece', async (_, path, body, status) => {
    const load = await begin();
    expect(await as('supervisor', 'POST', `${load}/${path}`, body)).toMatchObject({
      status,
      body: { errors: [expect.any(String)] },
    });
    const { body: outcome } = await as('supervisor', 'POST', `${load}/finish`, { dryRun: false });
    expect(outcome).toEqual(
      path === 'records/parts' && body !== undefined && Array.isArray(body)
        ? { errors: [expect.stringContaining('No plant load with id')] }
        : { counts: [], changes: [] },
    );
  });

  it.each([
    ['POST', 'records/parts', []],
    ['POST', 'finish', { dryRun: true }],
  ])('refuses a load that was not begun: %s %s', async (method, path, body) => {
    expect((await as('supervisor', method, `${LOADS}/nothing/${path}`, body)).status).toBe(404);
  });
});
