import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlantFlows } from '../../../src/adapters/http/http-servers.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import type { ApiKey, Role } from '../../../src/domain/plant/plant.ts';
import type { BatchFact } from '../../../src/domain/sync/batch.ts';
import { shiftFact, statusFact, stopFact } from '../../central/reporting-gateways.ts';
import { AT, BatchSender, points, syncCalls } from '../../fakes/batch-sender.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';
import { RF1 } from '../store/open-test-store.ts';
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts';

const HOUR_MS = 3_600_000;
const DATE = '2026-03-03';
const START = Date.parse(`${DATE}T12:00:00Z`);
const DAY = `from=${DATE}&to=${DATE}`;

let keys: readonly ApiKey[] = [];
let gateway: GatewayUnderTest;
const { deliver } = syncCalls(() => gateway);
const senders = new Map<string, BatchSender>();

async function key(name: string, role: Role, plants?: readonly string[]): Promise<ApiKey> {
  const keyHash = await createSecrets().hash('key', name);
  return { id: name, principal: name, role, since: null, isPanel: false, keyHash, ...(plants && { plants }) };
}

const recordsOf = (goodParts: number): readonly BatchFact[] => [
  {
    kind: 'span',
    span: { spanId: 's', machineId: RF1, activity: 'running', startedAt: START, endedAt: START + HOUR_MS },
  },
  stopFact(START + HOUR_MS, START + 2 * HOUR_MS, 'DT-01'),
  shiftFact({ goodParts }, DATE),
  statusFact('{}', AT),
];

beforeAll(async () => {
  keys = await Promise.all([
    key('gateway-of-none', 'gateway'),
    key('gateway-of-dayton', 'gateway', ['dayton']),
    key('gateway-of-tulsa', 'gateway', ['tulsa']),
    key('of-default', 'technician'),
    key('of-dayton', 'technician', ['dayton']),
    key('of-tulsa', 'technician', ['tulsa']),
    key('of-both', 'technician', ['dayton', 'tulsa']),
    key('of-all', 'technician', ['*']),
    key('admin', 'admin'),
    key('admin-of-dayton', 'admin', ['dayton']),
  ]);
  // Gateways are the whole server's: the further plants need no records of their own.
  const furtherPlants = new Map(['dayton', 'tulsa'].map((plantId) => [plantId, {} as PlantFlows]));
  const plantNames = ['default', 'dayton', 'tulsa'].map((plantId) => ({ plantId, name: plantId }));
  gateway = await startGateway({ options: { apiKeys: () => keys, furtherPlants, plantNames } });
  for (const [gatewayId, ofPlant, goodParts] of [
    ['boise-01', 'none', 1],
    ['dayton-01', 'dayton', 10],
    ['dayton-02', 'dayton', 20],
    ['tulsa-01', 'tulsa', 400],
  ] as const) {
    const sender = new BatchSender(gatewayId, randomUUID).queue(recordsOf(goodParts), [points(1)]);
    expect((await deliver(sender, `gateway-of-${ofPlant}`)).status).toBe(200);
    senders.set(gatewayId, sender);
  }
  await gateway.adder.addUp();
  await gateway.options.fleet?.look();
});
afterAll(() => gateway.close());

const local = (caller: string, path: string) => gateway.as(caller, 'GET', `/api/local${path}`);
const listOf = async (caller: string, path: string) =>
  (await local(caller, path)).body as readonly { readonly gatewayId: string; readonly plantId: string }[];

const SEEN: readonly [string, readonly string[]][] = [
  ['of-default', ['boise-01']],
  ['of-dayton', ['dayton-01', 'dayton-02']],
  ['of-tulsa', ['tulsa-01']],
  ['of-both', ['dayton-01', 'dayton-02', 'tulsa-01']],
  ['of-all', ['boise-01', 'dayton-01', 'dayton-02', 'tulsa-01']],
  ['admin', ['boise-01', 'dayton-01', 'dayton-02', 'tulsa-01']],
];

describe('D-108 of gateways and their machines', () => {
  it.each(SEEN)('the key %s sees those of its plants in lists, and the sums of these alone', async (caller, seen) => {
    const gateways = await listOf(caller, '/gateways');
    expect(gateways.map(({ gatewayId }) => gatewayId).sort()).toEqual(seen);
    for (const { gatewayId, plantId } of gateways)
      expect(plantId).toBe(gatewayId === 'boise-01' ? 'default' : gatewayId.replace(/-\d+$/, ''));
    const { machines } = (await local(caller, '/fleet/machines')).body as { machines: typeof gateways };
    expect(machines.map(({ gatewayId }) => gatewayId)).toEqual(seen);
    const sums = await local(caller, `/production/sums?by=gateway&gatewayId=*&${DAY}`);
    expect((sums.body as { rows: { key: string }[] }).rows.map((row) => row.key)).toEqual(seen);
    const all = new Map([...senders.keys()].map((id, place) => [id, [1, 10, 20, 400][place] ?? 0]));
    const made = seen.reduce((sum, id) => sum + (all.get(id) ?? 0), 0);
    expect(sums.body).toMatchObject({ total: { goodParts: made } });
    const log = await local(caller, `/production/log?gatewayId=*&${DAY}`);
    expect(log.body).toMatchObject({ total: { count: seen.length } });
    const { text: totals } = await local(caller, `/production.csv?gatewayId=*&${DAY}`);
    const plants = totals.matchAll(/,([\w-]+)\/RF-01,.*,(\w+)\r?$/gm);
    expect([...plants].map(([, id = '', plantId]) => `${id} ${plantId}`).sort()).toEqual(
      gateways.map(({ gatewayId, plantId }) => `${gatewayId} ${plantId}`).sort(),
    );
    for (const path of ['production.csv?', 'production/log?format=csv&', 'production/sums?by=machine&format=csv&']) {
      const { text } = await local(caller, `/${path}gatewayId=*&${DAY}`);
      expect([...senders.keys()].filter((id) => text.includes(`${id}/RF-01`)).sort()).toEqual(seen);
    }
  });

  it.each([
    '/gateways/ID/machines',
    '/gateways/ID/machines/RF-01/status',
    '/gateways/ID/machines/RF-01/downtimes',
    '/gateways/ID/machines/RF-01/workSessions',
    '/gateways/ID/machines/RF-01/anomalies',
    '/gateways/ID/machines/RF-01/production',
    `/gateways/ID/machines/RF-01/timeline?from=${DATE}T00:00:00Z&to=${DATE}T23:00:00Z`,
    `/gateways/ID/machines/RF-01/variables/lineSpeed?shiftDate=${DATE}`,
    `/gateways/ID/machines/RF-01/variables/lineSpeed?format=csv&shiftDate=${DATE}`,
    `/production/sums?by=day&gatewayId=ID&${DAY}`,
    `/production/sums?by=day&machineId=ID%2FRF-01&${DAY}`,
    `/production/work?by=part&gatewayId=ID&${DAY}`,
    `/production/stops?by=reason&gatewayId=ID&compare=before&${DAY}`,
    `/production/stops/longest?machineId=ID%2FRF-01&${DAY}`,
    `/production/log?gatewayId=ID&${DAY}`,
    `/production/log?format=csv&gatewayId=ID&${DAY}`,
    `/production.csv?gatewayId=ID&${DAY}`,
    `/production.csv?machineId=ID%2FRF-01&${DAY}`,
  ])('%s is not there for a key of another plant, in the words for one that nobody has', async (path) => {
    const ask = (caller: string, id: string) => local(caller, path.replace('ID', id));
    expect((await ask('of-dayton', 'dayton-01')).status).toBe(200);
    const [other, nobody] = [await ask('of-dayton', 'tulsa-01'), await ask('of-dayton', 'nobody')];
    expect(nobody.status).toBe(404);
    expect({ ...other, text: other.text.replaceAll('tulsa-01', 'nobody') }).toMatchObject({
      status: 404,
      text: nobody.text,
    });
  });

  it.each<[string, string, object?]>([
    ['PUT', '/gateways/ID', { name: 'Mine' }],
    ['DELETE', '/gateways/ID'],
    ['POST', '/gateways/grant', { gatewayId: 'ID', stream: 'any' }],
  ])('%s %s does nothing for an administrator of another plant', async (method, path, body) => {
    const ask = (id: string) => {
      const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body).replace('ID', id));
      return gateway.as('admin-of-dayton', method, `/api/local${path.replace('ID', id)}`, sent);
    };
    const [other, nobody] = [await ask('tulsa-01'), await ask('nobody')];
    expect([other.status, other.text.replaceAll('tulsa-01', 'nobody')]).toEqual([404, nobody.text]);
    expect(await listOf('of-tulsa', '/gateways')).toMatchObject([{ gatewayId: 'tulsa-01', name: null }]);
  });

  it.each([
    ['of-both', 'sums?by=plant&gatewayId=*', { rows: [{ key: 'dayton', goodParts: 30 }, { key: 'tulsa' }] }],
    ['of-both', 'sums?by=plant&plantId=dayton', { total: { goodParts: 30 }, rows: [{ key: 'dayton' }] }],
    ['of-all', 'sums?by=gateway&plantId=tulsa', { rows: [{ key: 'tulsa-01', goodParts: 400 }] }],
    [
      'of-both',
      'stops?by=plant&gatewayId=*',
      {
        rows: [
          { key: 'dayton', count: 2 },
          { key: 'tulsa', count: 1 },
        ],
      },
    ],
    ['of-both', 'log?plantId=tulsa', { total: { count: 1 } }],
    ['of-both', 'sums?by=gateway&plantId=default', { total: { goodParts: 0 }, rows: [] }],
    ['of-both', 'sums?by=gateway&plantId=nowhere', { total: { goodParts: 0 }, rows: [] }],
  ])('the key %s gets %s', async (caller, path, body) => {
    expect(await local(caller, `/production/${path}&${DAY}`)).toMatchObject({ status: 200, body });
  });

  it('machines are listed of one plant, and our own have no plant to split by', async () => {
    const { body } = await local('of-both', '/fleet/machines?plantId=dayton&limit=1');
    expect(body).toMatchObject({ machines: [{ gatewayId: 'dayton-01', plantId: 'dayton' }], next: 'dayton-01/RF-01' });
    expect(await local('of-both', '/fleet/machines?plantId=default')).toMatchObject({ body: { machines: [] } });
    expect(await local('of-all', `/production/sums?by=plant&${DAY}`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('by: found plant'),
    });
  });

  it('metrics name the plant of a gateway, and only at a server with several plants', async () => {
    const metrics = async (of: GatewayUnderTest) =>
      (await of.call('GET', '/metrics')).text.match(/^plantgate_received_machines\{.*$/gm) ?? [];
    expect(await metrics(gateway)).toContain('plantgate_received_machines{gateway="tulsa-01",plant="tulsa"} 1');
    const other = await startGateway();
    const sent = await syncCalls(() => other).deliver(new BatchSender('north', randomUUID).queue(recordsOf(1)));
    expect(sent.status).toBe(200);
    await other.options.fleet?.look();
    expect(await metrics(other)).toEqual(['plantgate_received_machines{gateway="north"} 1']);
    await other.close();
  });

  it('a gateway moves with its key: by its next report, or by its next batch', async () => {
    const sender = senders.get('boise-01') ?? expect.fail('it has sent');
    const moved = (plants: readonly string[]) => {
      keys = keys.map((one) => (one.id === 'gateway-of-none' ? { ...one, plants } : one));
    };
    const { gatewayId, stream } = sender;
    moved(['tulsa']);
    const report = { gatewayId, stream, health: HEALTHY };
    expect((await gateway.as('gateway-of-none', 'POST', '/api/v1/sync/health', report)).body).toMatchObject({
      isKept: true,
    });
    await gateway.options.fleet?.look();
    expect((await listOf('of-tulsa', '/gateways')).map((one) => one.gatewayId).sort()).toEqual([
      'boise-01',
      'tulsa-01',
    ]);
    moved(['dayton']);
    expect((await deliver(sender.queue([statusFact('{}')]), 'gateway-of-none')).status).toBe(200);
    expect((await listOf('of-tulsa', '/gateways')).map((one) => one.gatewayId)).toEqual(['tulsa-01']);
    expect((await listOf('of-dayton', '/gateways')).length).toBe(3);
  });
});
