import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../../src/adapters/http/limits.ts';
import type { Profile } from '../../../src/domain/profile/profile.ts';
import { AT, EMPTY_BATCH, operationOf, PRODUCT, packed, points, syncCalls } from '../../fakes/batch-sender.ts';
import { RF1 } from '../store/open-test-store.ts';
import { type GatewayUnderTest, keyOf, machineOf, startGateway } from './gateway-under-test.ts';

const COIL = {
  coilId: 'C-1',
  materialCode: 'M-1',
  gauge: 24,
  widthIn: 20,
  lengthStartFt: 100,
  lengthRemainingFt: 90,
  location: 'WH-A1',
};

let gateway: GatewayUnderTest;
const { freshSender, post, postBatch, deliver, local, business } = syncCalls(() => gateway);

beforeAll(async () => {
  const coilType = { coilTypeCode: 'CT-1', materialType: 'Steel', color: 'Red', gauge: 29, widthIn: 40, lbsPerFt: 2 };
  const places = { sourceLocation: 'WH-A1', destinationLocation: 'RF-01' };
  const wanted = { coilType, requiredFt: 1_200, requiredDate: '2026-03-01T12:00:00Z', ...places };
  const task = { machineId: RF1, taskType: 'WarehouseToMachine', taskState: 'Ready', ...wanted } as const;
  gateway = await startGateway({
    machines: [{ ...machineOf('RF-01'), claims: ['service.machine.warehouse'] }],
    plantFile: {
      catalogs: [{ catalogId: 1, name: 'Standard', default: true }],
      locations: [
        { code: 'WH-A1', name: 'Rack', category: 'Warehouse' },
        { code: 'RF-01', name: 'Rollformer', category: 'Machine' },
      ],
      coils: [COIL],
      tasks: ['T-1', 'T-2', 'T-3'].map((taskId) => ({ ...task, taskId })),
    },
  });
});
afterAll(() => gateway.close());

function profile(profileId: string, changes: Partial<Profile> = {}): Profile {
  const straight = { type: 'Straight', length: 2, hemHeight: 0 } as const;
  return {
    profileId,
    revision: 1,
    profileName: 'Drip edge',
    description: null,
    owningCatalogId: 1,
    category: null,
    subCategory: null,
    paintedSide: null,
    features: [straight, { type: 'Angle', angle: 90, hemHeight: 0 }, straight],
    blankWidth: 4,
    archived: false,
    createdBy: 'sam',
    createdDate: '2026-03-04T08:00:00.000Z',
    editedBy: 'sam',
    editedDate: '2026-03-04T08:00:00.000Z',
    ...changes,
  };
}

describe('the offer', () => {
  it('D-27 is found with one request', async () => {
    const { status, body } = await business('GET', '/sync');
    expect({ status, body }).toEqual({ status: 200, body: { version: 1, maxBatchBytes: LIMITS.maxBatchBytes } });
  });

  it('D-27 needs a key, and one key is enough for hundreds of gateways', async () => {
    expect((await gateway.call('GET', '/api/v1/sync')).status).toBe(401);
    expect((await post(EMPTY_BATCH, {}, 'guessed')).status).toBe(401);
    const answers = await Promise.all(Array.from({ length: 250 }, () => business('GET', '/sync')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('D-27 is not made by a gateway that has a central server itself', async () => {
    const other = await startGateway({ options: { syncReceiver: null } });
    const { status, body } = await other.as(keyOf('business'), 'GET', '/api/v1/sync');
    expect({ status, body }).toEqual({ status: 404, body: { errors: [expect.stringContaining('nothing is served')] } });
    await other.close();
  });
});

it('UP-05 the largest order fits into a batch, also if it cannot be compressed', () => {
  expect(LIMITS.maxBatchBytes).toBeGreaterThan(LIMITS.orderBodyBytes);
});

describe('a batch', () => {
  it('D-27 UP-02 is applied once, compressed or plain, and its repetition gets the same answer', async () => {
    const sender = freshSender().queue([], [points(1, 2)]);
    const batch = sender.batch() ?? packed(EMPTY_BATCH);
    const answer = { position: batch.digest, refused: [] };
    expect((await postBatch(batch)).body).toEqual({ ...answer, isRepeated: false });
    expect((await post(batch.json)).body).toEqual({ ...answer, isRepeated: true });
    const path = `/gateways/${sender.gatewayId}/machines/RF-01/variables/lineSpeed?shiftDate=2026-03-04`;
    expect((await local(path)).body).toMatchObject({ points: [{ value: 1 }, { value: 2 }] });
  });

  it.each([
    ['of another past', 409, () => postBatch(packed({ ...EMPTY_BATCH, previous: 'f'.repeat(64) }))],
    ['of another version', 400, () => post({ ...EMPTY_BATCH, version: 2 })],
    ['that is no JSON', 400, () => post('{"version":')],
    ['that is empty', 400, () => post('')],
    ['in another encoding', 415, () => post('{}', { 'content-encoding': 'br' })],
    ['of another type', 415, () => post('{}', { 'content-type': 'text/plain' })],
    ['that is no gzip', 400, () => post('{}', { 'content-encoding': 'gzip' })],
    ['too large as it comes', 413, () => post(Buffer.alloc(LIMITS.maxBatchBytes + 1, ' '))],
    [
      'too large unpacked',
      413,
      () => post(gzipSync(Buffer.alloc(33 * 1_048_576, ' ')), { 'content-encoding': 'gzip' }),
    ],
  ])('D-27 %s is answered with %i and a reason', async (_, expected, send) => {
    const { status, body } = await send();
    expect({ status, body }).toEqual({ status: expected, body: { errors: [expect.any(String)] } });
  });

  it('D-27 UP-02 is applied once if it comes eight times at once', async () => {
    const sender = freshSender().queue([], [points(7)]);
    const batch = sender.batch() ?? packed(EMPTY_BATCH);
    const answers = await Promise.all(Array.from({ length: 8 }, () => postBatch(batch)));
    const isRepeated = answers.map(({ body }) => (body as { readonly isRepeated: boolean }).isRepeated);
    expect(isRepeated.filter((one) => !one)).toHaveLength(1);
    const path = `/gateways/${sender.gatewayId}/machines/RF-01/variables/lineSpeed?shiftDate=2026-03-04`;
    expect((await local(path)).body).toMatchObject({ points: [{ value: 7 }] });
  });
});

describe('acts', () => {
  it('D-27 D-31 of operators are carried out with the operators’ names and times, without the legacy system', async () => {
    const operator = 'Pat';
    const operations = [
      { type: 'inProcess', userName: operator },
      { type: 'inTransit', coilId: 'C-1', overrideReason: null, userName: operator },
      { type: 'complete', location: 'RF-01', userName: operator },
    ] as const;
    const acts = operations.map((operation, step) =>
      operationOf({ type: 'taskOperation', taskId: 'T-1', operation }, AT + step),
    );
    expect((await deliver(freshSender().queue(acts))).body).toMatchObject({ refused: [] });
    expect((await business('GET', '/warehouseTasks/T-1')).body).toMatchObject({
      taskState: 'Complete',
      userName: operator,
      completedDate: '2026-03-04T08:00:00.002Z',
    });
    expect((await business('GET', '/coils/C-1')).body).toMatchObject({ location: 'RF-01' });
    await deliver(freshSender().queue([operationOf({ type: 'coilMove', coilId: 'C-1', location: 'WH-A1' })]));
    expect((await business('GET', '/coils/C-1')).body).toMatchObject({ location: 'WH-A1' });
  });

  it('UP-05 D-18 are named with their reasons if they are refused, and do not hold up others', async () => {
    const sender = freshSender().queue([
      operationOf({
        type: 'taskOperation',
        taskId: 'T-2',
        operation: { type: 'complete', location: 'RF-01', userName: null },
      }),
      operationOf({ type: 'coilMove', coilId: 'C-9', location: 'WH-A1' }),
      operationOf({ type: 'orderPut', orderKey: 'documentID D-1', json: '{"documentID":"D-2"}', isNew: true }),
      operationOf({ type: 'profilePut', profile: profile('P-7', { owningCatalogId: 9 }) }),
      operationOf({ type: 'taskOperation', taskId: 'T-2', operation: { type: 'inProcess', userName: 'Kim' } }),
    ]);
    const batch = sender.batch() ?? packed(EMPTY_BATCH);
    const { body } = await deliver(sender);
    expect(body).toMatchObject({
      refused: [
        { seq: 1, reason: expect.stringContaining('taskState: found Ready') },
        { seq: 2, reason: 'No coil with id C-9' },
        { seq: 3, reason: expect.any(String) },
        { seq: 4, reason: expect.any(String) },
      ],
    });
    expect((await business('GET', '/warehouseTasks/T-2')).body).toMatchObject({
      taskState: 'InProcess',
      userName: 'Kim',
    });
    expect((await postBatch(batch)).body).toEqual({ ...(body as object), isRepeated: true });
  });

  it('D-27 UP-02 change nothing if they come again under a new stream', async () => {
    const json = JSON.stringify({ documentID: 'O-100', orderCode: 'O-1', products: [PRODUCT] });
    const sender = freshSender().queue([
      operationOf({ type: 'orderPut', orderKey: 'documentID O-100', json, isNew: true }),
      operationOf({ type: 'taskOperation', taskId: 'T-3', operation: { type: 'inProcess', userName: 'Kim' } }),
    ]);
    const backup = sender.copy();
    expect((await deliver(sender)).body).toMatchObject({ refused: [] });
    expect((await business('DELETE', '/orders/O-100')).status).toBe(200);
    await business('POST', '/warehouseTasks/T-3/ready');
    backup.restartStream();
    gateway.pass(15_001);
    expect((await deliver(backup)).body).toMatchObject({ refused: [], isRepeated: false });
    expect((await business('DELETE', '/orders/O-100')).status).toBe(404);
    expect((await business('GET', '/warehouseTasks/T-3')).body).toMatchObject({ taskState: 'Ready' });
    const { body } = await local('/diagnostics');
    expect(body).toMatchObject({
      gateway: { version: '0.0.0-test' },
      sendingGateway: [
        { subject: expect.stringContaining(backup.gatewayId), detail: expect.stringContaining('created again') },
      ],
    });
  });

  it.each(['D-5', 'D-5 '])('D-27 D-53 on orders replace and remove them: %j', async (documentID) => {
    const put = (orderCode: string) => {
      const json = JSON.stringify({ documentID, orderCode, products: [PRODUCT] });
      return operationOf({ type: 'orderPut', orderKey: `documentID ${documentID}`, json, isNew: true });
    };
    const sender = freshSender();
    expect((await deliver(sender.queue([put('O-1'), put('O-2')]))).body).toMatchObject({ refused: [] });
    expect((await business('GET', '/orders/orderSummary?orderCode=O-1')).text).not.toContain('D-5');
    expect((await business('GET', '/orders/orderSummary?orderCode=O-2')).text).toContain('D-5');
    const orderKey = `documentID ${documentID}`;
    await deliver(sender.queue([operationOf({ type: 'orderRemoved', orderKey, ordId: documentID })]));
    expect((await business('DELETE', '/orders/D-5')).status).toBe(404);
  });

  it('D-27 on profiles keep their ids and revisions; of two edits the later one stays', async () => {
    const sender = freshSender();
    const first = operationOf({ type: 'profilePut', profile: profile('P-1') });
    const later = { revision: 4, editedDate: '2026-03-05T08:00:00.000Z', profileName: 'Eave' };
    const second = operationOf({ type: 'profilePut', profile: profile('P-1', later) });
    expect((await deliver(sender.queue([first, second]))).body).toMatchObject({ refused: [] });
    const read = async () => (await business('GET', '/profiles/P-1')).body;
    expect(await read()).toMatchObject({ profileId: 'P-1', revision: 4, profileName: 'Eave', createdBy: 'sam' });
    const ours = { profileName: 'Ours', features: profile('P-1').features };
    expect((await business('PUT', '/profiles/P-1', ours)).status).toBe(200);
    const early = operationOf({
      type: 'profilePut',
      profile: profile('P-1', { ...later, revision: 9, profileName: 'Late' }),
    });
    const archived = operationOf({ type: 'profileArchived', profileId: 'P-1' });
    expect((await deliver(sender.queue([early, archived]))).body).toMatchObject({
      refused: [
        { reason: expect.stringContaining('profile "P-1" was edited here later: revision 5') },
        { reason: expect.stringContaining('edited here later') },
      ],
    });
    expect(await read()).toMatchObject({ revision: 5, profileName: 'Ours', archived: false });
    const future = new Date(Date.now() + 60_000);
    const newest = profile('P-1', { revision: 3, editedDate: future.toISOString(), profileName: 'Newest' });
    await deliver(sender.queue([operationOf({ type: 'profilePut', profile: newest })]));
    expect(await read()).toMatchObject({ revision: 6, profileName: 'Newest' });
    await deliver(sender.queue([operationOf({ type: 'profileArchived', profileId: 'P-1' }, future.getTime())]));
    expect(await read()).toMatchObject({ revision: 7, archived: true, editedBy: 'sam' });
  });
});

describe('received records', () => {
  it('D-27 are shown under the name of their gateway, and never among our own machines', async () => {
    const sender = freshSender();
    const { gatewayId } = sender;
    const downtime = { downtimeId: 'DT-9', machineId: RF1, startedAt: AT, endedAt: null };
    const span = { spanId: 'S-1', machineId: RF1, activity: 'down', startedAt: AT, endedAt: AT + 1_000 } as const;
    await deliver(
      sender.queue([
        { kind: 'downtime', downtime: { ...downtime, reasonId: null, note: null, userName: null } },
        { kind: 'span', span },
        { kind: 'status', sample: { machineId: RF1, at: AT, why: 'change', json: '{"running":false}' } },
      ]),
    );
    const machine = `/gateways/${gatewayId}/machines/RF-01`;
    const named = { gatewayId, machineId: 'RF-01' };
    expect((await local('/gateways')).body).toContainEqual(
      expect.objectContaining({ gatewayId, machines: 1, records: 3, principal: 'gateway-principal', refused: [] }),
    );
    expect((await local(`/gateways/${gatewayId}/machines`)).body).toMatchObject([named]);
    expect((await local(`${machine}/status`)).body).toMatchObject({ ...named, status: { running: false } });
    expect((await local(`${machine}/downtimes`)).body).toMatchObject([{ ...named, downtimeId: 'DT-9' }]);
    expect((await local(`${machine}/production?shiftDate=2026-03-04`)).body).toMatchObject({ ...named, goodParts: 0 });
    const timeline = await local(`${machine}/timeline?from=2026-03-04T07:00:00Z&to=2026-03-04T09:00:00Z`);
    expect(timeline.body).toMatchObject([{ ...named, state: 'down' }]);
    expect((await local(`${machine}/workSessions`)).body).toEqual([]);
    expect((await local(`${machine}/anomalies`)).body).toEqual([]);
    const own = await local('/machines');
    expect(own.body).toMatchObject([{ machineId: 'RF-01', openDowntime: null }]);
    expect((await local('/machines/RF-01/downtimes')).body).toEqual([]);
  });

  it.each([
    '/gateways/nobody/machines',
    '/gateways/nobody/machines/RF-01/status',
    '/gateways/nobody/machines/M/downtimes',
  ])('D-27 at %s are not found: the gateway is unknown', async (path) => {
    expect(await local(path)).toMatchObject({ status: 404, body: { errors: [expect.stringContaining('nobody')] } });
  });
});

it.each([
  ['a length', { 'content-length': String(LIMITS.maxBatchBytes) }],
  ['no length', { 'transfer-encoding': 'chunked' }],
])(
  'batches whose connection breaks while their key waits take no room afterwards: bodies with %s',
  async (_, length) => {
    const slowed = await startGateway();
    onTestFinished(() => slowed.close());
    const ask = (method: string, key: string, headers = {}, body?: string) =>
      slowed.call(method, '/api/v1/sync', body, { authorization: `ApiKey ${key}`, ...headers });
    const guesses = Array.from({ length: LIMITS.failedAttempts + 2 }, (__, guess) => ask('GET', `guess-${guess}`));
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([401]));

    const key = keyOf('gateway');
    const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json', ...length };
    const most = Math.floor(LIMITS.batchBytesAtOnce / LIMITS.maxBatchBytes);
    const broken = Array.from({ length: most }, () => {
      const sent = request(`${slowed.url}/api/v1/sync`, { method: 'POST', headers, agent: false });
      sent.on('error', () => sent.destroy());
      sent.write('{');
      return sent;
    });
    const known = ask('GET', key);
    await new Promise((resolve) => setTimeout(resolve, LIMITS.slowedAttemptMs / 4));
    for (const sent of broken) sent.destroy();
    expect((await known).status).toBe(200);
    expect((await ask('POST', key, { 'transfer-encoding': 'chunked' }, '{')).status).toBe(400);
  },
);
