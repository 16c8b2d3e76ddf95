import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, keyOf, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway();
  for (const machineId of ['X-1', 'X-2']) await gateway.postStatus(statusOf({ machineId }));
});
afterAll(() => gateway.close());

function get(path: string) {
  return gateway.as(keyOf('viewer'), 'GET', `/api/local${path}`);
}

describe('the gateway’s surroundings', () => {
  it('are in one answer: disk, clock, agent, broker, certificates', async () => {
    await gateway.postStatus(statusOf());
    const { body } = await get('/system');
    expect(body).toMatchObject({
      gatewayId: 'gate',
      uptimeSeconds: expect.any(Number),
      disk: { state: 'ok', freeBytes: expect.any(Number), databaseBytes: expect.any(Number) },
      clock: { timeZone: 'America/Chicago', shifts: [{ name: 'Day' }, { name: 'Night' }] },
      legacyAgent: { kind: 'none', lastAnswerAt: null, answeredInMs: null },
      broker: { connections: 0, inputsPerSecond: expect.any(Number) },
      certificates: [],
    });
  });

  it('include the growth of the queue, a sample a minute', async () => {
    expect((await get('/sync/history')).body).toEqual([]);
    await gateway.system.sample();
    expect((await get('/sync/history')).body).toEqual([{ at: expect.any(String), depth: 0, oldestAgeSeconds: 0 }]);
  });
});

const logLevel = (method: string, body?: object) => gateway.as(keyOf('admin'), method, '/api/local/log-level', body);

describe('the log level', () => {
  it('is chosen while the gateway runs, and the audit says by whom and what it was before', async () => {
    expect((await logLevel('GET')).body).toEqual({ level: 'silent' });
    expect(await logLevel('PUT', { level: 'debug' })).toMatchObject({ status: 200, body: { level: 'debug' } });
    expect((await logLevel('GET')).body).toEqual({ level: 'debug' });
    const said = { who: 'admin-principal', subject: 'debug', before: '{"level":"silent"}', after: '{"level":"debug"}' };
    const { body } = await gateway.as(keyOf('admin'), 'GET', '/api/local/audit?q=chooseLogLevel');
    expect(body).toMatchObject({ entries: [said] });
  });

  it.each([{ level: 'loud' }, { level: null }, {}, { level: 'info', for: '1h' }])('%j is refused', async (body) => {
    expect((await logLevel('PUT', body)).status).toBe(400);
    expect((await logLevel('GET')).body).toEqual({ level: 'debug' });
  });
});

const MONITORING = path.resolve(import.meta.dirname, '../../../docs/monitoring');

describe('docs/monitoring', () => {
  it.each(['plantgate-alerts.yaml', 'plantgate-dashboard.json'])(
    '%s asks only for metrics that exist',
    async (file) => {
      const metrics = await (await fetch(`http://127.0.0.1:${gateway.port}/metrics`)).text();
      const known = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
      const asked = [
        ...readFileSync(path.join(MONITORING, file), 'utf8').matchAll(/\b(?:plantgate|nodejs|process)_[a-z0-9_]+/g),
      ];
      expect(asked.length).toBeGreaterThan(8);
      expect(asked.map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
    },
  );
});

const dismiss = (body: object) => gateway.as(keyOf('supervisor'), 'POST', '/api/local/diagnostics/dismissals', body);

async function dismissed(): Promise<readonly string[]> {
  const { body } = await gateway.as(keyOf('supervisor'), 'GET', '/api/local/diagnostics');
  const { unknownDevice } = body as {
    readonly unknownDevice: readonly {
      readonly subject: string;
      readonly faults: readonly { isDismissed: boolean }[];
    }[];
  };
  return unknownDevice.filter(({ faults }) => faults.every((fault) => fault.isDismissed)).map(({ subject }) => subject);
}

it('D-47 a report of a device is dismissed by a supervisor, and the audit says so', async () => {
  expect(await dismissed()).toEqual([]);
  expect(await dismiss({ kind: 'unknownDevice', subject: 'X-1' })).toMatchObject({ status: 204 });
  expect(await dismissed()).toEqual(['X-1']);
  await gateway.postStatus(statusOf({ machineId: 'X-1' }));
  expect(await dismissed()).toEqual(['X-1']);
  const { body } = await gateway.as(keyOf('admin'), 'GET', '/api/local/audit?q=dismissReport');
  expect(body).toMatchObject({ entries: [{ who: 'supervisor-principal', subject: 'X-1' }] });
});

it.each([
  [{ kind: 'unknownDevice', subject: 'X-9' }, 404, 'subject: found "X-9", expected one that /diagnostics has'],
  [{ kind: 'unmatchedTopic', subject: 'X-2' }, 404, 'subject: found "X-2"'],
  [{ kind: 'unknownDevice', subject: 'X-2', meantFor: 'M-0' }, 404, 'subject: found "X-2"'],
  [{ kind: 'store', subject: 'X-2' }, 400, 'kind: found "store", expected unknownDevice or unmatchedTopic'],
  [{ kind: 'unknownDevice' }, 400, 'subject: found nothing'],
])('D-47 %j is refused', async (body, status, words) => {
  const answer = await dismiss(body);
  expect(answer).toMatchObject({ status, body: { errors: [expect.stringContaining(words)] } });
  expect(await dismissed()).not.toContain('X-2');
});
