import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BatchFact } from '../../../src/domain/sync/batch.ts';
import { shiftFact, stopFact } from '../../central/reporting-gateways.ts';
import { BatchSender, syncCalls } from '../../fakes/batch-sender.ts';
import { HEALTHY } from '../../fakes/gateway-health.ts';
import { RF1 } from '../store/open-test-store.ts';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
const { deliver, local } = syncCalls(() => gateway);
const DATE = '2026-03-03';
const START = Date.parse(`${DATE}T06:00:00Z`);
const HOUR_MS = 3_600_000;
const span = (activity: 'running' | 'down', fromHour: number, toHour: number): BatchFact => {
  const times = { startedAt: START + fromHour * HOUR_MS, endedAt: START + toHour * HOUR_MS };
  return { kind: 'span', span: { spanId: `s-${fromHour}`, machineId: RF1, activity, ...times } };
};
const PLANT = {
  timeZone: 'UTC',
  shifts: [
    { name: 'Day', start: '06:00' },
    { name: 'Night', start: '18:00' },
  ],
  daysOff: [],
  machines: [
    { machineId: 'RF-01', name: 'Ridge line', area: 'A', idealPartsPerMinute: 2, targetPartsPerShift: null, later: 1 },
  ],
  reasons: [{ id: 'DT-01', reason: 'Coil change', group: 'Setup', planned: null }],
  rates: [],
};
const north = new BatchSender('north', randomUUID);

/** The machine ran for 9 h and stood for 3 h. */
beforeAll(async () => {
  gateway = await startGateway();
  const stop = stopFact(START + 9 * HOUR_MS, START + 12 * HOUR_MS, 'DT-01');
  north.queue([span('running', 0, 9), span('down', 9, 12), stop, shiftFact({ goodParts: 540 }, DATE)]);
  expect((await deliver(north)).status).toBe(200);
  await gateway.options.fleet?.look();
});
afterAll(() => gateway.close());

function tell(path: string, body: object) {
  const { gatewayId, stream } = north;
  return gateway.as(keyOf('gateway'), 'POST', `/api/v1/sync/${path}`, { gatewayId, stream, ...body });
}
const asks = (path: string) => local(`/production/${path}${path.includes('?') ? '&' : '?'}from=${DATE}&to=${DATE}`);
const wants = async () => (await tell('health', { health: HEALTHY, plantDigest: 'd-1' })).body;

it('D-105 a gateway is asked for its plant until the central server has it, and its OEE is known from then on', async () => {
  await gateway.adder.addUp();
  expect((await asks('sums?by=machine&gatewayId=*')).body).toMatchObject({
    rows: [{ oeeIndex: null, goodParts: 540 }],
  });
  expect(await wants()).toMatchObject({ isKept: true, wantsPlant: true });
  expect(await tell('plant', { digest: 'd-1', plant: PLANT })).toMatchObject({ status: 200, body: { isKept: true } });
  expect(await wants()).toMatchObject({ wantsPlant: false });
  await gateway.adder.addUp();
  const { body } = await asks('sums?by=machine&gatewayId=north');
  expect(body).toMatchObject({
    rows: [{ key: 'north/RF-01', name: 'Ridge line', availability: 1, effectiveness: 0.5, oeeIndex: 0.5 }],
    shiftNames: ['Day', 'Night'],
  });
});

it('D-105 the machines of all gateways have the names that they have there', async () => {
  expect((await local('/fleet/machines')).body).toMatchObject({
    machines: [{ machineId: 'RF-01', name: 'Ridge line' }],
  });
});

it.each([
  ['a time zone that does not exist', { timeZone: 'Mars/Olympus' }],
  ['shifts at the same time', { shifts: [PLANT.shifts[0], PLANT.shifts[0]] }],
  ['no machines', { machines: undefined }],
  ['too many reasons', { reasons: Array.from({ length: 1_001 }, () => PLANT.reasons[0]) }],
])('D-105 a plant with %s is refused, and the one before stays', async (_, change) => {
  expect((await tell('plant', { digest: 'd-2', plant: { ...PLANT, ...change } })).status).toBe(400);
  expect(await wants()).toMatchObject({ wantsPlant: false });
});

it('D-105 the most that a gateway tells is taken', async () => {
  const rate = { machineId: 'RF-01', idealPartsPerMinute: 2 };
  const most = {
    ...PLANT,
    machines: Array.from({ length: 2_000 }, (_, n) => ({ ...PLANT.machines[0], machineId: `RF-${n}` })),
    reasons: Array.from({ length: 1_000 }, (_, n) => ({ ...PLANT.reasons[0], id: `DT-${n}` })),
    rates: Array.from({ length: 5_000 }, (_, n) => ({ ...rate, partId: `P-${n}` })),
    daysOff: Array.from({ length: 1_000 }, (_, n) => {
      return { date: new Date(START + n * 24 * HOUR_MS).toISOString().slice(0, 10), name: 'Holiday' };
    }),
  };
  expect(await tell('plant', { digest: 'd-most', plant: most })).toMatchObject({ status: 200, body: { isKept: true } });
  expect((await tell('plant', { digest: 'd-1', plant: PLANT })).status).toBe(200);
});

it('D-105 another data directory changes no plant', async () => {
  const { gatewayId } = north;
  const body = { gatewayId, stream: 'another', digest: 'd-2', plant: PLANT };
  expect((await gateway.as(keyOf('gateway'), 'POST', '/api/v1/sync/plant', body)).body).toEqual({ isKept: false });
});

it.each([
  ['sums?by=day&machineId=north%2FRF-01', { total: { goodParts: 540 } }],
  ['sums?by=gateway&gatewayId=*', { rows: [{ key: 'north', goodParts: 540 }] }],
  ['work?by=part&gatewayId=north', { total: { goodParts: 540 } }],
  ['stops?by=reason&gatewayId=*&compare=before', { rows: [{ key: 'DT-01', name: 'Coil change', seconds: 10_800 }] }],
  ['stops/longest?gatewayId=north&reasonId=DT-01', [{ machineId: 'north/RF-01', shift: 'Day' }]],
  // The server's clock is far behind that day.
  ['sums?by=gateway&gatewayId=*&upTo=present', { rows: [] }],
  ['log?gatewayId=*', { total: { count: 1, seconds: 10_800 }, rows: [{ reason: 'Coil change' }] }],
])('D-105 %s answers for machines of gateways', async (path, body) => {
  expect(await asks(path)).toMatchObject({ status: 200, body });
});

it.each([
  ['sums?by=day&gatewayId=west', 404, 'sending gateway'],
  ['sums?by=day&machineId=west%2FRF-01', 404, 'sending gateway'],
  ['sums?by=gateway', 400, 'by: found gateway'],
  ['stops?by=gateway', 400, 'by: found gateway'],
  ['sums?by=day&upTo=present', 400, 'upTo: found present'],
  ['sums?by=day&gatewayId=*&upTo=now', 400, 'upTo: found'],
  ['stops?by=area&gatewayId=*', 400, 'by: found'],
])('D-105 %s is refused with %i', async (path, status, text) => {
  const answer = await asks(path);
  expect({ status: answer.status, text: answer.text }).toEqual({ status, text: expect.stringContaining(text) });
});

it('D-105 sums, stops and the log of all gateways are also files, and the totals are one', async () => {
  const csv = async (path: string) => (await asks(path)).text;
  expect(await csv('sums?by=machine&gatewayId=*&format=csv')).toMatch(
    /^.?key,name,goodParts.*\r?\nnorth\/RF-01,Ridge line,540,/,
  );
  expect(await csv('log?gatewayId=*&format=csv')).toContain('north/RF-01,Ridge line,2026-03-03T15:00:00.000');
  const totals = (await local(`/production.csv?gatewayId=*&from=${DATE}&to=${DATE}`)).text;
  expect(totals).toMatch(/2026-03-03,Day,north\/RF-01,Ridge line,540,/);
  const [head, ...rows] = totals.trim().split(/\r?\n/);
  expect(head).toMatch(/,offlineSeconds,plantId$/);
  expect(rows.filter((row) => !row.endsWith(',default'))).toEqual([]);
});
