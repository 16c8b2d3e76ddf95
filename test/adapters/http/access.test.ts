import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDITED_ACTS, NOT_AUDITED } from '../../../src/adapters/http/audit/audited-acts.ts';
import { routeName } from '../../../src/adapters/http/audit/route-audit.ts';
import { localRoutes } from '../../../src/adapters/http/routes/local-routes.ts';
import { surfaces } from '../../../src/adapters/http/surfaces.ts';
import { call, type GatewayUnderTest, keyOf, LOCAL_KEY, startGateway } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/**
 * The lowest role for each route, written down a second time: technicians read and work, supervisors change the plant
 * and set-aside records.
 */
function expectedRole(method: string, path: string): string {
  if (/^\/(?:settings|update|log-level$|backups$|support-bundle$)/.test(path)) return 'admin';
  if (path.startsWith('/alerts/channels') && method !== 'GET') return path.endsWith('/test') ? 'supervisor' : 'admin';
  if (/^\/alerts\/(?:rules|recipients|reports)/.test(path) && method !== 'GET') return 'supervisor';
  if (/^\/plant\/(?:apiKeys|users|mqttAccounts)/.test(path)) return 'admin';
  if (/^\/fleet\/(?:groups|archives)/.test(path)) return roleOfFleet(method, path);
  if (method === 'DELETE' && path === '/gateways/:gatewayId') return 'admin';
  return /^\/(plant|sync|gateways|diagnostics)\//.test(path) && method !== 'GET' ? 'supervisor' : 'technician';
}

/** Groups of gateways are administered; supervisors see how far they are. */
function roleOfFleet(method: string, path: string): string {
  return method === 'GET' && !path.endsWith('/:version') ? 'supervisor' : 'admin';
}

/** The requests of a gateway to its central server. */
const ASKED_BY_GATEWAYS = [
  'GET /api/v1/catalogs',
  'GET /api/v1/coils',
  'GET /api/v1/coils/:coilId',
  'GET /api/v1/orders/:ordId',
  'GET /api/v1/orders/orderSummaries',
  'GET /api/v1/orders/orderSummary',
  'GET /api/v1/profiles',
  'GET /api/v1/profiles/:profileId',
  'GET /api/v1/sync',
  'GET /api/v1/sync/plan',
  'GET /api/v1/sync/update/:updateId',
  'GET /api/v1/warehouseTasks',
  'GET /api/v1/warehouseTasks/:taskId',
  'GET /api/v1/warehouseTasks/locations',
  'GET /api/v1/warehouseTasks/reasonCodes',
  'POST /api/v1/coils/:coilId/location',
  'POST /api/v1/sync',
  'POST /api/v1/sync/health',
  'POST /api/v1/sync/plant',
  'POST /api/v1/warehouseTasks/:taskId/cancel',
  'POST /api/v1/warehouseTasks/:taskId/complete',
];

describe('every route', () => {
  it('is in the audit if it changes something, or is on the list of exceptions', () => {
    const served = surfaces({ ...gateway.options, syncReceiver: null });
    const changing = served.flatMap(({ prefix, routes }) =>
      routes.filter(({ method }) => method !== 'GET').map((route) => routeName(prefix, route)),
    );
    const missing = changing.filter((name) => !AUDITED_ACTS.has(name) && !NOT_AUDITED.some((rule) => rule.test(name)));
    expect(missing).toEqual([]);
    expect([...AUDITED_ACTS.keys()].filter((name) => !changing.includes(name))).toEqual([]);
  });

  it('has the role that the contract gives it', () => {
    const routes = localRoutes(gateway.options);
    expect(routes.length).toBeGreaterThan(60);
    for (const { method, path, role } of routes)
      expect(`${method} ${path} ${role}`).toBe(`${method} ${path} ${expectedRole(method, path)}`);
  });

  it('D-25 D-27 is open to the role gateway if a gateway asks it of its central server, and else for business keys', () => {
    const v1 = surfaces(gateway.options).filter(({ prefix }) => prefix.startsWith('/api/v1'));
    const asked = v1.flatMap(({ prefix, routes }) =>
      routes.filter(({ role }) => role === 'gateway').map((route) => routeName(prefix, route)),
    );
    expect(asked.sort()).toEqual(ASKED_BY_GATEWAYS);
    expect(v1.flatMap(({ routes }) => routes).every(({ role }) => role === 'gateway' || role === 'business')).toBe(
      true,
    );
  });
});

it('the gateway’s own key may read the list of people', async () => {
  expect((await gateway.as(LOCAL_KEY, 'GET', '/api/local/plant/users')).status).toBe(200);
});

it('AUTH-02 a revoked key is refused at once', async () => {
  const key = 'key-that-will-go-soon';
  await gateway.as(LOCAL_KEY, 'POST', '/api/local/plant/apiKeys', { principal: 'leaver', role: 'technician', key });
  expect((await gateway.as(key, 'GET', '/api/local/machines')).status).toBe(200);
  await gateway.as(LOCAL_KEY, 'DELETE', '/api/local/plant/apiKeys/leaver');
  expect((await gateway.as(key, 'GET', '/api/local/machines')).status).toBe(401);
});

it('AUTH-02 a known key is compared once, and many requests with a new key need one comparison', async () => {
  let comparisons = 0;
  const counting = await startGateway({
    options: {
      verifySecret: async (_, secret) => {
        comparisons++;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return secret === 'right';
      },
    },
  });
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => counting.as('right', 'GET', '/api/local/plant/parts')),
  );
  // The first key by its id matches, which is an administrator's (D-54).
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await counting.as('right', 'GET', '/api/local/plant/parts');
  expect(comparisons).toBe(1);
  await counting.close();
});

it('AUTH-01 the gateway slows down an address that tries one key after another, says so by 429, and lets right keys in', async () => {
  const guarded = await startGateway();
  expect((await guarded.as(keyOf('technician'), 'GET', '/api/local/machines')).status).toBe(200);
  const guess = async (count: number) => {
    const startedMs = performance.now();
    const { status, text } = await guarded.as(`guess-${count}`, 'GET', '/api/local/sync');
    return { status, text, tookMs: performance.now() - startedMs };
  };
  const first = await guess(0);
  for (let count = 1; count < 10; count++) expect(await guess(count)).toMatchObject({ status: 401, text: first.text });
  const slowed = await Promise.all(Array.from({ length: 10 }, (_, index) => guess(100 + index)));
  // Four waited and were compared. The others were not, so they are not called wrong.
  expect(slowed.filter(({ tookMs, status }) => tookMs > 900 && status === 401)).toHaveLength(4);
  expect(slowed.filter(({ tookMs, status }) => tookMs < 900 && status === 429)).toHaveLength(6);
  expect((await guarded.as(keyOf('supervisor'), 'GET', '/api/local/machines')).status).toBe(200);
  expect((await guarded.as(keyOf('technician'), 'GET', '/api/local/machines')).status).toBe(200);
  expect((await guarded.as(LOCAL_KEY, 'GET', '/api/local/machines')).status).toBe(200);
  expect(guarded.incidents.entries('accessRefused')).toContainEqual(
    expect.objectContaining({ subject: 'http 127.0.0.1', detail: 'an unknown API key' }),
  );
  await guarded.close();
});

describe('Host and Origin', () => {
  it.each([
    ['localhost', 200],
    ['LOCALHOST:8080', 200],
    ['127.0.0.1', 200],
    ['127.0.0.1:1', 200],
    ['8.8.8.8', 200],
    ['[2001:db8::7]:8080', 200],
    ['127.1', 421],
    ['8.8.8.8.evil.example', 421],
    ['gate.example', 200],
    ['gate.example.:80', 200],
    ['evil.example', 421],
    ['gate.example.evil.example', 421],
    ['localhost.evil.example', 421],
  ])('a Host of %s is answered with %i', async (host, status) => {
    for (const path of ['/healthz', '/', '/metrics']) {
      expect((await gateway.call('GET', path, undefined, { host })).status).toBe(status);
    }
  });

  it('HTTP-02 a request without Host is refused with a reason', async () => {
    const machineId = 'nobody';
    const body = JSON.stringify({ machineId });
    const said = async (head: string, text = '') => {
      const socket = connect(gateway.port, '127.0.0.1');
      socket.end(`${head} HTTP/1.1\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    };
    expect(await said('GET /healthz')).toMatch(/^HTTP\/1\.1 400 .*Host: found nothing, expected/s);
    expect(await said('POST /api/device/status', body)).toMatch(/^HTTP\/1\.1 400 .*errors.*found nothing/s);
  });

  it.each([
    ['Origin', { origin: 'http://evil.example' }, 403],
    ['Origin', { origin: 'null' }, 403],
    ['Origin', { origin: 'https://localhost' }, 403],
    ['Origin', { origin: 'http://localhost' }, 200],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'same-site' }, 403],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }, 200],
    ['neither', {}, 200],
  ])('a write with %s %o is answered with %i', async (_, headers, status) => {
    const sent = { host: 'localhost', authorization: `ApiKey ${keyOf('technician')}`, ...headers };
    const answer = await gateway.call('PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' }, sent);
    expect(answer.status).toBe(status);
    const read = await gateway.call('GET', '/api/local/machines', undefined, sent);
    expect(read.status).toBe(200);
  });

  it.each([
    ['a page of another site', { origin: 'http://evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a page whose name was made to point here', { host: 'evil.example', origin: 'http://evil.example' }, 403],
    ['a page over https', { origin: 'https://localhost' }, 403],
    ['the gateway’s own page', { origin: 'http://localhost' }, 400],
    ['a device', {}, 400],
    ['a device under any name', { host: 'gateway-of-hall-7' }, 400],
  ])('HTTP-04 a status sent by %s is answered with %s', async (_, headers, status) => {
    for (const endpoint of ['status', 'vars']) {
      const body = { machineId: 'nobody' };
      const sent = { host: 'localhost', 'content-type': 'text/plain', ...headers };
      const answer = await gateway.call('POST', `/api/device/${endpoint}`, body, sent);
      expect(answer.status).toBe(status);
      const noted = gateway.incidents
        .entries('malformed')
        .find(({ detail }) => detail.startsWith(`${endpoint}: Origin`));
      expect(noted !== undefined).toBe(status === 403);
    }
  });

  it.each(['/healthz', '/api/local/machines', '/api/device/status'])(
    'two Host headers are refused at %s',
    async (path) => {
      const socket = connect(gateway.port, '127.0.0.1');
      socket.end(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n`);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 400 .*Host: sent twice, send it once/s);
    },
  );

  it('sends headers that keep pages of other sites out', async () => {
    const { headers } = await gateway.call('GET', '/');
    expect(headers['content-security-policy']).toContain("default-src 'self'");
    expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('probes', () => {
  it('need no key', async () => {
    expect((await gateway.call('GET', '/healthz')).body).toEqual({ status: 'ok' });
    expect((await gateway.call('GET', '/readyz')).body).toEqual({ ready: true, reasons: [] });
  });

  it('say why the gateway is not ready', async () => {
    const health = { state: 'full', since: 0, detail: 'no space left on device' } as const;
    const counters = { ...gateway.store.counters(), health };
    const broker = { ...gateway.options.vitals.broker(), listening: false };
    const vitals = { store: () => counters, broker: () => broker, clients: () => [] };
    const failing = await startGateway({ options: { vitals } });
    const { status, body } = await failing.call('GET', '/readyz');
    expect(status).toBe(503);
    expect(body).toEqual({
      ready: false,
      reasons: ['store: full: no space left on device', 'mqtt: the broker is not listening'],
    });
    expect((await failing.call('GET', '/healthz')).status).toBe(200);
    await failing.close();
  });

  it('count requests, incidents, machines and commits', async () => {
    await gateway.postStatus('nonsense');
    const { text, headers } = await gateway.call('GET', '/metrics');
    expect(text).not.toMatch(/ Nan$/m);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    for (const line of [
      /^plantgate_http_device_answers_total\{endpoint="status",status="400"\} [1-9]/m,
      /^plantgate_incidents_total\{kind="malformed"\} [1-9]/m,
      /^plantgate_machines 2$/m,
      /^plantgate_connections\{protocol="http"\} \d/m,
      /^plantgate_store_healthy 1$/m,
      /^plantgate_store_commits_total \d/m,
      /^nodejs_eventloop_lag_p50_seconds /m,
      /^nodejs_eventloop_lag_p99_seconds /m,
      /^process_cpu_seconds_total/m,
      /^process_resident_memory_bytes/m,
    ]) {
      expect(text).toMatch(line);
    }
  });

  it('show no delay of the event loop while it has nothing to do', async () => {
    await gateway.call('GET', '/metrics');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { text } = await gateway.call('GET', '/metrics');
    const delaySeconds = Number(/^nodejs_eventloop_lag_p50_seconds (\S+)$/m.exec(text)?.[1]);
    expect(delaySeconds).toBeGreaterThanOrEqual(0);
    expect(delaySeconds).toBeLessThan(0.05);
  });

  it('do not list single connections, because there may be thousands', async () => {
    const { text } = await gateway.call('GET', '/metrics');
    expect(text).not.toMatch(/^(nodejs_active_|process_open_fds)/m);
  });

  it('the address itself shows the page', async () => {
    const { status, headers, text } = await gateway.call('GET', '/');
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(text).toContain('<title>plantgate</title>');
  });

  it('answer an unknown path and method in the error shape', async () => {
    expect(await gateway.call('GET', '/nothing')).toMatchObject({
      status: 404,
      body: { errors: [expect.any(String)] },
    });
    const posted = await gateway.call('POST', '/healthz', {});
    expect(posted).toMatchObject({ status: 405, body: { errors: [expect.stringContaining('expected HEAD or GET')] } });
    expect(posted.headers.allow).toBe('HEAD, GET');
  });
});

it('a gateway names the port that is taken', async () => {
  const taken = startGateway({
    options: {
      http: {
        host: '127.0.0.1',
        port: gateway.port,
        tls: null,
        allowedHosts: [],
        trustedProxies: [],
        requestsPerSecond: 200,
      },
    },
  });
  await expect(taken).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(new RegExp(`^http\\.port: .*:${gateway.port}: .* Choose another http\\.port`)),
  });
});

it('a gateway with an idle connection closes within its grace', async () => {
  const closing = await startGateway();
  await fetch(`${closing.url}/healthz`);
  const startedAt = performance.now();
  await closing.close();
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  await expect(call(`${closing.url}/healthz`, 'GET', undefined, {})).rejects.toThrow();
});

it('a client that resets its connection in the middle of an answer is no internal fault', async () => {
  for (let count = 0; count < 20; count++) {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const head = `GET /api/local/downtimes.csv HTTP/1.1\r\nHost: localhost\r\nAuthorization: ApiKey ${LOCAL_KEY}\r\n\r\n`;
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    socket.resetAndDestroy();
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(gateway.incidents.entries('internal')).toEqual([]);
});
