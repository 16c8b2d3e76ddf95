import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, machineOf, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
let bootMs = 1_000;
beforeAll(async () => {
  const variableDetails = [{ name: 'lineSpeed', label: 'Line speed', unit: 'ft/min' }];
  gateway = await startGateway({ machines: [{ ...machineOf('RF-01'), variableDetails }, machineOf('RF-02')] });
});
afterAll(() => gateway.close());

const get = async (path: string) => (await gateway.as(keyOf('viewer'), 'GET', `/api/local/machines${path}`)).body;

function say(machineId: string, fields: object) {
  bootMs += 1_000;
  return gateway.postStatus(statusOf({ machineId, mSecSinceBoot: bootMs, ...fields }));
}

interface Hours {
  readonly shiftDate: string;
  readonly hours: readonly { readonly startsAt: string; readonly goodParts: number; readonly badParts: number }[];
}

interface Downtime {
  readonly downtimeId: string;
  readonly startedAt: string;
}

describe('production by the hour', () => {
  it('DEV-06 sums up to the total of the shift, whether its totals are on disk yet or not', async () => {
    await say('RF-01', { goodPart: 10, badPart: 1 });
    await say('RF-01', { goodPart: 25, badPart: 3 });
    const before = (await get('/RF-01/production/hours')) as Hours;
    // Totals go to disk with the end of a work session.
    await say('RF-01', { goodPart: 30, badPart: 3, jobNumber: 'J-2' });
    await say('RF-01', { goodPart: 42, badPart: 4, jobNumber: 'J-3' });
    const { shiftDate, hours } = (await get('/RF-01/production/hours')) as Hours;
    const total = (list: Hours['hours'], count: 'goodParts' | 'badParts') =>
      list.reduce((sum, hour) => sum + hour[count], 0);
    expect(total(before.hours, 'goodParts')).toBe(15);
    expect([total(hours, 'goodParts'), total(hours, 'badParts')]).toEqual([32, 3]);
    const rows = await get(`/RF-01/production/shifts?from=${shiftDate}&to=${shiftDate}`);
    expect(rows).toMatchObject([{ shiftDate, goodParts: 32, badParts: 3 }]);
    expect(Date.now() - Date.parse(hours.at(-1)?.startsAt ?? '')).toBeLessThan(3_600_000);
  });

  it('is empty for another day, and refuses text that is not a date', async () => {
    expect(((await get('/RF-01/production/hours?shiftDate=2020-01-01')) as Hours).hours).toHaveLength(24);
    expect(await get('/RF-01/production/hours?shiftDate=2020-13-01')).toMatchObject({ errors: [expect.any(String)] });
  });
});

describe('DEV-14 the times in which a machine ran in override', () => {
  it('have a beginning and an end; silence ends them', async () => {
    const range = `from=${new Date(Date.now() - 60_000).toISOString()}&to=${new Date(Date.now() + 3_600_000).toISOString()}`;
    await say('RF-02', { override: true });
    await say('RF-02', { override: true });
    expect(await get(`/RF-02/overrides?${range}`)).toEqual([{ startedAt: expect.any(String), endedAt: null }]);
    await say('RF-02', { override: false });
    await say('RF-02', { override: true });
    gateway.pass(11_000);
    await expect
      .poll(() => get(`/RF-02/overrides?${range}`))
      .toEqual(Array.from({ length: 2 }, () => ({ startedAt: expect.any(String), endedAt: expect.any(String) })));
  });
});

describe('parts of the last days', () => {
  it('D-10 have the time of production if the machine sends a job, else only the time of selection', async () => {
    await say('RF-01', { partId: 'P-7' });
    await say('RF-01', { partId: 'P-8', jobNumber: 'J-9', running: true });
    const parts = await get('/RF-01/recentParts');
    expect(parts).toEqual([
      { partId: 'P-8', lastSelectedAt: expect.any(String), lastMadeAt: expect.any(String) },
      { partId: 'P-7', lastSelectedAt: expect.any(String), lastMadeAt: null },
    ]);
  });

  it('have only the time of selection for a machine that sends neither job nor operator', async () => {
    for (let number = 1; number <= 14; number++) {
      gateway.pass(200);
      await say('RF-02', { partId: `P-${number}` });
      // Of choices that wait for one commit the last is kept.
      await get('/RF-02/recentParts');
    }
    const parts = await get('/RF-02/recentParts');
    expect(parts).toHaveLength(12);
    expect(parts).toContainEqual({ partId: 'P-14', lastSelectedAt: expect.any(String), lastMadeAt: null });
    expect(await get('/RF-99/recentParts')).toMatchObject({ errors: [expect.any(String)] });
  });
});

describe('variables', () => {
  it('VAR-02 are listed with label, unit and newest value', async () => {
    await gateway.call('POST', '/api/device/vars', { machineId: 'RF-01', lineSpeed: 118 });
    await gateway.call('POST', '/api/device/vars', { machineId: 'RF-01', lineSpeed: 121.5 });
    expect(await get('/RF-01/variables')).toEqual([
      { name: 'lineSpeed', label: 'Line speed', unit: 'ft/min', value: 121.5, at: expect.any(String) },
      { name: 'motorTemp', label: null, unit: null, value: null, at: null },
    ]);
  });
});

describe('D-10 the timeline', () => {
  it('gives each part of a split downtime its own reason', async () => {
    await say('RF-01', {});
    await say('RF-01', { running: false });
    // Longer than a stop that counts as a downtime, and open until now.
    await new Promise((resolve) => setTimeout(resolve, 60));
    const [whole] = (await get('/RF-01/downtimes?uncategorized=true')) as readonly Downtime[];
    const at = new Date(Date.parse(whole?.startedAt ?? '') + 30).toISOString();
    const asTechnician = (method: string, path: string, body: object) =>
      gateway.as(keyOf('technician'), method, `/api/local/downtimes/${path}`, body);
    expect((await asTechnician('POST', `${whole?.downtimeId}/split`, { at })).status).toBe(200);
    const parts = ((await get('/RF-01/downtimes')) as readonly Downtime[]).toReversed().slice(-2);
    await asTechnician('PUT', `${parts[0]?.downtimeId}/category`, { reasonId: 'DT-01' });
    const spans = (await get('/RF-01/timeline')) as readonly { readonly state: string }[];
    expect(spans.filter(({ state }) => state === 'down').slice(-2)).toEqual([
      { state: 'down', startedAt: whole?.startedAt, endedAt: at, downtimeId: parts[0]?.downtimeId, reasonId: 'DT-01' },
      { state: 'down', startedAt: at, endedAt: null, downtimeId: parts[1]?.downtimeId, reasonId: null },
    ]);
  });
});
