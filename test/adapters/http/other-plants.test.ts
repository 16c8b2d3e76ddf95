import { randomUUID } from 'node:crypto';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { surfaces } from '../../../src/adapters/http/surfaces.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import type { AlertRule } from '../../../src/domain/alert/alert-rule.ts';
import type { ApiKey, Role } from '../../../src/domain/plant/plant.ts';
import type { BatchFact } from '../../../src/domain/sync/batch.ts';
import type { AlertView } from '../../../src/flows/alert/alert-views.ts';
import { shiftFact, statusFact, stopFact } from '../../central/reporting-gateways.ts';
import { AT, BatchSender, points, syncCalls } from '../../fakes/batch-sender.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';
import { RF1 } from '../store/open-test-store.ts';
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts';

/** Two plants with a gateway each. Its id, and what people call it, must be in no answer to a caller of the other plant. */
const OF_BOISE = { gatewayId: 'alpha-1', name: 'Alpha Hall', plantId: 'default', hidden: /omega/i };
const OF_TULSA = { gatewayId: 'omega-1', name: 'Omega Hall', plantId: 'tulsa', hidden: /alpha/i };
const GATEWAYS = [OF_BOISE, OF_TULSA] as const;
const DATE = '2026-03-03';
const RANGE = `from=${DATE}T00:00:00Z&to=${DATE}T23:00:00Z`;
const DAY = `from=${DATE}&to=${DATE}&gatewayId=*`;

const START = Date.parse(`${DATE}T12:00:00Z`);
const END = START + 3_600_000;
const RECORDS: readonly BatchFact[] = [
  { kind: 'span', span: { spanId: 's', machineId: RF1, activity: 'running', startedAt: START, endedAt: END } },
  stopFact(END, END + 3_600_000, 'DT-01'),
  shiftFact({ goodParts: 5 }, DATE),
  statusFact('{}', AT),
];

let gateway: GatewayUnderTest;
let keys: readonly ApiKey[] = [];
let groupId = '';
const { deliver } = syncCalls(() => gateway);
const senders = new Map<string, BatchSender>();

async function key(name: string, role: Role, plants: readonly string[]): Promise<ApiKey> {
  const keyHash = await createSecrets().hash('key', name);
  return { id: name, principal: name, role, since: null, isPanel: false, keyHash, plants };
}

const local = (caller: string, method: string, path: string, body?: unknown) =>
  gateway.as(caller, method, `/api/local${path}`, body);

async function report(gatewayId: string, setAside: number): Promise<void> {
  const { stream } = senders.get(gatewayId) ?? expect.fail('it has sent');
  const update = { arch: 'x64', obstacle: null, upForMs: 0, taken: null };
  const told = { refused: null, deviationCount: 0, deviations: [], preview: null };
  const plan = { groupId, version: 1, appliedForMs: 0, ...told };
  const body = { gatewayId, stream, health: { ...HEALTHY, setAside, update, plan } };
  const answer = await gateway.as(`gateway-${gatewayId}`, 'POST', '/api/v1/sync/health', body);
  expect(answer.body).toMatchObject({ isKept: true });
}

/** Each gateway has a trouble, or has it no more, and the alerts have noticed. */
async function trouble(setAside: number): Promise<void> {
  for (const { gatewayId } of GATEWAYS) await report(gatewayId, setAside);
  await gateway.options.fleet?.look();
  for (let look = 0; look < 4; look += 1) {
    gateway.pass(61_000);
    await gateway.options.alerts.alerts.look();
  }
}

const openAlerts = async (caller: string) => (await local(caller, 'GET', '/alerts')).body as readonly AlertView[];

beforeAll(async () => {
  keys = await Promise.all([
    ...GATEWAYS.map(({ gatewayId, plantId }) => key(`gateway-${gatewayId}`, 'gateway', [plantId])),
    ...GATEWAYS.map(({ plantId }) => key(`of-${plantId}`, 'admin', [plantId])),
    ...GATEWAYS.map(({ plantId }) => key(`technician-${plantId}`, 'technician', [plantId])),
    key('of-all', 'admin', ['*']),
  ]);
  gateway = await startGateway({
    plants: [
      { plantId: 'default', name: 'Boise' },
      { plantId: 'tulsa', name: 'Tulsa' },
    ],
    options: { apiKeys: () => keys },
  });
  for (const { gatewayId, name } of GATEWAYS) {
    const sender = new BatchSender(gatewayId, randomUUID);
    senders.set(gatewayId, sender);
    sender.queue(RECORDS, [points(1)]);
    expect((await deliver(sender, `gateway-${gatewayId}`)).status).toBe(200);
    expect((await local('of-all', 'PUT', `/gateways/${gatewayId}`, { name })).status).toBe(204);
  }
  await gateway.adder.addUp();
  await gateway.options.fleet?.look();
  const rules = (await local('of-all', 'GET', '/alerts/rules')).body as readonly AlertRule[];
  const rule = rules.find(({ kind }) => kind === 'gatewaySetAside') ?? expect.fail('there is one');
  const { kind, limit, machineIds, areas, shifts, isPlanOnly, variable, steps } = rule;
  const on = { kind, isOn: true, limit, machineIds, areas, shifts, isPlanOnly, variable, steps };
  expect((await local('of-all', 'PUT', '/alerts/rules/gatewaySetAside', on)).status).toBe(200);
  groupId = ((await local('of-all', 'POST', '/fleet/groups', { name: 'North' })).body as { groupId: string }).groupId;
  for (const { gatewayId } of GATEWAYS) {
    expect((await local('of-all', 'PUT', `/fleet/groups/${groupId}/gateways/${gatewayId}`)).status).toBe(204);
  }
  const update = { updateId: 'u', archiveId: 'a', version: '99.0.0', arch: 'x64', bytes: 1, atOnce: 1, at: 1 };
  const canaries = GATEWAYS.map(({ gatewayId }) => gatewayId);
  const terms = {
    canaries,
    who: 'ada',
    state: 'stopped',
    why: 'alpha-1: it is not heard any more',
    passed: [],
  } as const;
  await gateway.options.rollOuts.step();
  await gateway.store.write([{ kind: 'rollOut', rollOut: { groupId, ...update, ...terms } }]);
  // One alert of each gateway that is over, and one that is open.
  await trouble(3);
  await trouble(0);
  await trouble(3);
  expect(await openAlerts('of-all')).toHaveLength(2);
});
afterAll(() => gateway.close());

/** What a route is asked, where it has to be asked something. */
const QUERIES: Readonly<Record<string, string>> = {
  '/alerts': 'state=over',
  '/downtimes': 'limit=10',
  '/scan': 'code=P-100',
  '/production.csv': DAY,
  '/production/log': DAY,
  '/production/stops': `by=reason&${DAY}`,
  '/production/stops/longest': DAY,
  '/production/sums': `by=gateway&${DAY}`,
  '/production/work': `by=part&${DAY}`,
  '/machines/:machineId/production/shifts': `from=${DATE}&to=${DATE}`,
  '/machines/:machineId/delivery': 'profileId=1',
  '/orders/items': 'orderKey=1',
  '/plan': 'gatewayId=GATEWAY&stream=any',
  '/update/:updateId': 'gatewayId=GATEWAY&stream=any&from=0',
  '/fleet/groups/:groupId/difference': 'from=0&to=1',
};

/** Each route that reads, with the ids of the caller's own gateway. */
function reads(gatewayId: string): readonly string[] {
  return surfaces(gateway.options)
    .flatMap(({ prefix, routes }) => routes.map((route) => ({ ...route, prefix })))
    .filter(({ method, path, role }) => method === 'GET' && path !== '/events' && role !== 'anyone')
    .map(({ prefix, path }) => {
      const needsRange = /\/(timeline|variables\/:name|course)$/.test(path);
      const query = QUERIES[path] ?? (needsRange ? RANGE : '');
      const filled = path
        .replace(':gatewayId', gatewayId)
        .replace(':groupId', groupId)
        .replace(/:name\b/, 'lineSpeed')
        .replace(':machineId', 'RF-01')
        .replace(/:\w+/g, '1');
      const asked = query === '' ? '' : `?${query.replace('GATEWAY', gatewayId)}`;
      return `${prefix}${filled === '/' ? '' : filled}${asked}`;
    });
}

describe('D-109 who is not for all plants', () => {
  it.each(GATEWAYS)('is told nothing of gateways of other plants by any route, in $plantId', async (own) => {
    const named: string[] = [];
    const failed: string[] = [];
    for (const path of reads(own.gatewayId)) {
      const { status, text } = await gateway.as(`of-${own.plantId}`, 'GET', path);
      if (status === 400 || status >= 500) failed.push(`${path}: ${text}`);
      expect(`${path} ${own.hidden.exec(text)?.[0] ?? ''}`).toBe(`${path} `);
      const whole = await gateway.as('of-all', 'GET', path);
      if (own.hidden.test(whole.text)) named.push(`${path.replace(/\?.*/, '').replace(groupId, 'ID')} ${status}`);
    }
    expect(failed).toEqual([]);
    // The test would find nothing if these did not name gateways.
    expect(named.sort()).toEqual(
      [
        '/api/local/alerts 200',
        ...(own.plantId === 'tulsa' ? ['/api/local/audit 200', '/api/local/audit.csv 200'] : []),
        '/api/local/diagnostics 200',
        '/api/local/fleet/groups 200',
        '/api/local/fleet/groups/ID 200',
        '/api/local/fleet/groups/ID/update 200',
        '/api/local/fleet/machines 200',
        '/api/local/gateways 200',
        '/api/local/production.csv 200',
        '/api/local/production/sums 200',
        '/api/local/production/log 200',
        '/api/local/production/stops/longest 200',
      ].sort(),
    );
  });

  it.each(GATEWAYS)('sees alerts about gateways of $plantId alone, open and over, and their number', async (own) => {
    const caller = `technician-${own.plantId}`;
    expect(await openAlerts(caller)).toMatchObject([{ subject: own.gatewayId }]);
    for (const limit of [1, 10]) {
      const past = await local(caller, 'GET', `/alerts?state=over&limit=${limit}`);
      expect(past.body).toMatchObject([{ subject: own.gatewayId }]);
    }
    const raised = async (who: string) =>
      ((await local(who, 'GET', '/alerts/rules')).body as readonly { kind: string; raised: number }[]).find(
        ({ kind }) => kind === 'gatewaySetAside',
      )?.raised;
    expect([await raised(caller), await raised('of-all')]).toEqual([2, 4]);
  });

  it('takes no alert about a gateway of another plant, in the words for one that nobody has', async () => {
    const other = (await openAlerts('of-all')).find(({ subject }) => subject === OF_BOISE.gatewayId);
    const take = (alertId: string) => local('technician-tulsa', 'POST', `/alerts/${alertId}/take`, {});
    const [hidden, nobody] = [await take(other?.alertId ?? ''), await take('nobody')];
    expect([hidden.status, hidden.text.replaceAll(other?.alertId ?? '', 'nobody')]).toEqual([404, nobody.text]);
    const [own] = await openAlerts('technician-tulsa');
    expect(await take(own?.alertId ?? '')).toMatchObject({ status: 200, body: { takenBy: 'technician-tulsa' } });
  });

  it('sees a group with its own gateways, and no reason of another one for which an update has stopped', async () => {
    const path = `/fleet/groups/${groupId}/update`;
    const why = async (caller: string) => ((await local(caller, 'GET', path)).body as { update: object }).update;
    expect(await why('of-tulsa')).toMatchObject({ state: 'stopped', why: '', canaries: ['omega-1'], gateways: [{}] });
    expect(await why('of-default')).toMatchObject({ why: 'alpha-1: it is not heard any more', canaries: ['alpha-1'] });
    expect(await why('of-all')).toMatchObject({ gateways: [{}, {}] });
  });

  it('counts the incidents of its own gateways', async () => {
    const counts = async (caller: string) =>
      ((await local(caller, 'GET', '/diagnostics')).body as { counts: { sendingGateway: number } }).counts
        .sendingGateway;
    const own = await counts('technician-tulsa');
    expect(own).toBe(await counts('technician-default'));
    expect(await counts('of-all')).toBe(2 * own);
  });

  it('hears live of its own gateways alone, and after an absence too', async () => {
    const texts = await Promise.all(['technician-tulsa', 'technician-default', 'of-all'].map((who) => listen(who)));
    await trouble(0);
    await trouble(3);
    const [tulsa, boise, all] = texts;
    await expect.poll(() => all?.text).toMatch(/event: alert\ndata: .*alpha-1[\s\S]*event: alert\ndata: .*omega-1/);
    await expect.poll(() => tulsa?.text).toMatch(/event: alert\ndata: .*omega-1/);
    await expect.poll(() => boise?.text).toMatch(/event: alert\ndata: .*alpha-1/);
    await expect.poll(() => tulsa?.text).toMatch(/event: diagnostics/);
    expect(tulsa?.text).not.toMatch(OF_TULSA.hidden);
    expect(boise?.text).not.toMatch(OF_BOISE.hidden);
    const counted = (text = '') => /event: diagnostics\ndata: .*"sendingGateway":(\d+)/.exec(text)?.[1];
    expect(Number(counted(all?.text))).toBeGreaterThan(Number(counted(tulsa?.text)));
    const first = /^id: (.*)$/m.exec(tulsa?.text ?? '')?.[1] ?? '';
    const again = await listen('technician-tulsa', first);
    await expect.poll(() => again.text).toMatch(/event: alert\ndata: .*omega-1/);
    expect(again.text).not.toMatch(OF_TULSA.hidden);
  });
});

describe('D-109 the audit of a plant', () => {
  const actsOf = async (plantId: string) => {
    const { body } = await gateway.as('of-all', 'GET', `/plant/${plantId}/api/local/audit`);
    return (body as { entries: readonly { act: string; subject: string; before: unknown; after: unknown }[] }).entries;
  };
  const named = async (plantId: string, act: string) =>
    (await actsOf(plantId)).filter((one) => one.act === act).map(({ subject }) => subject);

  it('has the acts on its gateways, and no name of a gateway of another plant', async () => {
    for (const { alertId } of await openAlerts('of-all')) {
      expect((await local('of-all', 'POST', `/alerts/${alertId}/take`, {})).status).toBe(200);
    }
    const grant = { gatewayId: OF_TULSA.gatewayId, stream: 'any' };
    expect((await local('of-all', 'POST', '/gateways/grant', grant)).status).toBe(404);
    for (const { plantId, gatewayId, hidden } of GATEWAYS) {
      expect(await named(plantId, 'renameGateway')).toEqual([gatewayId]);
      expect(await named(plantId, 'joinGroup')).toEqual([`${gatewayId} in North`]);
      expect(await named(plantId, 'planApplied')).toContain(`${gatewayId} version 1`);
      expect(await named(plantId, 'takeAlert')).toContain(`gatewaySetAside ${gatewayId}`);
      const own = `/plant/${plantId}/api/local/audit?gatewayId=`;
      const about = (await gateway.as(`of-${plantId}`, 'GET', `${own}${gatewayId}`)).body;
      const { entries } = about as { readonly entries: readonly { readonly act: string }[] };
      const acts = ['takeAlert', 'planApplied', 'joinGroup', 'renameGateway'];
      expect(entries.map(({ act }) => act)).toEqual(expect.arrayContaining(acts));
      expect((await gateway.as('of-all', 'GET', `${own}${gatewayId.slice(0, -2)}`)).body).toMatchObject({
        entries: [],
      });
      for (const format of ['audit', 'audit.csv']) {
        const { text } = await gateway.as(`of-${plantId}`, 'GET', `/api/local/${format}`);
        expect(text).not.toMatch(hidden);
      }
    }
    // What is about no gateway is the whole server's.
    expect(await named('default', 'addGroup')).toEqual(['North']);
    expect(await named('tulsa', 'addGroup')).toEqual([]);
  });

  it('D-108 says that a gateway has come from another plant, and in that one that it has gone', async () => {
    const { gatewayId } = OF_TULSA;
    keys = keys.map((one) => (one.id === `gateway-${gatewayId}` ? { ...one, plants: ['default'] } : one));
    await report(gatewayId, 0);
    await gateway.options.fleet?.look();
    await gateway.options.fleet?.look();
    for (const plantId of ['default', 'tulsa']) {
      const moves = (await actsOf(plantId)).filter(({ act }) => act === 'moveGateway');
      expect(moves).toMatchObject([
        {
          who: `gateway-${gatewayId}`,
          subject: gatewayId,
          before: '{"plantId":"tulsa"}',
          after: '{"plantId":"default"}',
        },
      ]);
    }
  });
});

it('D-109 a server with one plant leaves nothing out, also not of a gateway that was retired', async () => {
  const one = await startGateway();
  onTestFinished(() => one.close());
  const gone = { kind: 'sendingGateway', subject: 'gone', gatewayId: 'gone', detail: 'gone' } as const;
  one.incidents.report(gone);
  const { body } = await one.as('key-of-the-technician', 'GET', '/api/local/diagnostics');
  expect(body).toMatchObject({ counts: { sendingGateway: 1 }, sendingGateway: [{ subject: 'gone' }] });
});

/** The events of a caller, from the event after that id on. */
async function listen(caller: string, lastEventId?: string): Promise<{ readonly text: string }> {
  const headers = {
    authorization: `ApiKey ${caller}`,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(`${gateway.url}/api/local/events`, { headers, agent: false }, resolve).on('error', reject);
  });
  onTestFinished(() => {
    response.destroy();
  });
  const heard = { text: '' };
  response.setEncoding('utf8').on('data', (text: string) => {
    heard.text += text;
  });
  response.on('error', () => undefined);
  await expect.poll(() => heard.text).toContain('retry:');
  return heard;
}
