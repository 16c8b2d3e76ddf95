import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, startGateway } from './gateway-under-test.ts';

type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** The tests connect from 127.0.0.1, which is a trusted proxy of the first gateway alone. */
let behindProxy: Gateway;
let withoutProxy: Gateway;

beforeAll(async () => {
  [behindProxy, withoutProxy] = await Promise.all([
    startGateway({ trustedProxies: ['127.0.0.0/8', '10.1.0.0/16', '2001:db8:1::/48'] }),
    startGateway({ trustedProxies: ['10.1.0.0/16'] }),
  ]);
});

afterAll(async () => {
  await Promise.all([behindProxy.close(), withoutProxy.close()]);
});

const BEHIND_TLS = { host: 'localhost', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'gate.example:8443' };

/** Writes something with the key of a technician. */
function write(gateway: Gateway, headers: Readonly<Record<string, string>>) {
  const sent = { host: 'localhost', authorization: `ApiKey ${keyOf('technician')}`, ...headers };
  return gateway.call('PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' }, sent);
}

let guess = 0;

/** The address to which the gateway puts a wrong key down. */
async function addressOf(gateway: Gateway, forwardedFor: string): Promise<string> {
  const authorization = `ApiKey a-wrong-key-of-a-test-${guess++}`;
  const sent = { host: 'localhost', authorization, 'x-forwarded-for': forwardedFor };
  expect((await gateway.call('GET', '/api/local/machines', undefined, sent)).status).toBe(401);
  const entries = gateway.incidents.entries('accessRefused');
  const latest = entries.toSorted((one, other) => String(other.lastAt).localeCompare(String(one.lastAt)))[0];
  return latest?.subject ?? '';
}

describe('D-62 X-Forwarded headers of a trusted proxy', () => {
  it.each([
    ['the origin of the page', BEHIND_TLS, 'https://gate.example:8443', 200],
    ['the origin without TLS', BEHIND_TLS, 'http://gate.example:8443', 403],
    ['the name by which the proxy knows the gateway', BEHIND_TLS, 'https://localhost', 403],
    ['the Host, if the proxy names no other', { 'x-forwarded-proto': 'HTTPS' }, 'https://localhost', 200],
    ['the last of two schemes', { 'x-forwarded-proto': 'http, https' }, 'https://localhost', 200],
    ['an unknown scheme, which does not count', { 'x-forwarded-proto': 'gopher' }, 'http://localhost', 200],
  ])('decide about a write with %s', async (_, headers, origin, status) => {
    expect((await write(behindProxy, { ...headers, origin })).status).toBe(status);
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8:2::9]:4711', '2001:db8:2::9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9, 10.1.0.7', '203.0.113.9'],
    ['203.0.113.9, 2001:db8:1::7', '203.0.113.9'],
    ['10.1.0.8, 10.1.0.7', '10.1.0.8'],
    ['203.0.113.9, unknown, 10.1.0.7', '10.1.0.7'],
    ['unknown', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('X-Forwarded-For: %s names the client %s', async (forwardedFor, address) => {
    expect(await addressOf(behindProxy, forwardedFor)).toBe(`http ${address}`);
  });

  it('name a host that is checked like any other', async () => {
    const sent = { host: 'localhost', 'x-forwarded-host': 'evil.example' };
    expect((await behindProxy.call('GET', '/healthz', undefined, sent)).status).toBe(421);
    expect((await withoutProxy.call('GET', '/healthz', undefined, sent)).status).toBe(200);
  });

  it('name the client in the audit', async () => {
    const sent = { host: 'localhost', 'x-forwarded-for': '203.0.113.44', 'content-type': 'application/json' };
    const headers = { ...sent, authorization: `ApiKey ${keyOf('admin')}` };
    expect((await behindProxy.call('PUT', '/api/local/machines/RF-01/part', { partId: 'P-100' }, headers)).status).toBe(
      200,
    );
    const { body } = await behindProxy.call('GET', '/api/local/audit', undefined, headers);
    expect(JSON.stringify(body)).toContain('"address":"203.0.113.44"');
  });

  it('slow down the client that guesses keys, and nobody else', async () => {
    const guesses = Array.from({ length: 25 }, (_, place) =>
      behindProxy.call('GET', '/api/local/machines', undefined, {
        host: 'localhost',
        authorization: `ApiKey guess-of-the-impatient-${place}`,
        'x-forwarded-for': '203.0.113.66',
      }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses).toContain(429);
    expect(await addressOf(behindProxy, '203.0.113.67')).toBe('http 203.0.113.67');
  });
});

describe('D-62 X-Forwarded headers of anyone else', () => {
  it('count for nothing, and the refusal names the proxy that may be meant', async () => {
    const answer = await write(withoutProxy, { ...BEHIND_TLS, host: 'gate.example', origin: 'https://gate.example' });
    expect(answer.status).toBe(403);
    expect(JSON.stringify(answer.body)).toContain('If 127.0.0.1 is your proxy, name it in http.trustedProxies');
    expect((await write(withoutProxy, { ...BEHIND_TLS, origin: 'http://localhost' })).status).toBe(200);
  });

  it('never name the client', async () => {
    const header = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant('10.1.0.7')), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(header, async (addresses) => {
        expect(await addressOf(withoutProxy, addresses.join(', '))).toBe('http 127.0.0.1');
      }),
      { numRuns: 5 },
    );
  });
});
