import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, machineOf, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
let machines = 0;

beforeAll(async () => {
  gateway = await startGateway({ machines: Array.from({ length: 30 }, (_, place) => machineOf(`M-${place}`)) });
});
afterAll(() => gateway.close());

function freshMachine(): string {
  return `M-${machines++}`;
}

function get(path: string) {
  return gateway.as(keyOf('technician'), 'GET', `/api/local${path}`);
}

function write(method: string, path: string, body?: unknown) {
  return gateway.as(keyOf('technician'), method, `/api/local${path}`, body);
}

const ISO = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

/** Makes a machine with an ended downtime that needs a category; gives both ids. */
async function stoppedMachine(): Promise<{ machineId: string; downtimeId: string }> {
  const machineId = freshMachine();
  const status = { machineId, partId: 'P-100' };
  await gateway.postStatus(statusOf(status));
  // A state that lasts less than a millisecond is not a span.
  await delay(5);
  await gateway.postStatus(statusOf({ ...status, running: false, mSecSinceBoot: 2_000 }));
  await delay(30);
  await gateway.postStatus(statusOf({ ...status, running: true, mSecSinceBoot: 3_000 }));
  const { body } = await get(`/machines/${machineId}/downtimes?uncategorized=true`);
  const [first] = body as readonly { readonly downtimeId: string }[];
  if (first === undefined) throw new Error('no downtime');
  return { machineId, downtimeId: first.downtimeId };
}

describe('machines', () => {
  it('DEV-19 MQTT-06 shows a machine as the contract has it', async () => {
    const machineId = freshMachine();
    await gateway.postStatus(statusOf({ machineId, partId: 'P-100', fault: true, override: true }));
    const { status, body } = await get(`/machines/${machineId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      machineId,
      name: `Rollformer ${machineId}`,
      topicRoot: `plant1/${machineId}`,
      connection: 'unknown',
      status: { machineId, running: true, cycle: 0 },
      lastStatusAt: ISO,
      decision: { runEnabled: true, attentionNeeded: true, message: null },
      part: { partId: 'P-100', partName: 'Panel 100' },
      openDowntime: null,
      override: true,
      fault: true,
    });
  });

  it('DEV-10 DEV-12 says of each rule whether it holds, and since when the machine is in its state', async () => {
    const machineId = freshMachine();
    await gateway.postStatus(statusOf({ machineId, fault: true, override: true }));
    const { body } = await get(`/machines/${machineId}`);
    expect(body).toMatchObject({
      rules: [
        { rule: 'power', holds: true },
        { rule: 'part', holds: false, message: 'Part not selected' },
        { rule: 'responding', holds: true },
        { rule: 'downtime', holds: true },
      ],
      faultSince: ISO,
      overrideSince: ISO,
      shift: { goodParts: 0, badParts: 0 },
    });
  });

  it('lists every machine, with null for unknown values', async () => {
    const { body } = await get('/machines');
    expect(body).toHaveLength(30);
    expect(body).toContainEqual(
      expect.objectContaining({ machineId: 'M-29', status: null, lastStatusAt: null, part: null }),
    );
  });

  it('DEV-03 shows a message of a device word for word, and its interpretation', async () => {
    const machineId = freshMachine();
    expect((await get(`/machines/${machineId}/message`)).body).toEqual({ message: null });
    await gateway.postStatus({ ...statusOf({ machineId }), is_running: false });
    const { body } = await get(`/machines/${machineId}/message`);
    expect(body).toMatchObject({ message: { transport: 'http', receivedAt: ISO } });
    expect(JSON.stringify(body)).toContain('running is read from running, which comes first');
  });

  it('D-09 DEV-09 selects and clears a part, and decides again', async () => {
    const machineId = freshMachine();
    await gateway.postStatus(statusOf({ machineId }));
    const selected = await write('PUT', `/machines/${machineId}/part`, { partId: 'P-100' });
    expect(selected.status).toBe(200);
    expect(selected.body).toMatchObject({
      part: { partId: 'P-100', partName: 'Panel 100' },
      decision: { runEnabled: true },
    });
    const cleared = await write('DELETE', `/machines/${machineId}/part`);
    expect(cleared.body).toMatchObject({ part: null, decision: { message: 'Part not selected' } });
  });
});

describe('downtimes', () => {
  it('D-07 DEV-11 are categorized, and then do not hold the machine any more', async () => {
    const { machineId, downtimeId } = await stoppedMachine();
    expect((await get(`/machines/${machineId}/downtimes`)).body).toEqual([
      { downtimeId, machineId, startedAt: ISO, endedAt: ISO, reasonId: null, note: null, userName: null },
    ]);
    const answer = await write('PUT', `/downtimes/${downtimeId}/category`, { reasonId: 'DT-01', note: 'new coil' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      downtimeId,
      reasonId: 'DT-01',
      note: 'new coil',
      userName: 'technician-principal',
    });
    expect((await get(`/machines/${machineId}/downtimes?uncategorized=true`)).body).toEqual([]);
    expect((await get(`/machines/${machineId}`)).body).toMatchObject({ decision: { runEnabled: true } });
  });

  it('D-07 are listed for all machines, for one machine and for a range of time, newest first', async () => {
    const one = await stoppedMachine();
    const other = await stoppedMachine();
    const idsOf = async (query: string) => {
      const { body } = await get(`/downtimes?uncategorized=true${query}`);
      return (body as readonly { readonly downtimeId: string }[]).map(({ downtimeId }) => downtimeId);
    };
    expect((await idsOf('')).slice(0, 2)).toEqual([other.downtimeId, one.downtimeId]);
    expect(await idsOf(`&machineId=${one.machineId}`)).toEqual([one.downtimeId]);
    expect(await idsOf('&to=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await idsOf('&limit=1')).toEqual([other.downtimeId]);
    expect((await get('/downtimes?machineId=M-none')).status).toBe(404);
    await write('PUT', `/downtimes/${other.downtimeId}/category`, { reasonId: 'DT-01' });
    expect(await idsOf('')).not.toContain(other.downtimeId);
    const { body } = await get(`/machines/${other.machineId}/reasonCounts`);
    expect(body).toEqual([{ reasonId: 'DT-01', count: 1 }]);
  });

  it('D-07 a category is taken back with null, and the machine is held again', async () => {
    const { machineId, downtimeId } = await stoppedMachine();
    await write('PUT', `/downtimes/${downtimeId}/category`, { reasonId: 'DT-01', note: 'new coil' });
    const answer = await write('PUT', `/downtimes/${downtimeId}/category`, { reasonId: null });
    expect(answer.body).toMatchObject({ downtimeId, reasonId: null, userName: null });
    expect((await get(`/machines/${machineId}`)).body).toMatchObject({
      decision: { runEnabled: false, message: 'Downtime categorization required' },
    });
  });

  it('D-07 are categorized together, under the name given', async () => {
    const ids = [(await stoppedMachine()).downtimeId, (await stoppedMachine()).downtimeId];
    const body = { downtimeIds: ids, reasonId: 'DT-01', userName: 'pat' };
    const answer = await write('POST', '/downtimes/category', body);
    expect(answer.body).toEqual(ids.map((downtimeId) => expect.objectContaining({ downtimeId, userName: 'pat' })));
  });

  it('D-07 are split and merged', async () => {
    const { downtimeId, machineId } = await stoppedMachine();
    const { body } = await get(`/machines/${machineId}/downtimes`);
    const [downtime] = body as readonly { readonly startedAt: string; readonly endedAt: string }[];
    const middle = (Date.parse(downtime?.startedAt ?? '') + Date.parse(downtime?.endedAt ?? '')) / 2;
    const at = new Date(Math.round(middle)).toISOString();
    const split = await write('POST', `/downtimes/${downtimeId}/split`, { at });
    expect(split.status).toBe(200);
    const parts = split.body as readonly { readonly downtimeId: string }[];
    expect(parts).toHaveLength(2);
    const downtimeIds = parts.map((part) => part.downtimeId);
    const merged = await write('POST', '/downtimes/merge', { downtimeIds });
    expect(merged.body).toMatchObject({ downtimeId, ...downtime });
    expect((await get(`/machines/${machineId}/downtimes`)).body).toHaveLength(1);
  });

  it('D-07 are not merged if another lies in between', async () => {
    const { downtimeId, machineId } = await stoppedMachine();
    const [lasting] = (await get(`/machines/${machineId}/downtimes`)).body as readonly { readonly startedAt: string }[];
    const startMs = Date.parse(lasting?.startedAt ?? '');
    const ids = [downtimeId];
    for (const afterMs of [2, 1]) {
      await expect.poll(() => Date.now()).toBeGreaterThan(startMs + 3);
      const { body } = await write('POST', `/downtimes/${ids.at(-1)}/split`, {
        at: new Date(startMs + afterMs).toISOString(),
      });
      const [earlier] = body as readonly { readonly downtimeId: string }[];
      ids.push(earlier?.downtimeId ?? '');
    }
    const [last, middle, first] = ids;
    const refused = await write('POST', '/downtimes/merge', { downtimeIds: [first, last] });
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ errors: [expect.stringContaining(`between them there is ${middle} as well`)] });
    expect((await write('POST', '/downtimes/merge', { downtimeIds: ids })).status).toBe(200);
    expect((await get(`/machines/${machineId}/downtimes`)).body).toHaveLength(1);
  });
});

describe('history', () => {
  it('DEV-06 DEV-13 counts production of the present shift date', async () => {
    const machineId = freshMachine();
    await gateway.postStatus(statusOf({ machineId }));
    await gateway.postStatus(statusOf({ machineId, goodPart: 5, badPart: 1, cycle: 6, mSecSinceBoot: 2_000 }));
    const { body } = await get(`/machines/${machineId}/production`);
    expect(body).toMatchObject({
      shiftDate: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      goodParts: 5,
      badParts: 1,
      cycles: 6,
      runningSeconds: expect.any(Number),
      shifts: [expect.objectContaining({ goodParts: 5 })],
    });
    const past = await get(`/machines/${machineId}/production?shiftDate=2020-01-01`);
    expect(past.body).toMatchObject({ shiftDate: '2020-01-01', goodParts: 0, shifts: [] });
  });

  it('VAR-03 gives variables by time, by shift date and in buckets', async () => {
    const machineId = freshMachine();
    const name = 'lineSpeed';
    for (const value of [1, 2, 6]) await gateway.call('POST', '/api/device/vars', { machineId, [name]: value });
    const { body } = await get(`/machines/${machineId}/variables/${name}`);
    expect(body).toEqual({ name, truncated: false, points: [1, 2, 6].map((value) => ({ time: ISO, value })) });
    const { shiftDate } = (await get(`/machines/${machineId}/production`)).body as { readonly shiftDate: string };
    expect((await get(`/machines/${machineId}/variables/${name}?shiftDate=${shiftDate}`)).body).toEqual(body);
    const buckets = await get(`/machines/${machineId}/variables/${name}?shiftDate=${shiftDate}&buckets=1`);
    expect(buckets.body).toEqual({ name, buckets: [{ time: ISO, min: 1, max: 6, mean: 3, count: 3 }] });
    const longAgo = 'from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z';
    expect((await get(`/machines/${machineId}/variables/${name}?${longAgo}`)).body).toMatchObject({ points: [] });
  });

  it('D-10 gives the timeline, anomalies, and work sessions up to this moment', async () => {
    const { machineId } = await stoppedMachine();
    const { body } = await get(`/machines/${machineId}/timeline`);
    const spans = body as readonly { readonly state: string; readonly downtimeId: string | null }[];
    expect(spans.map(({ state }) => state)).toEqual(['running', 'down', 'running']);
    const calm = { downtimeId: null, reasonId: null };
    expect(spans.at(-1)).toEqual({ state: 'running', startedAt: ISO, endedAt: null, ...calm });
    const downtimes = (await get(`/machines/${machineId}/downtimes`)).body as readonly object[];
    expect(downtimes).toMatchObject([{ downtimeId: spans[1]?.downtimeId }]);
    await gateway.postStatus(statusOf({ machineId, jobNumber: 'J-1', userId: '7', cycle: 5, mSecSinceBoot: 4_000 }));
    await gateway.postStatus(statusOf({ machineId, jobNumber: 'J-1', userId: '7', cycle: 3, mSecSinceBoot: 5_000 }));
    const sessions = await get(`/machines/${machineId}/workSessions`);
    const open = { jobNumber: 'J-1', userId: '7', startedAt: ISO, endedAt: null };
    expect(sessions.body).toContainEqual(expect.objectContaining({ ...open, cycles: 0 }));
    await gateway.postStatus(statusOf({ machineId, jobNumber: 'J-1', userId: '7', cycle: 12, mSecSinceBoot: 6_000 }));
    const limited = await get(`/machines/${machineId}/workSessions?limit=1`);
    expect(limited.body).toEqual([expect.objectContaining({ ...open, cycles: 9 })]);
    const anomalies = await get(`/machines/${machineId}/anomalies`);
    expect(anomalies.body).toEqual([{ machineId, at: ISO, counter: 'cycle', from: 5, to: 3 }]);
  });
});

describe('plant, sync, diagnostics', () => {
  const admin = (method: string, path: string, body?: unknown) =>
    gateway.as(keyOf('admin'), method, `/api/local/plant${path}`, body);

  it('creates, reads, replaces and removes a record', async () => {
    const created = await admin('POST', '/parts', { partId: 'P-7', partName: 'Seven' });
    expect(created.status).toBe(201);
    expect((await admin('POST', '/parts', { partId: 'P-7', partName: 'Seven' })).status).toBe(409);
    expect((await admin('PUT', '/parts/P-7', { partId: 'P-7', partName: 'Sieben' })).status).toBe(200);
    expect((await admin('GET', '/parts/P-7')).body).toMatchObject({ partId: 'P-7', partName: 'Sieben' });
    expect((await admin('GET', '/parts')).body).toContainEqual(expect.objectContaining({ partName: 'Sieben' }));
    expect((await admin('DELETE', '/parts/P-7')).status).toBe(204);
    expect((await admin('GET', '/parts/P-7')).status).toBe(404);
  });

  it('AUTH-02 shows no secret and no hash of one', async () => {
    const { body, text } = await admin('GET', '/apiKeys');
    expect(body).toContainEqual({ id: 'admin-principal', principal: 'admin-principal', role: 'admin', since: null });
    expect(text).not.toMatch(/hash|sha256|key-of/i);
  });

  it('serves a machine as soon as it is configured, and no longer once it is removed', async () => {
    expect((await gateway.postStatus(statusOf({ machineId: 'NEW-1' }))).status).toBe(400);
    await admin('POST', '/machines', { machineId: 'NEW-1', topicRoot: 'new/1' });
    expect((await gateway.postStatus(statusOf({ machineId: 'NEW-1' }))).status).toBe(200);
    await admin('DELETE', '/machines/NEW-1');
    expect((await gateway.postStatus(statusOf({ machineId: 'NEW-1' }))).status).toBe(400);
  });

  it('says if no central server is configured', async () => {
    expect((await get('/sync')).body).toMatchObject({
      upstream: { state: 'disabled', lastContactAt: null },
      queue: { depth: 0, oldestAt: null, bytes: 0, thinned: 0 },
      setAside: [],
    });
  });

  it('D-08 shows unknown devices and malformed messages in diagnostics', async () => {
    await gateway.postStatus(statusOf({ machineId: 'STRANGER' }));
    await gateway.postStatus('nonsense');
    const { body } = await get('/diagnostics');
    expect(body).toMatchObject({
      counts: { unknownDevice: expect.any(Number), malformed: expect.any(Number) },
      unknownDevice: expect.arrayContaining([expect.objectContaining({ subject: 'STRANGER', lastAt: ISO })]),
      malformed: [expect.objectContaining({ subject: 'http 127.0.0.1' })],
      rateLimited: [],
      clockJump: [],
      deviceClock: [],
      storage: { health: { state: 'ok' } },
    });
  });
});

const BAD_REQUESTS: readonly (readonly [string, string, unknown, number, string])[] = [
  ['GET', '/machines/NOBODY', undefined, 404, 'No machine with id "NOBODY"'],
  ['GET', '/machines/__proto__', undefined, 404, 'No machine with id "__proto__"'],
  ['GET', '/machines/constructor/production', undefined, 404, 'No machine with id "constructor"'],
  ['GET', '/machines/a%2Fb', undefined, 404, 'No machine with id "a/b"'],
  ['GET', '/machines/a%00b', undefined, 400, 'path: found a control character'],
  ['GET', '/machines/%zz', undefined, 400, 'path: found an invalid percent-encoding'],
  ['GET', '/machines/%C3%28', undefined, 400, 'path: found an invalid percent-encoding'],
  ['GET', '/nothing', undefined, 404, 'path: nothing is served at /api/local/nothing; /docs/reference has all routes'],
  ['GET', '/Machine', undefined, 404, 'served at /api/local/Machine; did you mean /api/local/machines?'],
  ['GET', '', undefined, 404, 'path: nothing is served at /api/local'],
  ['PATCH', '/machines', undefined, 405, 'method: found PATCH, expected'],
  ['GET', '/machines?limit=3', undefined, 400, 'limit: unknown field'],
  ['GET', '/machines/M-0/downtimes?limit=0', undefined, 400, 'limit: found 0, expected at least 1'],
  ['GET', '/machines/M-0/downtimes?limit=x', undefined, 400, 'limit: found "x", expected a whole number'],
  ['GET', '/machines/M-0/downtimes?limit=1&limit=2', undefined, 400, 'limit: found an array, expected a whole number'],
  [
    'GET',
    '/machines/M-0/downtimes?uncategorized=maybe',
    undefined,
    400,
    'uncategorized: found "maybe", expected true or false',
  ],
  ['GET', '/machines/M-0/production?shiftDate=today', undefined, 400, 'shiftDate: found "today"'],
  ['GET', '/machines/M-0/production?shiftDate=2026-02-30', undefined, 400, 'shiftDate: found "2026-02-30"'],
  ['GET', '/machines/M-0/timeline?from=yesterday', undefined, 400, 'from: found "yesterday", expected a time as'],
  [
    'GET',
    '/machines/M-0/timeline?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    undefined,
    400,
    'a time before to',
  ],
  ['GET', '/machines/M-0/variables/x?buckets=0', undefined, 400, 'buckets: found 0'],
  [
    'GET',
    '/machines/M-0/variables/x?shiftDate=2026-01-01&from=2026-01-01T00:00:00Z',
    undefined,
    400,
    'either shiftDate or a range',
  ],
  ['PUT', '/machines/M-0/part', {}, 400, 'partId: found nothing, expected a value'],
  ['PUT', '/machines/M-0/part', { partId: 5 }, 400, 'partId: found 5, expected text'],
  ['PUT', '/machines/M-0/part', { partId: 'NONE' }, 400, 'partId: found "NONE", expected the id of a part'],
  ['PUT', '/machines/M-0/part', { partId: 'P-100', extra: 1 }, 400, 'extra: unknown field'],
  ['PUT', '/machines/M-0/part', [], 400, 'body: found an array, expected an object'],
  ['PUT', '/machines/M-0/part', '{"partId":"P-100","partId":"P-101"}', 400, 'found "partId" twice'],
  ['PUT', '/machines/M-0/part', '{', 400, 'body: invalid JSON'],
  ['PUT', '/machines/M-0/part', '', 400, 'body: found nothing'],
  ['PUT', '/machines/M-0/part', '['.repeat(65), 400, 'found deeper nesting, expected at most 64 levels'],
  ['PUT', '/machines/M-0/part', Buffer.from([0x22, 0xff, 0x22]), 400, 'bytes that are not UTF-8'],
  ['PUT', '/machines/M-0/part', JSON.stringify({ partId: 'x'.repeat(1_048_577) }), 413, 'at most 1048576 bytes'],
  ['PUT', '/machines/M-0/part', `[${'0,'.repeat(500_000)}0]`, 400, 'body: found more, expected at most 12000 values'],
  ['PUT', '/machines/NOBODY/part', { partId: 'P-100' }, 404, 'No machine with id "NOBODY"'],
  ['PUT', '/downtimes/NONE/category', { reasonId: 'DT-01' }, 404, 'No downtime with id "NONE"'],
  ['PUT', '/downtimes/NONE/category', {}, 400, 'reasonId: found nothing'],
  ['POST', '/downtimes/category', { downtimeIds: [], reasonId: 'DT-01' }, 400, 'downtimeIds: found an array'],
  ['POST', '/downtimes/NONE/split', { at: 'noon' }, 400, 'at: found "noon", expected a time'],
];

it.each(BAD_REQUESTS)('ERR-01 D-13 %s %s %o is %i: %s', async (method, path, body, status, why) => {
  const answer = await write(method, path, body);
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({ errors: expect.arrayContaining([expect.stringContaining(why)]) });
});

it('ERR-01 an unknown reason for a downtime is named', async () => {
  const { downtimeId } = await stoppedMachine();
  const answer = await write('PUT', `/downtimes/${downtimeId}/category`, { reasonId: 'WHY' });
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({ errors: ['reasonId: found "WHY", expected the id of a downtime reason'] });
});

it.each(['text/plain', 'application/x-www-form-urlencoded', 'text/html'])(
  'the gateway refuses a body as %s with 415',
  async (type) => {
    const headers = { authorization: `ApiKey ${keyOf('technician')}`, 'content-type': type };
    const answer = await gateway.call('PUT', '/api/local/machines/M-0/part', '{"partId":"P-100"}', headers);
    expect(answer.status).toBe(415);
  },
);

it('ERR-01 the gateway answers 503 while the store is away, and goes on deciding', async () => {
  const away = await startGateway();
  await away.store.close();
  const answer = await away.as(keyOf('technician'), 'PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' });
  expect(answer.status).toBe(503);
  expect((await away.postStatus(statusOf())).status).toBe(200);
  await away.close();
});
