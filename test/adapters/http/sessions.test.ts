import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_IDLE_MS } from '../../../src/flows/people/sessions.ts';
import { type GatewayUnderTest, keyOf, startGateway } from './gateway-under-test.ts';

const PAT = { name: 'pat', password: 'rolls and coils' };
let gateway: GatewayUnderTest;

beforeAll(async () => {
  gateway = await startGateway({
    plantFile: {
      users: [
        { ...PAT, role: 'technician' },
        { name: 'sam', role: 'business', password: 'tea at four' },
      ],
    },
  });
});
afterAll(() => gateway.close());

const signIn = (body: object, headers = {}) =>
  gateway.call('POST', '/api/local/session', JSON.stringify(body), headers);

async function cookieOf(body: object = PAT): Promise<string> {
  const { status, headers } = await signIn(body);
  expect(status).toBe(200);
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

const machines = async (cookie: string, headers = {}) =>
  (await gateway.call('GET', '/api/local/machines', undefined, { cookie, ...headers })).status;

describe('a session', () => {
  it('is opened by name and password, in a cookie that no script reads and no other site sends', async () => {
    const { body, headers } = await signIn(PAT);
    expect(body).toEqual({ name: 'pat', role: 'technician' });
    expect(String(headers['set-cookie'])).toMatch(
      /^plantgate-session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
  });

  it('lets a person in with the rights of the role, and says who it is', async () => {
    const cookie = await cookieOf();
    expect(await machines(cookie)).toBe(200);
    const { body } = await gateway.call('GET', '/api/local/session', undefined, { cookie });
    expect(body).toEqual({ name: 'pat', role: 'technician' });
    expect(await machines(await cookieOf({ name: 'sam', password: 'tea at four' }))).toBe(403);
  });

  it.each([
    ['a wrong password', { name: 'pat', password: 'wrong' }],
    ['a wrong name', { name: 'nobody', password: PAT.password }],
  ])('is refused in the same words for %s', async (_, body) => {
    const { status, body: answer, headers } = await signIn(body);
    expect({ status, answer }).toEqual({
      status: 401,
      answer: { errors: ['name, password: no person has this name and this password'] },
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it.each([[{}], [{ name: 'pat' }], [{ ...PAT, role: 'admin' }], [{ name: 5, password: 'x' }]])(
    'refuses %j with 400',
    async (body) => {
      expect((await signIn(body)).status).toBe(400);
    },
  );

  it.each([
    ['sign-in', () => signIn({ ...PAT, password: 'x'.repeat(20_000) })],
    ['set-up', () => gateway.call('POST', '/api/local/setup', JSON.stringify({ code: 'x'.repeat(20_000) }))],
  ])('D-13 takes only short bodies from senders that are not signed in: %s', async (_, send) => {
    expect(await send()).toMatchObject({
      status: 413,
      body: { errors: [expect.stringMatching(/^body: found 20\d{3} bytes, expected at most 16384 bytes$/)] },
    });
  });

  it.each([
    ['POST', '/api/local/plant/users', { name: 'lee', role: 'technician', password: '1234567' }],
    ['PUT', '/api/local/plant/users/pat', { ...PAT, role: 'technician', password: '1234567' }],
  ] as const)('is not made easy to guess: %s %s refuses a short password', async (method, place, person) => {
    const headers = { authorization: `ApiKey ${keyOf('admin')}` };
    expect(await gateway.call(method, place, JSON.stringify(person), headers)).toMatchObject({
      status: 400,
      body: { errors: ['password: found 7 characters, expected at least 8'] },
    });
    expect((await signIn({ name: 'lee', password: '1234567' })).status).toBe(401);
  });

  it('ends only at the browser where the person signs out', async () => {
    const [here, there] = [await cookieOf(), await cookieOf()];
    const { headers } = await gateway.call('DELETE', '/api/local/session', undefined, { cookie: here });
    expect(String(headers['set-cookie'])).toContain('Max-Age=0');
    expect([await machines(here), await machines(there)]).toEqual([401, 200]);
  });

  it('ends at all browsers when the person asks for it', async () => {
    const [here, there] = [await cookieOf(), await cookieOf()];
    await gateway.call('DELETE', '/api/local/session?everywhere=true', undefined, { cookie: here });
    expect([await machines(here), await machines(there)]).toEqual([401, 401]);
  });

  it('is not ended or listed by a key that bears the name of the person', async () => {
    const key = 'key-with-the-name-pat';
    await gateway.plant.put('apiKeys', 'pat', { id: 'pat', principal: 'pat', role: 'viewer', key });
    const cookie = await cookieOf();
    const refused = await gateway.as(key, 'DELETE', '/api/local/session?everywhere=true');
    expect(refused).toMatchObject({ status: 401, body: { errors: [expect.stringMatching(/^session: found none/)] } });
    expect(await machines(cookie)).toBe(200);
    const sam = { cookie: await cookieOf({ name: 'sam', password: 'tea at four' }), authorization: `ApiKey ${key}` };
    const { body } = await gateway.call('GET', '/api/local/session/all', undefined, sam);
    expect(body).toContainEqual(expect.objectContaining({ isThis: true }));
    await gateway.call('DELETE', '/api/local/session?everywhere=true', undefined, sam);
    expect(await machines(cookie)).toBe(200);
  });

  it('is valid only at the address where it was opened', async () => {
    const cookie = await cookieOf();
    expect(await machines(cookie, { host: 'gate.example' })).toBe(401);
  });

  it('does not write for a page of another site', async () => {
    const cookie = await cookieOf();
    const headers = { cookie, origin: 'http://elsewhere.example' };
    const { status } = await gateway.call('PUT', '/api/local/machines/RF-01/part', '{"partId":"P-100"}', headers);
    expect(status).toBe(403);
  });

  it('ends when the password changes or the person is removed', async () => {
    await gateway.plant.put('users', 'kim', { name: 'kim', role: 'technician', password: 'first' });
    const cookie = await cookieOf({ name: 'kim', password: 'first' });
    expect(await machines(cookie)).toBe(200);
    await gateway.plant.put('users', 'kim', { name: 'kim', role: 'technician', password: 'second' });
    expect(await machines(cookie)).toBe(401);
    const again = await cookieOf({ name: 'kim', password: 'second' });
    await gateway.plant.remove('users', 'kim');
    expect(await machines(again)).toBe(401);
  });

  it('slides: it ends 12 hours after its last use', async () => {
    const cookie = await cookieOf();
    gateway.pass(SESSION_IDLE_MS - 60_000);
    expect(await machines(cookie)).toBe(200);
    gateway.pass(SESSION_IDLE_MS - 60_000);
    expect(await machines(cookie)).toBe(200);
    gateway.pass(SESSION_IDLE_MS + 1);
    expect(await machines(cookie)).toBe(401);
  });

  it('is slowed down, not locked, for an address that keeps guessing', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 60 }, (_, guess) => signIn({ name: 'pat', password: `guess ${guess}` })),
    );
    const statuses = new Set(guesses.map(({ status }) => status));
    expect(statuses).toEqual(new Set([401, 429]));
    await expect.poll(async () => (await signIn(PAT)).status, { timeout: 15_000 }).toBe(200);
  });
});

describe('the first administrator', () => {
  const SET_UP = { name: 'kim', password: 'rolls and coils' };
  const setUp = (at: GatewayUnderTest, body: object) => at.call('POST', '/api/local/setup', JSON.stringify(body));

  it('signs in with the set-up code, once', async () => {
    const fresh = await startGateway();
    try {
      const code = fresh.setUp.code ?? '';
      expect((await setUp(fresh, { ...SET_UP, code: 'AAAA-AAAA' })).status).toBe(401);
      expect((await setUp(fresh, { ...SET_UP, code, password: 'short' })).status).toBe(400);
      const { status, body, headers } = await setUp(fresh, { ...SET_UP, code: code.toLowerCase().replace('-', ' ') });
      expect({ status, body }).toEqual({ status: 200, body: { name: 'kim', role: 'admin' } });
      expect(String(headers['set-cookie'])).toContain('plantgate-session=');
      expect(fresh.setUp.code).toBeNull();
      expect((await setUp(fresh, { ...SET_UP, code, name: 'sam' })).status).toBe(409);
    } finally {
      await fresh.close();
    }
  });

  it('is not asked for if a person can sign in already', async () => {
    const { body } = await gateway.call('GET', '/api/local/setup');
    expect(body).toEqual({ isNeeded: false, openAndon: false });
    expect((await setUp(gateway, { ...SET_UP, code: 'AAAA-AAAA' })).status).toBe(409);
  });
});
