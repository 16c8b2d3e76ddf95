import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { BatchSender, operationOf } from '../fakes/batch-sender.ts';
import { type Json, Program } from './program.ts';

const KEYS = {
  erp: { role: 'business', plants: ['*'] },
  erpTulsa: { role: 'business', plants: ['tulsa'] },
  erpBoth: { role: 'business', plants: ['tulsa', 'dayton'] },
  erpFirst: { role: 'business' },
  techTulsa: { role: 'technician', plants: ['tulsa'] },
  techBoth: { role: 'technician', plants: ['tulsa', 'dayton'] },
  techDayton: { role: 'technician', plants: ['dayton'] },
  gateTulsa: { role: 'gateway', plants: ['tulsa'] },
  chief: { role: 'admin' },
  chiefTulsa: { role: 'admin', plants: ['tulsa'] },
  chiefFirst: { role: 'admin', plants: ['default'] },
} as const;
type Holder = keyof typeof KEYS;

const keyOf = (holder: Holder) => `${holder}-key-0123456789012345`;
const PLANT = JSON.stringify({
  catalogs: [{ catalogId: 1, name: 'Standard', default: true }],
  apiKeys: Object.entries(KEYS).map(([holder, { role, ...plants }]) => {
    return { principal: holder, role, key: keyOf(holder as Holder), ...plants };
  }),
});
const PLANTS = [
  { id: 'default', name: 'Boise' },
  { id: 'tulsa', name: 'Tulsa' },
  { id: 'dayton', name: 'Dayton' },
];

let database: LocalPostgres;
beforeAll(async () => {
  database = await LocalPostgres.start({ isDurable: true });
});
afterAll(() => database.end());

/** The settings of a central server of three plants, on one of the two stores. */
async function settingsFor(store: string): Promise<string> {
  const url = store === 'PostgreSQL' ? await database.createDatabase(`plants${Date.now()}`) : null;
  const storage = url === null ? '' : `storage: { postgres: { url: "${url}", maxConnections: 8 } }\n`;
  return `plants: ${JSON.stringify(PLANTS)}\nlegacyAgent: { kind: simulated }\n${storage}`;
}

async function start(options: { readonly settings?: string; readonly dir?: string; readonly plant?: string }) {
  const program = await Program.start({ plant: PLANT, command: 'central', ...options });
  onTestFinished(async () => {
    await program.kill();
    if (options.dir === undefined) program.cleanUp();
  });
  return program;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function call(at: Program, who: Holder, method: string, place: string, body?: object): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${at.httpPort}${place}`, {
    method,
    headers: { authorization: `ApiKey ${keyOf(who)}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const json = async (answer: Promise<Answer>): Promise<Json> => JSON.parse((await answer).text);

/** Each plant gets an order, a coil, a location and a profile with the same ids, and another content. */
async function fill(at: Program, plantId: string): Promise<void> {
  const local = `/plant/${plantId}/api/local/plant`;
  const business = `/plant/${plantId}/api/v1`;
  const add = async (who: Holder, place: string, body: object) =>
    expect(await call(at, who, 'POST', place, body)).toMatchObject({ status: 201 });
  await add('chief', `${local}/locations`, { code: 'WH-A1', name: `Rack of ${plantId}`, category: 'Warehouse' });
  await add('chief', `${local}/coils`, { coilId: 'C-1', location: 'WH-A1', color: plantId });
  if (plantId !== 'default') await add('chief', `${local}/catalogs`, { catalogId: 1, name: plantId, default: true });
  const products = [{ toolingDetail: { toolingCode: plantId } }];
  expect((await call(at, 'erp', 'POST', `${business}/orders/add`, { documentID: 'O-1', products })).status).toBe(200);
  const profile = { profileName: 'Eave', description: plantId, features: [{ type: 'Straight', length: 4 }] };
  expect((await call(at, 'erp', 'POST', `${business}/profiles`, profile)).status).toBe(200);
}

/** What a plant has under the ids that all plants use. */
async function contentsOf(at: Program, plantId: string): Promise<Json> {
  const local = `/plant/${plantId}/api/local`;
  const [coil, locations, orders, profiles, audit] = await Promise.all([
    json(call(at, 'erp', 'GET', `/plant/${plantId}/api/v1/coils/C-1`)),
    json(call(at, 'chief', 'GET', `${local}/plant/locations`)),
    json(call(at, 'chief', 'GET', `${local}/plant/orders`)),
    json(call(at, 'erp', 'GET', `/plant/${plantId}/api/v1/profiles`)),
    json(call(at, 'chief', 'GET', `${local}/audit`)),
  ]);
  return {
    color: coil.color,
    locations: locations.map(({ name }: Json) => name),
    orders: orders.map(({ products }: Json) => products[0].toolingDetail.toolingCode),
    profiles: profiles.map(({ description }: Json) => description),
    orderActs: audit.entries.filter(({ act }: Json) => act === 'addOrder').length,
  };
}

const contentsWith = (plantId: string) => ({
  color: plantId,
  locations: [`Rack of ${plantId}`],
  orders: [plantId],
  profiles: [plantId],
  orderActs: 1,
});

describe.each(['SQLite', 'PostgreSQL'])('plants on %s', (store) => {
  it('D-108 the same id in three plants is three records, also after the plug was pulled', {
    timeout: 60_000,
  }, async () => {
    const first = await start({ settings: await settingsFor(store) });
    for (const { id } of PLANTS) await fill(first, id);
    for (const { id } of PLANTS) expect(await contentsOf(first, id)).toEqual(contentsWith(id));
    await first.kill();
    const second = await start({ dir: first.dir });
    for (const { id } of PLANTS) expect(await contentsOf(second, id)).toEqual(contentsWith(id));
  });

  it('D-108 D-27 what people did at a gateway is done in its plant, once', { timeout: 60_000 }, async () => {
    const first = await start({ settings: await settingsFor(store) });
    for (const { id } of PLANTS) await fill(first, id);
    const sender = new BatchSender('tulsa-01', randomUUID);
    const order = (color: string) =>
      JSON.stringify({ documentID: 'O-1', products: [{ toolingDetail: { toolingCode: color } }] });
    const put = operationOf(
      { type: 'orderPut', orderKey: 'documentID O-1', json: order('at tulsa'), isNew: false },
      Date.now(),
    );
    const batch = sender.queue([put]).batch() ?? expect.fail('nothing waits');
    const send = (at: Program) => call(at, 'gateTulsa', 'POST', '/api/v1/sync', JSON.parse(batch.json));
    expect(await send(first)).toMatchObject({ status: 200, text: expect.stringContaining('"refused":[]') });
    const ordersOf = async (at: Program) =>
      Promise.all(PLANTS.map(async ({ id }) => (await contentsOf(at, id)).orders));
    expect(await ordersOf(first)).toEqual([['default'], ['at tulsa'], ['dayton']]);
    // The office changes the order, and then the batch comes again, because its answer was lost.
    await first.kill();
    const second = await start({ dir: first.dir });
    expect(
      (await call(second, 'erpTulsa', 'POST', '/api/v1/orders/add', JSON.parse(order('by the office')))).status,
    ).toBe(200);
    expect(await send(second)).toMatchObject({ status: 200, text: expect.stringContaining('"isRepeated":true') });
    expect(await ordersOf(second)).toEqual([['default'], ['by the office'], ['dayton']]);
    // A restored gateway sends it in another batch: the plant knows the operation itself.
    const restored = new BatchSender('tulsa-02', randomUUID).queue([put]).batch() ?? expect.fail('nothing waits');
    const resent = await call(second, 'gateTulsa', 'POST', '/api/v1/sync', JSON.parse(restored.json));
    expect(resent).toMatchObject({ status: 200, text: expect.stringContaining('"isRepeated":false') });
    expect(await ordersOf(second)).toEqual([['default'], ['by the office'], ['dayton']]);
    const gateways = await json(call(second, 'techTulsa', 'GET', '/api/local/gateways'));
    expect(gateways.map(({ gatewayId, plantId }: Json) => `${gatewayId} in ${plantId}`)).toEqual([
      'tulsa-01 in tulsa',
      'tulsa-02 in tulsa',
    ]);
    expect(await json(call(second, 'techDayton', 'GET', '/api/local/gateways'))).toEqual([]);
  });

  it('D-108 a server that gets plants keeps what it has in the first one', { timeout: 60_000 }, async () => {
    const settings = await settingsFor(store);
    const withoutPlants = settings.replace(/^plants: .*$/m, 'plants: []');
    const plant = JSON.stringify({
      ...JSON.parse(PLANT),
      apiKeys: [{ principal: 'c', role: 'admin', key: keyOf('chief') }],
    });
    const before = await start({ settings: withoutPlants, plant });
    await call(before, 'chief', 'POST', '/api/local/plant/coils', { coilId: 'C-1', location: 'WH-A1' });
    const products = [{ toolingDetail: { toolingCode: 'old' } }];
    expect((await call(before, 'chief', 'POST', '/api/v1/orders/add', { documentID: 'O-1', products })).status).toBe(
      200,
    );
    expect(await json(call(before, 'chief', 'GET', '/api/local/plants'))).toEqual([
      { plantId: 'default', name: 'default' },
    ]);
    await before.kill();
    Program.configure(before.dir, settings);
    const after = await start({ dir: before.dir });
    const orders = (place: string) => json(call(after, 'chief', 'GET', `${place}/api/local/plant/orders`));
    expect(await orders('')).toEqual([{ documentID: 'O-1', products }]);
    expect(await orders('/plant/default')).toEqual([{ documentID: 'O-1', products }]);
    expect(await orders('/plant/tulsa')).toEqual([]);
  });
});

describe('a caller', () => {
  let server: Program;
  beforeAll(async () => {
    server = await Program.start({ plant: PLANT, command: 'central', settings: await settingsFor('SQLite') });
    for (const { id } of PLANTS) await fill(server, id);
  }, 60_000);
  afterAll(async () => {
    await server.kill();
    server.cleanUp();
  });

  it.each<[Holder, string, string | RegExp]>([
    ['erpFirst', '', 'default'],
    ['erp', '', 'default'],
    ['erpTulsa', '', 'tulsa'],
    ['erpBoth', '', /^400 .*plant: found none, and erpBoth is for several: put \/plant\/tulsa or \/plant\/dayton/],
    ['erp', '/plant/tulsa', 'tulsa'],
    ['erp', '/plant/default', 'default'],
    ['erpBoth', '/plant/dayton', 'dayton'],
    ['erpFirst', '/plant/default', 'default'],
    ['erpFirst', '/plant/tulsa', /^403 .*plant: found tulsa, expected one of erpFirst: default/],
    ['erpTulsa', '/plant/default', /^403 .*expected one of erpTulsa: tulsa/],
    ['erpTulsa', '/plant/nowhere', /^403/],
    ['erp', '/plant/nowhere', /^404 .*plant: found nowhere, expected default, tulsa or dayton/],
    ['erp', '/plant/a%2Fb', /^404 .*plant: found a\/b/],
  ])('D-108 %s at %s/api/v1 is in its plant, or learns what to do', async (who, prefix, expected) => {
    const answer = await call(server, who, 'GET', `${prefix}/api/v1/coils/C-1`);
    if (typeof expected === 'string') expect(JSON.parse(answer.text).color).toBe(expected);
    else expect(`${answer.status} ${answer.text}`).toMatch(expected);
  });

  it.each<[Holder, readonly string[]]>([
    ['chief', ['default', 'tulsa', 'dayton']],
    ['erp', ['default', 'tulsa', 'dayton']],
    ['erpFirst', ['default']],
    ['techBoth', ['tulsa', 'dayton']],
  ])('D-108 %s is told its plants', async (who, expected) => {
    const plants = await json(call(server, who, 'GET', '/api/local/plants'));
    expect(plants.map(({ plantId }: Json) => plantId)).toEqual(expected);
  });

  it('D-108 a person for several plants sees one of them without a choice', async () => {
    const orders = await json(call(server, 'techBoth', 'GET', '/api/local/orders'));
    expect(orders.rows[0].toolingCode ?? orders.rows[0].toolingCodes).toEqual(expect.anything());
    expect(await json(call(server, 'techTulsa', 'GET', '/api/local/orders'))).toEqual(orders);
  });

  const KEY = { principal: 'new', role: 'business', key: 'new-key-01234567890123' };
  it.each<[Holder, string, string, object, number]>([
    ['chief', 'POST', '/plant/tulsa/api/local/plant/apiKeys', KEY, 201],
    ['chiefTulsa', 'POST', '/api/local/plant/apiKeys', KEY, 403],
    ['chiefTulsa', 'POST', '/plant/tulsa/api/local/plant/apiKeys', KEY, 403],
    ['chiefFirst', 'POST', '/api/local/plant/users', { name: 'eve', role: 'admin', password: 'a long password' }, 403],
    ['chiefFirst', 'PUT', '/api/local/settings', {}, 403],
    ['chiefTulsa', 'POST', '/plant/tulsa/api/local/fleet/groups', { name: 'North' }, 403],
    ['chiefTulsa', 'POST', '/plant/tulsa/api/local/plant/locations', location('WH-B1'), 201],
    ['chiefTulsa', 'POST', '/api/local/plant/locations', location('WH-B2'), 201],
    ['chiefFirst', 'POST', '/api/local/plant/locations', location('WH-B3'), 201],
    ['chiefFirst', 'POST', '/plant/tulsa/api/local/plant/locations', location('WH-B4'), 403],
    ['chiefFirst', 'POST', '/api/local/plant/loads', {}, 403],
  ])('D-108 %s may change what is its own: %s %s', async (who, method, place, body, status) => {
    expect(await call(server, who, method, place, body)).toMatchObject({ status });
  });

  it('D-108 a key that was made while a plant was chosen is the key of the whole server', async () => {
    const keys = await json(call(server, 'chief', 'GET', '/api/local/plant/apiKeys'));
    expect(keys.map(({ principal }: Json) => principal)).toContain('new');
    expect(await json(call(server, 'chief', 'GET', '/plant/dayton/api/local/plant/apiKeys'))).toEqual(keys);
  });

  it('D-108 a backup by hand has all plants, and that of a plant is its own', async () => {
    const backups = () =>
      ['backups', 'plants/tulsa/backups', 'plants/dayton/backups'].map((place) => {
        const directory = path.join(server.dir, 'data', place);
        return existsSync(directory) ? readdirSync(directory).length : 0;
      });
    expect((await call(server, 'chiefFirst', 'POST', '/api/local/backups')).status).toBe(403);
    expect((await call(server, 'chiefTulsa', 'POST', '/api/local/backups')).status).toBe(201);
    expect(backups()).toEqual([0, 1, 0]);
    // Their names have seconds.
    await delay(1_000);
    expect((await call(server, 'chief', 'POST', '/api/local/backups')).status).toBe(201);
    expect(backups()).toEqual([1, 2, 1]);
  });
});

function location(code: string): object {
  return { code, name: code, category: 'Warehouse' };
}

it('D-108 two nodes have the same records of each plant', { timeout: 60_000 }, async () => {
  const settings = await settingsFor('PostgreSQL');
  const a = await start({ settings });
  const b = await start({ settings });
  for (const [index, { id }] of PLANTS.entries()) await fill(index % 2 === 0 ? a : b, id);
  for (const node of [a, b]) {
    for (const { id } of PLANTS) expect(await contentsOf(node, id)).toEqual(contentsWith(id));
  }
  const products = [{ toolingDetail: { toolingCode: 'new' } }];
  expect((await call(b, 'erpTulsa', 'POST', '/api/v1/orders/add', { documentID: 'O-2', products })).status).toBe(200);
  const orderIds = async (plantId: string) =>
    (await json(call(a, 'chief', 'GET', `/plant/${plantId}/api/local/plant/orders`))).map(
      (order: Json) => order.documentID,
    );
  expect(await orderIds('tulsa')).toEqual(['O-1', 'O-2']);
  expect(await orderIds('default')).toEqual(['O-1']);
});
