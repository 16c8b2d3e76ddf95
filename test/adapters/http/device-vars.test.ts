import { afterAll, beforeAll, expect, it } from 'vitest';
import { machineId } from '../../../src/domain/machine/machine-names.ts';
import { type GatewayUnderTest, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const RF_01 =
  machineId('RF-01') ??
  (() => {
    throw new Error('RF-01 is a machine id');
  })();

function postVars(body: unknown) {
  return gateway.call('POST', '/api/device/vars', body);
}

async function storedValues(name: string): Promise<readonly number[]> {
  const { points } = await gateway.store.variablePoints(RF_01, name, { from: 0, to: Date.now() + 1_000 });
  return points.map(({ value }) => value);
}

it('HTTP-03 VAR-04 the gateway answers 200 with an empty body once the values are on disk', async () => {
  const { status, text, headers } = await postVars({ machineId: 'RF-01', lineSpeed: 12.5 });
  expect({ status, text, length: headers['content-length'] }).toEqual({ status: 200, text: '', length: '0' });
  expect(await storedValues('lineSpeed')).toContain(12.5);
});

it('VAR-04 the gateway does not answer before the commit', async () => {
  gateway.testing.stall(400);
  const sentAt = performance.now();
  expect((await postVars({ machineId: 'RF-01', lineSpeed: 1 })).status).toBe(200);
  expect(performance.now() - sentAt).toBeGreaterThan(300);
});

it('VAR-01 VAR-02 HTTP-03 the gateway stores tracked numbers and ignores everything else', async () => {
  const body = { machineId: 'RF-01', motorTemp: '71.5', lineSpeed: 'fast', untracked: 3, nested: { motorTemp: 1 } };
  expect((await postVars(body)).status).toBe(200);
  expect((await postVars({ machineId: 'RF-01', motorTemp: null })).status).toBe(200);
  expect((await postVars({ machineId: 'RF-01', motorTemp: true })).status).toBe(200);
  expect(await storedValues('motorTemp')).toEqual([71.5]);
  expect(await storedValues('untracked')).toEqual([]);
});

it.each(['machineId', 'deviceId', 'machine_id', 'MACHINE-ID', 'machine__id', '-Device_Id'])(
  'HTTP-03 DEV-03 the gateway takes %s as the machine',
  async (key) => {
    expect((await postVars({ [key]: 'RF-01', motorTemp: 71.5 })).status).toBe(200);
  },
);

it.each([
  [{ deviceId: 'LINE-7', MachineId: 'RF-01' }],
  [{ MachineId: 'RF-01', deviceId: 'LINE-7' }],
  [{ machine_id: 'LINE-7', machineId: 'RF-01' }],
])('HTTP-03 DEV-05 the gateway takes the machine of the canonical name, as in a status: %o', async (names) => {
  expect((await postVars({ ...names, lineSpeed: 42 })).status).toBe(200);
  expect((await gateway.postStatus({ ...statusOf(), machineId: undefined, ...names })).status).toBe(200);
});

it.each([
  ['an unknown machine', { machineId: 'NOBODY', lineSpeed: 1 }, 'machineId: found "NOBODY"'],
  ['no machine', { lineSpeed: 1 }, 'machineId: found nothing'],
  ['a number as machine', { machineId: 5 }, 'machineId: found 5'],
  ['a list', [1], 'body: found an array'],
  ['broken JSON', '{', 'body: invalid JSON'],
  ['nothing', '', 'body: found nothing'],
])('HTTP-02 the gateway answers %s with 400 and the reason', async (_, body, why) => {
  const answer = await postVars(body);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(JSON.stringify(why).slice(1, -1));
});

it('VAR-04 the gateway answers 500 when the values cannot be stored', async () => {
  const closing = await startGateway();
  await closing.store.close();
  const answer = await closing.call('POST', '/api/device/vars', { machineId: 'RF-01', lineSpeed: 1 });
  expect(answer.status).toBe(500);
  expect(answer.body).toMatchObject({ runEnabled: false, message: 'Server error - grain unavailable' });
  expect((await closing.postStatus(statusOf())).status).toBe(200);
  await closing.close();
});
