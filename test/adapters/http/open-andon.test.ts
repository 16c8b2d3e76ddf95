import { get } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
