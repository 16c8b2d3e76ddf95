import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { Postgres } from '../../src/central/postgres/postgres.ts';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { quietLog } from '../adapters/store/open-test-store.ts';
import { BatchSender, operationOf } from '../fakes/batch-sender.ts';
import { type Json, Program } from './program.ts';
import { keyOf, warehousePlant } from './warehouse-plant.ts';

let database: LocalPostgres;
let nodes: Program[] = [];
let calls = 0;

beforeAll(async () => {
  database = await LocalPostgres.start({ isDurable: true });
});
afterAll(() => database.end());
afterEach(async () => {
  for (const node of nodes) {
    await node.kill();
    node.cleanUp();
  }
  nodes = [];
});

const TASKS = Array.from({ length: 30 }, (_, index) => ({ taskId: `T-${index + 1}`, taskState: 'Ready' as const }));
/** The lines of each node's log that are printed after a failure. */
const LOG_LINES = 10;
const ADMIN = 'admin-key-01234567890';

function plantWithAdmin(): string {
  const plant = JSON.parse(warehousePlant(TASKS));
  return JSON.stringify({
    ...plant,
    catalogs: [{ catalogId: 1, name: 'Standard', default: true }],
    apiKeys: [...plant.apiKeys, { principal: 'chief', role: 'admin', key: ADMIN }],
  });
}

/** A node on the database; the first one brings the plant. */
async function addNode(
  url: string,
  options: { readonly dir?: string; readonly plant?: string; readonly http?: string } = {},
): Promise<Program> {
  const settings = `storage: { postgres: { url: "${url}", maxConnections: 8 } }\nlegacyAgent: { kind: simulated }\n`;
  const dir = options.dir ?? Program.prepare({ plant: '{}', ...options, settings });
  const file = path.join(dir, 'plantgate.yaml');
  const named = readFileSync(file, 'utf8').replace(
    /(http: .*port: \d+) }/,
    `$1, allowedHosts: [central.example]${options.http ?? ''} }`,
  );
  writeFileSync(file, named);
  const node = await Program.start({ dir, command: 'central' });
  nodes.push(node);
  onTestFailed(() => console.error(node.process.exitCode, node.log.slice(-LOG_LINES).join('\n')));
  return node;
}

async function connectTo(url: string): Promise<Postgres> {
  const postgres = new Postgres({ url, maxConnections: 2, log: quietLog });
  onTestFinished(() => postgres.close());
  return postgres;
}

async function twoNodes(name: string, http = ''): Promise<{ url: string; a: Program; b: Program }> {
  const url = await database.createDatabase(name);
  const a = await addNode(url, { plant: plantWithAdmin(), http });
  const b = await addNode(url, { http });
  return { url, a, b };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function call(
  node: Program,
  method: string,
  place: string,
  body?: object,
  key = keyOf(calls++),
): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${node.httpPort}${place}`, {
    method,
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const admin = (node: Program, method: string, place: string, body?: object) =>
  call(node, method, `/api/local${place}`, body, ADMIN);
const json = async (answer: Promise<Answer>): Promise<Json> => JSON.parse((await answer).text);

it('D-79 each node shows at once, and to the letter, what was done at another', async () => {
  const { a, b } = await twoNodes('same');
  const begun = await json(call(a, 'GET', '/api/v1/changes'));
  expect((await call(b, 'POST', '/api/v1/warehouseTasks/T-1/inProcess', { userName: 'Ada' })).status).toBe(202);
  expect(await json(call(a, 'GET', '/api/v1/warehouseTasks/T-1'))).toMatchObject({
    taskState: 'InProcess',
    userName: 'Ada',
  });
  const order = { documentID: 'O-1', products: [{ toolingDetail: { toolingCode: 'X.1' } }] };
  expect((await call(a, 'POST', '/api/v1/orders/add', order)).status).toBe(200);
  const profile = { profileName: 'Eave', features: [{ type: 'Straight', length: 4 }] };
  const made = await json(call(b, 'POST', '/api/v1/profiles', profile));
  expect((await call(a, 'PUT', `/api/v1/profiles/${made.profileId}`, { ...made, profileName: 'Ridge' })).status).toBe(
    200,
  );
  // A key that was made at one node works at the other at once, and one that was removed does not.
  const key = { principal: 'new', role: 'business', key: 'new-key-01234567890123' };
  expect(await admin(a, 'POST', '/plant/apiKeys', key)).toEqual({ status: 201, text: expect.any(String) });
  expect((await call(b, 'GET', '/api/v1/coils', undefined, 'new-key-01234567890123')).status).toBe(200);
  const keys: { id: string; principal: string }[] = await json(admin(b, 'GET', '/plant/apiKeys'));
  const { id } = keys.find(({ principal }) => principal === 'new') ?? { id: '' };
  expect((await admin(b, 'DELETE', `/plant/apiKeys/${id}`)).status).toBe(204);
  expect((await call(a, 'GET', '/api/v1/coils', undefined, 'new-key-01234567890123')).status).toBe(401);
  for (const place of [
    '/api/v1/warehouseTasks',
    '/api/v1/coils',
    '/api/v1/orders/orderSummary',
    '/api/v1/profiles',
    `/api/v1/changes?after=${encodeURIComponent(begun.cursor)}`,
    '/api/local/audit',
    '/api/local/plant/machines',
    '/api/local/plant/apiKeys',
  ]) {
    const [one, other] = [await call(a, 'GET', place, undefined, ADMIN), await call(b, 'GET', place, undefined, ADMIN)];
    expect(one.status, `${place}: ${one.text}`).toBe(200);
    expect(other.text, place).toBe(one.text);
  }
}, 60_000);

it('D-79 of two operations at two nodes at the same time each is judged after the other', async () => {
  const { a, b } = await twoNodes('racing');
  for (const { taskId } of TASKS.slice(0, 15)) {
    const start = (node: Program, userName: string) =>
      call(node, 'POST', `/api/v1/warehouseTasks/${taskId}/inProcess`, { userName });
    await Promise.all([start(a, 'Ada'), start(b, 'Bob')]);
    expect((await call(a, 'POST', `/api/v1/warehouseTasks/${taskId}/inTransit`, { coilId: 'C-1' })).text).toBe('');
    const coil = { location: 'RF-01' };
    const end = (node: Program) => call(node, 'POST', `/api/v1/warehouseTasks/${taskId}/complete`, coil);
    const answers = await Promise.all([end(a), end(b)]);
    const texts = await Promise.all([a, b].map((node) => call(node, 'GET', `/api/v1/warehouseTasks/${taskId}`)));
    expect(texts[0]?.text).toBe(texts[1]?.text);
    expect(
      answers.some(({ status }) => status < 300),
      JSON.stringify(answers),
    ).toBe(true);
  }
}, 60_000);

it('D-79 a request with an Idempotency-Key is carried out once, whichever nodes its copies reach', async () => {
  const { a, b } = await twoNodes('once');
  const send = (node: Program, name: string) =>
    fetch(`http://127.0.0.1:${node.httpPort}/api/v1/profiles`, {
      method: 'POST',
      headers: { authorization: `ApiKey ${keyOf(0)}`, 'content-type': 'application/json', 'idempotency-key': name },
      body: JSON.stringify({ profileName: name, features: [{ type: 'Straight', length: 4 }] }),
    }).then(async (answer) => ({ status: answer.status, text: await answer.text() }));
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all([send(a, `p-${round}`), send(b, `p-${round}`), send(a, `p-${round}`)]);
    expect(new Set(answers.map(({ text }) => text)).size, JSON.stringify(answers)).toBe(1);
  }
  const list: object[] = await json(call(b, 'GET', '/api/v1/profiles'));
  expect(list.length).toBe(10);
}, 60_000);

it('D-79 what a node has acknowledged survives its death, and a node with an empty directory begins with everything', async () => {
  const { url, a, b } = await twoNodes('dying');
  const done: string[] = [];
  const work = async (node: Program, tasks: readonly string[]) => {
    for (const taskId of tasks) {
      const answer = await call(node, 'POST', `/api/v1/warehouseTasks/${taskId}/inProcess`, { userName: 'Ada' }).catch(
        () => null,
      );
      if (answer?.status === 202) done.push(taskId);
    }
  };
  const working = work(
    a,
    TASKS.map(({ taskId }) => taskId),
  );
  await expect.poll(() => done.length).toBeGreaterThan(5);
  await a.kill();
  await working;
  const c = await addNode(url);
  for (const node of [b, c]) {
    const tasks: { taskId: string; taskState: string }[] = await json(call(node, 'GET', '/api/v1/warehouseTasks'));
    const inProcess = new Set(tasks.filter(({ taskState }) => taskState === 'InProcess').map(({ taskId }) => taskId));
    expect(done.filter((taskId) => !inProcess.has(taskId))).toEqual([]);
  }
  const again = await addNode(url, { dir: a.dir });
  expect((await call(again, 'GET', '/api/v1/warehouseTasks')).text).toBe(
    (await call(b, 'GET', '/api/v1/warehouseTasks')).text,
  );
}, 90_000);

it('D-79 a central server on SQLite that gets a database shares all that it has, and a second one with records of its own is refused', async () => {
  const url = await database.createDatabase('moving');
  const settings = 'legacyAgent: { kind: simulated }\n';
  const alone = await Program.start({ plant: plantWithAdmin(), settings, command: 'central' });
  nodes.push(alone);
  expect((await call(alone, 'POST', '/api/v1/warehouseTasks/T-1/inProcess', { userName: 'Ada' })).status).toBe(202);
  const before = (await call(alone, 'GET', '/api/v1/warehouseTasks')).text;
  await alone.stop();
  Program.configure(alone.dir, `${settings}storage: { postgres: { url: "${url}" } }\n`);
  const a = await Program.start({ dir: alone.dir, command: 'central' });
  nodes.push(a);
  const b = await addNode(url);
  expect((await call(b, 'GET', '/api/v1/warehouseTasks')).text).toBe(before);
  expect((await call(b, 'POST', '/api/v1/warehouseTasks/T-2/inProcess', { userName: 'Bob' })).status).toBe(202);
  expect(await json(call(a, 'GET', '/api/v1/warehouseTasks/T-2'))).toMatchObject({ userName: 'Bob' });
  const other = await Program.start({ plant: plantWithAdmin(), settings, command: 'central' });
  nodes.push(other);
  await other.stop();
  Program.configure(other.dir, `${settings}storage: { postgres: { url: "${url}" } }\n`);
  const refused = await Program.run(other.dir, { command: 'central' });
  expect(refused.code).not.toBe(0);
  expect(refused.output).toContain('has records of its own');
}, 90_000);

it('D-79 nodes end after their database was restored to an earlier time, and begin again with what it has', async () => {
  const { url, a, b } = await twoNodes('restored');
  const start = (node: Program, taskId: string) =>
    call(node, 'POST', `/api/v1/warehouseTasks/${taskId}/inProcess`, { userName: 'Ada' });
  expect((await start(a, 'T-1')).status).toBe(202);
  const postgres = await connectTo(url);
  const [kept] = await postgres.query<{ seq: number }>('SELECT seq FROM central.journal');
  expect((await start(b, 'T-2')).status).toBe(202);
  expect(await json(call(a, 'GET', '/api/v1/warehouseTasks/T-2'))).toMatchObject({ taskState: 'InProcess' });
  const ended = Promise.all([a, b].map((node) => new Promise((resolve) => node.process.once('exit', resolve))));
  await postgres.run('DELETE FROM central.journal_entry WHERE seq > $1', [kept?.seq ?? 0]);
  await postgres.run(
    'UPDATE central.journal SET seq = $1, write_id = (SELECT write_id FROM central.journal_entry WHERE seq = $1)',
    [kept?.seq ?? 0],
  );
  expect(await ended).toEqual([75, 75]);
  const again = [await addNode(url, { dir: a.dir }), await addNode(url, { dir: b.dir })];
  for (const node of again) {
    expect(await json(call(node, 'GET', '/api/v1/warehouseTasks/T-1'))).toMatchObject({ taskState: 'InProcess' });
    expect(await json(call(node, 'GET', '/api/v1/warehouseTasks/T-2'))).toMatchObject({ taskState: 'Ready' });
  }
}, 90_000);

/** A call as it comes through a load balancer: with the name that people know. */
async function throughBalancer(
  node: Program,
  method: 'GET' | 'POST' | 'DELETE',
  place: string,
  cookie: string,
  body?: object,
) {
  const {
    statusCode,
    headers,
    body: answer,
  } = await request(`http://127.0.0.1:${node.httpPort}/api/local${place}`, {
    method,
    headers: { host: 'central.example', cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  const [set = ''] = [headers['set-cookie'] ?? []].flat();
  return { status: statusCode, text, cookie: set.split(';')[0] ?? '' };
}

it('D-79 D-96 a person who signs in at one node is signed in at the other, and signed out there as well', async () => {
  const { a, b } = await twoNodes('signed-in');
  const ada = { name: 'ada', role: 'admin', password: 'rolls and coils' };
  expect((await admin(a, 'POST', '/plant/users', ada)).status).toBe(201);
  const signIn = { name: ada.name, password: ada.password };
  const { cookie, status } = await throughBalancer(b, 'POST', '/session', '', signIn);
  expect(status).toBeLessThan(300);
  const who = async (node: Program) => (await throughBalancer(node, 'GET', '/session', cookie)).status;
  expect(await who(a)).toBe(200);
  expect((await throughBalancer(a, 'DELETE', '/session', cookie)).status).toBeLessThan(300);
  expect(await who(b)).toBe(401);
}, 60_000);

it('D-79 a page at one node learns within seconds of what is done at another', async () => {
  const { a, b } = await twoNodes('live');
  const stream = await request(`http://127.0.0.1:${b.httpPort}/api/local/events`, {
    headers: { authorization: `ApiKey ${ADMIN}` },
  });
  let heard = '';
  stream.body.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
  });
  stream.body.on('error', () => 0);
  expect((await call(a, 'POST', '/api/v1/warehouseTasks/T-3/inProcess', { userName: 'Ada' })).status).toBe(202);
  await expect.poll(() => heard).toContain('"taskId":"T-3"');
  expect(heard).toContain('"taskState":"InProcess"');
  stream.body.destroy();
}, 60_000);

it('D-79 D-100 operations in batches of gateways and of people at the same node do not wait for each other', async () => {
  const { a, b } = await twoNodes('batches');
  const order = (documentID: string) => ({ documentID, products: [{ toolingDetail: { toolingCode: 'X.1' } }] });
  const deliver = async (gatewayId: string) => {
    const sender = new BatchSender(gatewayId, randomUUID);
    for (let batches = 0; batches < 12; batches += 1) {
      const documentIds = Array.from({ length: 3 }, (_, index) => `${gatewayId}-${batches}-${index}`);
      sender.queue(
        documentIds.map((documentID) => {
          const orderKey = `documentID ${documentID}`;
          return operationOf(
            { type: 'orderPut', orderKey, json: JSON.stringify(order(documentID)), isNew: true },
            Date.now(),
          );
        }),
      );
      const { digest, json: text } = sender.batch() ?? expect.fail('nothing waits');
      expect(await call(a, 'POST', '/api/v1/sync', JSON.parse(text), keyOf(0))).toEqual({
        status: 200,
        text: expect.stringContaining('"refused":[]'),
      });
      sender.acknowledged(digest);
    }
  };
  let isOver = false;
  const waits: number[] = [];
  const add = async (person: string, node: Program) => {
    for (let orders = 0; !isOver; orders += 1) {
      const startedMs = performance.now();
      expect((await call(node, 'POST', '/api/v1/orders/add', order(`${person}-${orders}`))).status).toBe(200);
      waits.push(performance.now() - startedMs);
    }
  };
  const people = ['ann', 'bob', 'cyd'].map((person) => add(person, a));
  const gateways = Promise.all(['boise', 'dayton', 'tulsa'].map(deliver)).finally(() => {
    isOver = true;
  });
  await Promise.all([gateways, ...people]);
  expect(Math.max(...waits)).toBeLessThan(3_000);
  const orders: Json[] = await json(admin(b, 'GET', '/plant/orders?take=1000'));
  expect(orders.length).toBe(3 * 12 * 3 + waits.length);
}, 60_000);

/** Two exchanges of limits: one tells, one asks. */
const TOLD_MS = 2_200;
const REQUESTS_PER_SECOND = 1;
const REQUESTS_AT_ONCE = 5 * REQUESTS_PER_SECOND;

/** The statuses of calls that are made at the same time. */
async function atOnce(calls: number, make: (index: number) => Promise<{ readonly status: number }>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: calls }, (_, index) => make(index)));
  return answers.map(({ status }) => status);
}

const timesOf = (status: number, statuses: readonly number[]) => statuses.filter((one) => one === status).length;

it('D-113 a key that has used up its limit at one node gets 429 at the other, and another key does not', async () => {
  const { a, b } = await twoNodes('limits', `, requestsPerSecond: ${REQUESTS_PER_SECOND}`);
  const list = (node: Program, key: string) => call(node, 'GET', '/api/v1/coils', undefined, key);
  const startedMs = performance.now();
  const first = await atOnce(2 * REQUESTS_AT_ONCE, () => list(a, keyOf(0)));
  expect(timesOf(200, first)).toBeGreaterThanOrEqual(REQUESTS_AT_ONCE);
  await pause(TOLD_MS);
  const second = await atOnce(2 * REQUESTS_AT_ONCE, () => list(b, keyOf(0)));
  const seconds = (performance.now() - startedMs) / 1_000;
  expect(timesOf(200, [...first, ...second])).toBeLessThanOrEqual(REQUESTS_AT_ONCE + REQUESTS_PER_SECOND * seconds);
  expect(timesOf(429, second)).toBeGreaterThan(REQUESTS_AT_ONCE);
  expect(await atOnce(REQUESTS_AT_ONCE, () => list(b, keyOf(1)))).not.toContain(429);
}, 60_000);

it('D-113 wrong keys, passwords and PINs at one node count at the other', async () => {
  const { a, b } = await twoNodes('guesses');
  const wrongKey = (node: Program) => (index: number) =>
    call(node, 'GET', '/api/v1/coils', undefined, `wrong-key-0123456789-${index}`);
  const wrongPassword = (node: Program) => () =>
    throughBalancer(node, 'POST', '/session', '', { name: 'eve', password: 'guessed' });
  const users = { ada: { role: 'admin' }, pat: { role: 'technician', pin: '2468' } };
  for (const [name, more] of Object.entries(users)) {
    const user = { name, password: 'rolls and coils', ...more };
    expect((await admin(a, 'POST', '/plant/users', user)).status).toBe(201);
  }
  const ada = await throughBalancer(a, 'POST', '/session', '', { name: 'ada', password: 'rolls and coils' });
  const panel = await throughBalancer(a, 'POST', '/panel', ada.cookie, { name: 'Line 1' });
  const wrongPin = (node: Program) => () =>
    throughBalancer(node, 'POST', '/session/panel', panel.cookie, { name: 'pat', pin: '1357' });

  // Each takes more than there is, so that none comes back while the other node is asked.
  expect(timesOf(401, await atOnce(20, wrongKey(a)))).toBeGreaterThan(10);
  expect(timesOf(401, await atOnce(20, wrongPassword(a)))).toBeGreaterThan(10);
  expect(timesOf(401, await atOnce(8, wrongPin(a)))).toBe(5);
  await pause(TOLD_MS);
  expect(await wrongPin(b)()).toMatchObject({ status: 429 });
  // Four may wait for a second, the others are refused at once.
  expect(timesOf(429, await atOnce(6, wrongKey(b)))).toBe(2);
  expect(timesOf(429, await atOnce(6, wrongPassword(b)))).toBe(2);
}, 60_000);
