import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../../src/adapters/http/limits.ts';
import { surfaces } from '../../../src/adapters/http/surfaces.ts';
import { type GatewayUnderTest, LOCAL_KEY, startGateway, statusOf } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({ options: { openAndon: true } });
});
afterAll(() => gateway.close());

it('page.openAndon shows only the list of machines and its events without a key', async () => {
  const open: string[] = [];
  for (const { prefix, routes } of surfaces(gateway.options)) {
    for (const { method, path, role } of routes) {
      const place = `${prefix}${path === '/' ? '' : path}`.replaceAll(/:\w+/g, 'RF-01');
      if (role === 'anyone' || place.endsWith('/events')) continue;
      const { status } = await gateway.call(method, place);
      if (status !== 401) open.push(`${method} ${place} ${status}`);
    }
  }
  expect(open).toEqual(['GET /api/local/machines 200']);
  expect((await gateway.call('GET', '/api/local/setup')).body).toEqual({ isNeeded: true, openAndon: true });
});

it('page.openAndon refuses a wrong key', async () => {
  const headers = { authorization: 'ApiKey wrong' };
  expect((await gateway.call('GET', '/api/local/machines', undefined, headers)).status).toBe(401);
});

/** The text of an event stream until `until` occurs in it. */
function heard(headers: Readonly<Record<string, string>>, act: () => Promise<unknown>, until: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const request = get(`${gateway.url}/api/local/events`, { headers }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (!text.includes(until)) return;
        resolve(text);
        request.destroy();
      });
      act().catch(reject);
    });
    request.on('error', reject);
  });
}

it('page.openAndon sends only machine events without a key', async () => {
  let round = 0;
  const act = async () => {
    round++;
    await gateway.plant.put('parts', `P-20${round}`, { partId: `P-20${round}` });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await gateway.postStatus(statusOf({ goodPart: round, mSecSinceBoot: round * 1_000 }));
  };
  const onlooker = await heard({}, act, 'event: machine');
  const person = await heard({ authorization: `ApiKey ${LOCAL_KEY}` }, act, 'event: plant');
  expect(onlooker).not.toMatch(/event: (?!machine)/);
  expect(person).toContain('event: plant');
  const id = /^id: (\S+)$/m.exec(person)?.[1] ?? '';
  expect(await heard({ 'last-event-id': id.replace(/\d+$/, '0') }, act, 'event: machine')).not.toMatch(
    /event: (?!machine)/,
  );
});

/** An event stream that an address of this computer opens; it ends with the test. */
async function listen(from: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { headers, localAddress: from, agent: false };
    get(`${gateway.url}/api/local/events`, options, resolve).on('error', reject);
  });
  response.on('error', () => response.destroy());
  response.resume();
  onTestFinished(() => {
    response.destroy();
  });
  return response;
}

it('page.openAndon ends the oldest stream of an address that opens too many without a key', async () => {
  const streams: IncomingMessage[] = [];
  for (let count = 0; count <= LIMITS.eventStreamsOfOne; count++) streams.push(await listen('127.0.0.2'));
  await expect
    .poll(() => streams.map(({ readableEnded }) => readableEnded))
    .toEqual([true, ...streams.slice(1).map(() => false)]);
});

it('page.openAndon leaves room for people who are signed in, however many listen without a key', async () => {
  const metrics = async () => (await gateway.call('GET', '/metrics')).text;
  await expect.poll(metrics).toContain('plantgate_event_listeners 0');
  const statuses: (number | undefined)[] = [];
  for (let count = 0; count < LIMITS.eventClients; count++) {
    statuses.push((await listen(`127.0.1.${1 + Math.floor(count / LIMITS.eventStreamsOfOne)}`)).statusCode);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(LIMITS.onlookerEventClients);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect((await listen('127.0.0.1', { authorization: `ApiKey ${LOCAL_KEY}` })).statusCode).toBe(200);
});
