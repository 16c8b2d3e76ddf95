import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlanReport } from '../../../src/domain/fleet/plan/plan-report.ts';
import { type BatchSender, points, syncCalls } from '../../fakes/batch-sender.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
const { freshSender, deliver } = syncCalls(() => gateway);

beforeAll(async () => {
  gateway = await startGateway({
    plantFile: { users: [{ name: 'ada', role: 'supervisor', password: 'correct-horse' }] },
  });
});
afterAll(() => gateway.close());

const admin = (method: string, place: string, body?: unknown) =>
  gateway.as(keyOf('admin'), method, `/api/local/fleet/groups${place}`, body);

let made = 0;
async function group(): Promise<string> {
  made += 1;
  const answer = await admin('POST', '', { name: `Group ${made}` });
  expect(answer.status).toBe(201);
  return `/${(answer.body as { readonly groupId: string }).groupId}`;
}

async function sender(): Promise<BatchSender> {
  const fresh = freshSender().queue([], [points(1)]);
  expect((await deliver(fresh)).status).toBe(200);
  await gateway.options.fleet?.look();
  return fresh;
}

/** A gateway in a group of its own. */
async function member() {
  const place = await group();
  const from = await sender();
  expect((await admin('PUT', `${place}/gateways/${from.gatewayId}`)).status).toBe(204);
  return { place, from, groupId: place.slice(1) };
}

const fetchPlan = ({ gatewayId, stream }: BatchSender, tag = '', key = keyOf('gateway')) =>
  gateway.call('GET', `/api/v1/sync/plan?${new URLSearchParams({ gatewayId, stream })}`, undefined, {
    authorization: `ApiKey ${key}`,
    'if-none-match': tag,
  });

const REASONS = { downtimeReasons: [{ id: 'DT-9', reason: 'Roof' }] };

describe('D-106 a plan of a group', () => {
  it('is fetched once by a gateway of the group, and then answered with 304 until something is new', async () => {
    const { place, from, groupId } = await member();
    const none = await fetchPlan(from);
    expect(none.body).toEqual({ groupId, rollOut: null, preview: null, update: null });
    expect((await admin('POST', `${place}/versions`, REASONS)).body).toEqual({ version: 1, isNew: true });
    expect((await fetchPlan(from, String(none.headers.etag))).status).toBe(304);
    await admin('PUT', `${place}/rollOut`, { version: 1 });
    const fetched = await fetchPlan(from, String(none.headers.etag));
    expect(fetched.body).toMatchObject({ rollOut: { version: 1, overwrite: false, plan: REASONS }, preview: null });
    const again = await fetchPlan(from, String(fetched.headers.etag));
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it.each([
    ['another data directory', (from: BatchSender) => ({ ...from, gatewayId: from.gatewayId, stream: 'copy' })],
    ['a gateway in no group', (from: BatchSender) => ({ ...from, gatewayId: 'nobody', stream: from.stream })],
  ])('is not given to %s', async (_, changed) => {
    const { place, from } = await member();
    await admin('POST', `${place}/versions`, REASONS);
    await admin('PUT', `${place}/rollOut`, { version: 1 });
    const answer = await fetchPlan(changed(from) as BatchSender);
    expect(answer.body).toEqual({ groupId: null, rollOut: null, preview: null, update: null });
  });

  it('has hashes for its secrets: of the file, of the version before, or of this server’s own person', async () => {
    const { place, from } = await member();
    const key = 'a-key-of-at-least-20-characters';
    const users = [{ name: 'ada', role: 'supervisor', pin: '4711' }];
    const first = { users, apiKeys: [{ principal: 'erp', role: 'business', key }] };
    await admin('POST', `${place}/versions`, first);
    const second = { users: [{ name: 'ada', role: 'admin' }], apiKeys: [{ principal: 'erp', role: 'viewer' }] };
    expect((await admin('POST', `${place}/versions`, second)).body).toMatchObject({ version: 2 });
    expect((await admin('POST', `${place}/versions`, first)).body).toMatchObject({ version: 3 });
    const texts: string[] = [];
    for (const version of [1, 2, 3]) {
      await admin('PUT', `${place}/rollOut`, { version });
      texts.push((await fetchPlan(from)).text);
    }
    const hashesIn = (text = '') =>
      [...text.matchAll(/"(\w+Hash)":"([^"]+)"/g)].map(([, field, hash]) => [field, hash]);
    expect(hashesIn(texts[0]).map(([field]) => field)).toEqual(['keyHash', 'passwordHash', 'pinHash']);
    expect(hashesIn(texts[1])).toEqual(hashesIn(texts[0]));
    expect(hashesIn(texts[2])).toEqual(hashesIn(texts[0]));
    expect(hashesIn(texts[0])[1]).toEqual(['passwordHash', gateway.plant.users()[0]?.passwordHash]);
    expect(texts.join()).not.toContain('4711');
    const shown = await admin('GET', `${place}/versions/1`);
    expect(shown.body).toMatchObject({ who: 'admin-principal', records: 2 });
    expect(shown.text).not.toMatch(/hash|4711/i);
    expect((await admin('GET', `${place}/difference?from=1&to=2`)).body).toEqual([
      { kind: 'apiKeys', id: 'erp', change: 'update', fields: ['role'] },
      { kind: 'users', id: 'ada', change: 'update', fields: ['role'] },
    ]);
    expect((await admin('GET', `${place}/difference?from=0&to=1`)).body).toMatchObject([{ change: 'create' }, {}]);
  });

  it('D-112 may have shifts, which are read and compared as one part', async () => {
    const place = await group();
    const shifts = { shifts: [{ name: 'Day', start: '06:00', breaks: [{ start: '09:00', minutes: 15 }] }] };
    const late = { ...shifts, timeZone: 'America/Boise' };
    for (const plan of [{ shifts }, { ...REASONS, shifts: late }, REASONS])
      expect((await admin('POST', `${place}/versions`, plan)).status).toBe(201);
    expect((await admin('GET', `${place}/versions/2`)).body).toMatchObject({ records: 2, plan: { shifts: late } });
    const differences = async (from: number, to: number) =>
      (await admin('GET', `${place}/difference?from=${from}&to=${to}`)).body;
    const update = { kind: 'shifts', id: 'shifts', change: 'update', fields: ['timeZone'] };
    expect(await differences(0, 1)).toMatchObject([{ kind: 'shifts', change: 'create' }]);
    expect(await differences(1, 2)).toContainEqual(update);
    expect(JSON.stringify(await differences(2, 3))).not.toContain('shifts');
  });

  it.each([
    [{ coils: [] }, 'coils: no such kind'],
    [{ reasonCodes: [] }, 'reasonCodes: no such kind'],
    [{ users: [{ name: 'bob', role: 'admin' }] }, 'users[0].password: found nothing'],
    [{ users: [{ name: 'bob', role: 'king', password: 'x' }] }, 'users[0].role: found'],
    [{ machines: [{ machineId: 'RF-01', topicRoot: 'x' }] }, 'machines[0].topicRoot'],
    [{ users: [{ name: 'ada', role: 'supervisor', plants: ['default'] }] }, 'users[0].plants: found the unknown key'],
    [{ apiKeys: [{ principal: 'erp', role: 'business', plants: ['*'] }] }, 'apiKeys[0].plants: found the unknown key'],
    [{ parts: [{ partId: 'P-1' }, { partId: 'P-1' }] }, 'parts[1]: found a record that stands above already'],
    [{ parts: {} }, 'parts: found an object'],
    [{ shifts: [] }, 'shifts: found'],
    [{ shifts: { shifts: [{ name: 'Day', start: '6' }] } }, 'shifts.shifts[0].start: found'],
    [{ shifts: { timeZone: 'Mars/Olympus', shifts: [{ name: 'Day', start: '06:00' }] } }, 'shifts.timeZone: found'],
    [{ shifts: { shifts: [{ name: 'Day', start: '06:00', pause: 1 }] } }, 'shifts.shifts[0].pause'],
    [[], 'plan: found an array'],
    [{ parts: Array.from({ length: 4_001 }, (_, n) => ({ partId: `P-${n}` })) }, 'plan: found 4001 records'],
  ])('D-112 is refused by the names of its faults: %#', async (plan, fault) => {
    const answer = await admin('POST', `${await group()}/versions`, plan);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(JSON.stringify(fault).slice(1, -1))]);
  });

  it('is kept in its newest 50 versions and the one that is rolled out', async () => {
    const { place } = await member();
    for (let number = 1; number <= 53; number += 1) {
      await admin('POST', `${place}/versions`, { parts: [{ partId: `P-${number}` }] });
      if (number === 1) await admin('PUT', `${place}/rollOut`, { version: 1 });
    }
    const versions = (await admin('GET', `${place}/versions`)).body as readonly { readonly version: number }[];
    expect(versions.map(({ version }) => version)).toEqual([...Array.from({ length: 50 }, (_, n) => 53 - n), 1]);
    expect((await admin('PUT', `${place}/rollOut`, { version: 2 })).status).toBe(404);
  });
});

describe('D-106 a group of gateways', () => {
  it('has each gateway once, and a name of its own', async () => {
    const { place, from } = await member();
    const other = await group();
    await admin('PUT', `${other}/gateways/${from.gatewayId}`);
    expect((await admin('GET', place)).body).toMatchObject({ gateways: [] });
    expect((await admin('GET', other)).body).toMatchObject({
      gateways: [{ gatewayId: from.gatewayId, standing: 'none' }],
    });
    expect((await admin('DELETE', `${place}/gateways/${from.gatewayId}`)).status).toBe(404);
    expect((await admin('DELETE', `${other}/gateways/${from.gatewayId}`)).status).toBe(204);
    expect((await admin('PUT', place, { name: 'North ' })).status).toBe(400);
    expect((await admin('PUT', place, { name: 'Northern' })).status).toBe(204);
    expect((await admin('POST', '', { name: 'northern' })).status).toBe(400);
    expect((await admin('PUT', `${place}/gateways/nobody`)).status).toBe(404);
    expect((await admin('DELETE', place)).status).toBe(204);
    expect((await admin('GET', place)).status).toBe(404);
  });

  it('shows what its gateways tell about its plan, and the audit has it once', async () => {
    const { place, from, groupId } = await member();
    await admin('POST', `${place}/versions`, REASONS);
    await admin('PUT', `${place}/rollOut`, { version: 1 });
    const { gatewayId, stream } = from;
    const tell = async (plan: Partial<PlanReport> | null) => {
      const whole = { groupId, version: null, appliedForMs: null, refused: null, deviationCount: 0, deviations: [] };
      const health = { ...HEALTHY, plan: plan && { ...whole, preview: null, ...plan } };
      const body = { gatewayId, stream, health };
      expect((await gateway.as(keyOf('gateway'), 'POST', '/api/v1/sync/health', body)).status).toBe(200);
      await gateway.options.fleet?.look();
      return ((await admin('GET', place)).body as { readonly gateways: readonly object[] }).gateways[0];
    };
    expect(await tell(null)).toMatchObject({ standing: 'waiting', contact: { state: 'live' } });
    expect(await tell({ refused: { version: 1, faults: ['parts: too many'] } })).toMatchObject({ standing: 'refused' });
    const applied: Partial<PlanReport> = {
      version: 1,
      appliedForMs: 60_000,
      deviationCount: 9,
      deviations: [{ kind: 'parts', id: 'P-1', why: 'edited', fields: ['partName'] }],
    };
    const later = { kind: 'robots', id: 'R2', why: 'rebuilt', fields: [] };
    const told = { ...applied, deviations: [...(applied.deviations ?? []), later as never] };
    for (let time = 1; time <= 2; time += 1) {
      expect(await tell(told)).toMatchObject({
        standing: 'applied',
        version: 1,
        appliedAt: expect.stringContaining('T'),
        deviationCount: 9,
        deviations: [{ id: 'P-1' }],
      });
    }
    expect(await tell({ ...applied, groupId: 'another' })).toMatchObject({ standing: 'waiting', version: null });
    const { body } = await gateway.as(keyOf('admin'), 'GET', '/api/local/audit?take=20');
    const acts = (body as { readonly entries: readonly { readonly act: string; readonly subject: string }[] }).entries;
    const outcomes = acts.filter(({ subject }) => subject === `${gatewayId} version 1`).map(({ act }) => act);
    expect(outcomes.slice(1)).toEqual(['planApplied', 'planRefused']);
  });

  it('is left by a gateway that is retired', async () => {
    const { place, from } = await member();
    gateway.pass(3_600_000);
    await gateway.options.fleet?.look();
    const retired = await gateway.as(keyOf('admin'), 'DELETE', `/api/local/gateways/${from.gatewayId}`);
    expect(retired.status).toBe(204);
    expect((await admin('GET', place)).body).toMatchObject({ gateways: [] });
  });
});
