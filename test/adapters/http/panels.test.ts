import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PANEL_IDLE_MS } from '../../../src/flows/people/sessions.ts';
import { type GatewayUnderTest, keyOf, LOCAL_KEY, startGateway } from './gateway-under-test.ts';

const PASSWORD = 'rolls and coils';
const USERS = [
  { name: 'pat', role: 'technician', password: PASSWORD, badge: '4739', pin: '2468' },
  { name: 'crew', role: 'technician', password: PASSWORD, badge: '4725', pin: '1357' },
  { name: 'noPin', role: 'technician', password: PASSWORD },
  { name: 'sue', role: 'supervisor', password: PASSWORD, badge: '9001', pin: '9001' },
  { name: 'ada', role: 'admin', password: PASSWORD, badge: '9002', pin: '9002' },
] as const;

let gateway: GatewayUnderTest;
let panel: string;
beforeAll(async () => {
  gateway = await startGateway({ plantFile: { users: USERS } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  panel = await enrol('Panel by line 4');
});

type Cookies = Readonly<Record<string, string>>;
const call = (method: string, path: string, body?: object, cookie = '', more: Cookies = {}) =>
  gateway.call(method, `/api/local${path}`, body, { ...(cookie !== '' && { cookie }), ...more });

function cookieIn({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

async function enrol(name: string): Promise<string> {
  const answer = await gateway.as(LOCAL_KEY, 'POST', '/api/local/panel', { name });
  expect(answer.status).toBe(201);
  expect(String(answer.headers['set-cookie'])).toMatch(/^plantgate-panel=[\w-]{43}; .*HttpOnly; SameSite=Strict$/);
  return cookieIn(answer);
}

const enter = (proof: object, at = panel) => call('POST', '/session/panel', proof, at);
const signedIn = async (proof: object, at = panel) => {
  const answer = await enter(proof, at);
  expect(answer.status).toBe(200);
  return `${at}; ${cookieIn(answer)}`;
};
const who = async (cookie: string) => (await call('GET', '/session', undefined, cookie)).body;

describe('an enrolled panel', () => {
  it('may read without a person, and may not write', async () => {
    expect(await who(panel)).toEqual({
      name: 'Panel by line 4',
      role: 'viewer',
      panel: 'Panel by line 4',
      isSignedIn: false,
    });
    expect((await call('GET', '/machines', undefined, panel)).status).toBe(200);
    expect((await call('PUT', '/machines/RF-01/part', { partId: 'P-100' }, panel)).status).toBe(403);
    expect((await call('GET', '/people', undefined, panel)).status).toBe(403);
  });

  it('gets the names of the people who may type a PIN there; other clients do not', async () => {
    const { body } = await call('GET', '/panel', undefined, panel);
    expect(body).toEqual({ name: 'Panel by line 4', people: ['crew', 'pat'] });
    const elsewhere = await gateway.as(keyOf('admin'), 'GET', '/api/local/panel');
    expect(elsewhere.body).toEqual({ name: null, people: [] });
  });

  it.each([[{ badge: '4739' }], [{ name: 'pat', pin: '2468' }]])('lets a technician in by %j', async (proof) => {
    const cookie = await signedIn(proof);
    expect(await who(cookie)).toMatchObject({ name: 'pat', role: 'technician', isSignedIn: true });
    expect((await call('PUT', '/machines/RF-01/part', { partId: 'P-100' }, cookie)).status).toBe(200);
  });

  it.each([
    ['an unknown badge', { badge: '0000' }, 401],
    ['the badge of a supervisor', { badge: '9001' }, 401],
    ['the badge of an administrator', { badge: '9002' }, 401],
    ['the PIN of a supervisor', { name: 'sue', pin: '9001' }, 401],
    ['the PIN of another person', { name: 'pat', pin: '1357' }, 401],
    ['a PIN of a person without one', { name: 'noPin', pin: '0000' }, 401],
    ['a name that nobody has', { name: 'nobody', pin: '0000' }, 401],
    ['a PIN of five digits', { name: 'pat', pin: '24680' }, 400],
    ['a PIN without a name', { pin: '2468' }, 400],
    ['a badge and a name', { badge: '4739', name: 'pat' }, 400],
    ['nothing', {}, 400],
  ])('refuses %s', async (_, proof, status) => {
    expect((await enter(proof)).status).toBe(status);
  });

  it('lets supervisors in by their password, for five minutes too', async () => {
    const answer = await call('POST', '/session', { name: 'sue', password: PASSWORD }, panel);
    const cookie = `${panel}; ${cookieIn(answer)}`;
    expect(await who(cookie)).toMatchObject({ name: 'sue', isSignedIn: true });
    gateway.pass(PANEL_IDLE_MS + 1);
    expect(await who(cookie)).toMatchObject({ role: 'viewer', isSignedIn: false });
  });

  it('may only read after five minutes without a touch, even if it loads data meanwhile', async () => {
    const cookie = await signedIn({ badge: '4739' });
    gateway.pass(PANEL_IDLE_MS - 60_000);
    expect((await call('PUT', '/session', {}, cookie)).status).toBe(200);
    gateway.pass(PANEL_IDLE_MS - 60_000);
    expect(await who(cookie)).toMatchObject({ name: 'pat' });
    gateway.pass(61_000);
    expect(await who(cookie)).toMatchObject({ role: 'viewer', isSignedIn: false });
    expect((await call('PUT', '/machines/RF-01/part', { partId: 'P-100' }, cookie)).status).toBe(403);
  });

  it('names the owner of a badge without signing that person in', async () => {
    const cookie = await signedIn({ badge: '4739' });
    const asked = await call('POST', '/panel/badge', { badge: '4725' }, cookie);
    expect(asked.body).toEqual({ name: 'crew' });
    expect((await call('POST', '/panel/badge', { badge: 'COIL-1' }, cookie)).body).toEqual({ name: null });
    expect(await who(cookie)).toMatchObject({ name: 'pat' });
  });

  it('ends the session of the person before when another person takes over', async () => {
    const pat = await signedIn({ badge: '4739' });
    await signedIn({ badge: '4725' }, pat);
    expect(await who(pat)).toMatchObject({ isSignedIn: false });
  });

  it('is refused once it is revoked, and its sessions end', async () => {
    const cookie = await signedIn({ badge: '4739' });
    const keys = await gateway.as(LOCAL_KEY, 'GET', '/api/local/plant/apiKeys');
    const panels = (keys.body as { id: string; isPanel?: boolean }[]).filter(({ isPanel }) => isPanel === true);
    for (const { id } of panels) await gateway.as(LOCAL_KEY, 'DELETE', `/api/local/plant/apiKeys/${id}`);
    expect((await call('GET', '/session', undefined, cookie)).status).toBe(401);
    expect((await enter({ badge: '4739' })).status).toBe(401);
  });

  it('is enrolled only by an administrator, who is then signed out there', async () => {
    expect((await gateway.as(keyOf('supervisor'), 'POST', '/api/local/panel', { name: 'x' })).status).toBe(403);
    const ada = cookieIn(await call('POST', '/session', { name: 'ada', password: PASSWORD }));
    const mine = cookieIn(await call('POST', '/panel', { name: 'Panel by line 5' }, ada));
    expect(await who(`${ada}; ${mine}`)).toMatchObject({ name: 'Panel by line 5', isSignedIn: false });
  });
});

it('a badge or a PIN opens no session at a browser that is not enrolled', async () => {
  for (const proof of [{ badge: '4739' }, { name: 'pat', pin: '2468' }]) {
    expect((await call('POST', '/session/panel', proof)).status).toBe(401);
    expect((await gateway.as(keyOf('viewer'), 'POST', '/api/local/session/panel', proof)).status).toBe(403);
    expect((await call('POST', '/session/panel', proof, 'plantgate-panel=guessed')).status).toBe(401);
  }
});

it('guessing a PIN is slowed down only for that person at that panel', async () => {
  const other = await enrol('Panel by line 7');
  const statuses = [];
  for (let guess = 0; guess < 8; guess++) statuses.push((await enter({ name: 'pat', pin: `000${guess}` })).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  expect((await enter({ name: 'pat', pin: '2468' })).status).toBe(429);
  expect((await enter({ name: 'crew', pin: '1357' })).status).toBe(200);
  expect((await enter({ badge: '4739' })).status).toBe(200);
  expect((await enter({ name: 'pat', pin: '2468' }, other)).status).toBe(200);
  gateway.pass(60_000);
  expect((await enter({ name: 'pat', pin: '2468' })).status).toBe(200);
});

it('trying badges is slowed down at that panel', async () => {
  const statuses = new Set<number>();
  for (let guess = 0; guess < 25; guess++) statuses.add((await enter({ badge: `guess-${guess}` })).status);
  expect(statuses).toEqual(new Set([401, 429]));
  expect((await enter({ name: 'pat', pin: '2468' })).status).toBe(200);
});

it('a badge that two people share lets neither of them in', async () => {
  await gateway.plant.put('users', 'twin', { name: 'twin', role: 'technician', password: PASSWORD, badge: '4725' });
  const { status, body } = await enter({ badge: '4725' });
  expect({ status, body }).toEqual({
    status: 409,
    body: { errors: ['badge: several people have this badge; give all but one of them another'] },
  });
  await gateway.plant.remove('users', 'twin');
  expect((await enter({ badge: '4725' })).status).toBe(200);
});

describe('badge and PIN', () => {
  it('AUTH-02 are kept as hashes, and appear in no list, audit or incident', async () => {
    await enter({ badge: '4739' });
    await enter({ name: 'pat', pin: '2468' });
    await enter({ badge: 'secret-badge-7' });
    await gateway.as(LOCAL_KEY, 'PUT', '/api/local/plant/users/crew', {
      name: 'crew',
      role: 'technician',
      badge: '4725',
      pin: '1357',
    });
    const texts = await Promise.all(
      ['/plant/users', '/people', '/audit?take=1000', '/diagnostics', '/plant/apiKeys'].map(
        async (path) => (await gateway.as(LOCAL_KEY, 'GET', `/api/local${path}`)).text,
      ),
    );
    // Ids and hashes are random, and some contain the same four digits.
    const words = new Set(texts.join('\n').split(/[^\w-]+/));
    for (const secret of ['4739', '2468', '4725', '1357', 'secret-badge-7']) expect(words).not.toContain(secret);
    for (const { passwordHash, badgeHash, pinHash } of gateway.plant.users().filter(({ name }) => name === 'pat'))
      for (const hash of [passwordHash, badgeHash, pinHash]) expect(hash).toMatch(/^scrypt\$/);
  });

  it('end the sessions that they opened when they change, and go away by null', async () => {
    const cookie = await signedIn({ badge: '4725' });
    await gateway.plant.put('users', 'crew', { name: 'crew', role: 'technician', badge: null, pin: '8080' });
    expect(await who(cookie)).toMatchObject({ isSignedIn: false });
    expect((await enter({ badge: '4725' })).status).toBe(401);
    expect((await enter({ name: 'crew', pin: '8080' })).status).toBe(200);
  });

  it('are named as the fault without being repeated', async () => {
    const body = { name: 'kim', role: 'technician', password: PASSWORD, pin: '12345' };
    const { status, text } = await gateway.as(LOCAL_KEY, 'POST', '/api/local/plant/users', body);
    expect(status).toBe(400);
    expect(text).toContain('four digits');
    expect(text).not.toContain('12345');
  });
});

describe('sessions', () => {
  it('are listed for the person, with where and when', async () => {
    const here = cookieIn(await call('POST', '/session', { name: 'sue', password: PASSWORD }));
    const there = `${panel}; ${cookieIn(await call('POST', '/session', { name: 'sue', password: PASSWORD }, panel))}`;
    const { body } = await call('GET', '/session/all', undefined, here);
    expect(body).toEqual([
      expect.objectContaining({ address: '127.0.0.1', panel: null, isThis: true, since: expect.any(Number) }),
      expect.objectContaining({ panel: 'Panel by line 4', isThis: false, lastUsedAt: expect.any(Number) }),
    ]);
    await call('DELETE', '/session?everywhere=true', undefined, here);
    expect(await who(there)).toMatchObject({ isSignedIn: false });
  });

  it('cannot be ended everywhere at a panel whose own session has expired, and the person learns it', async () => {
    const here = cookieIn(await call('POST', '/session', { name: 'sue', password: PASSWORD }));
    const there = `${panel}; ${cookieIn(await call('POST', '/session', { name: 'sue', password: PASSWORD }, panel))}`;
    gateway.pass(PANEL_IDLE_MS + 1);
    expect((await call('DELETE', '/session?everywhere=true', undefined, there)).status).toBe(401);
    expect(await who(here)).toMatchObject({ name: 'sue' });
    expect((await call('DELETE', '/session', undefined, there)).status).toBe(200);
    await call('DELETE', '/session?everywhere=true', undefined, here);
  });

  it('of other people are seen and ended by administrators', async () => {
    const cookie = cookieIn(await call('POST', '/session', { name: 'sue', password: PASSWORD }));
    const { body } = await gateway.as(keyOf('admin'), 'GET', '/api/local/people');
    expect((body as { people: object[] }).people).toContainEqual({
      name: 'sue',
      role: 'supervisor',
      hasBadge: true,
      hasPin: true,
      lastSeenAt: expect.any(Number),
      sessions: 1,
    });
    expect((await gateway.as(keyOf('admin'), 'GET', '/api/local/people/sue/sessions')).body).toHaveLength(1);
    await gateway.as(keyOf('admin'), 'DELETE', '/api/local/people/sue/sessions');
    expect((await call('GET', '/session', undefined, cookie)).status).toBe(401);
  });

  it('show when a key was used last', async () => {
    await gateway.as(keyOf('supervisor'), 'GET', '/api/local/machines');
    const { body } = await gateway.as(keyOf('admin'), 'GET', '/api/local/people');
    const ids = (body as { keys: { id: string; lastUsedAt: number }[] }).keys.map(({ id }) => id);
    expect(ids).toContain('supervisor-principal');
    expect(ids).not.toContain('gateway-principal');
  });
});
