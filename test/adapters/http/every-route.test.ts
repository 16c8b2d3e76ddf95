import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnreadAnswers } from '../../../src/adapters/http/answers/unread-answers.ts';
import { openRoutes } from '../../../src/adapters/http/http-servers.ts';
import { surfaces } from '../../../src/adapters/http/surfaces.ts';
import { call, type GatewayUnderTest, keyOf, LOCAL_KEY, ROLES, startGateway } from './gateway-under-test.ts';

/** Everything that is served, from the tables that serve it. A route that is not listed here as open is denied. */

const PEOPLE = [
  { name: 'tess', role: 'technician', password: 'rolls and coils' },
  { name: 'ada', role: 'admin', password: 'rolls and coils' },
] as const;

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({ plantFile: { users: PEOPLE } });
});
afterAll(() => gateway.close());

interface Served {
  readonly method: string;
  readonly path: string;
  readonly role: string;
}

/** Routes that need no key and no session. */
const OPEN = [
  'GET /api/local/setup',
  'POST /api/local/session',
  'POST /api/local/setup',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /openapi.json',
  'GET /openapi-local.json',
  'GET /asyncapi.json',
  'GET /docs',
  'GET /docs.css',
  'GET /docs.js',
  'GET /docs/reference',
];
/** Places of the page, also in one of several plants, and its files: the same for every client. */
const PAGE =
  /^GET \/((plant\/NONE\/?)?(|machine\/NONE|machine\/NONE\/part|machine\/NONE\/variables|stops|production|alerts|alerts\/rules|alerts\/rules\/NONE|alerts\/who|plants|plants\/NONE|tasks|task\/NONE|coils|coil\/NONE|orders|profiles|profile\/NONE|new-profile|sync|events|admin|set-up|more)|assets\/.*|favicon\.svg|old-browser\.(css|js))$/;
/** The manual and the firmware samples: the same for every client. */
const TEXTS = /^GET \/docs\/(manual|samples)(\.tar\.gz|\/[\w./-]+)?$/;
/** Only machines may call this route, with their registration key. */
const MACHINES = 'GET /api/machine/profiles';
const DEVICES = ['/api/device/status', '/api/device/vars'].map((path) => ({ method: 'POST', path }));

/** Routes of the surfaces, with the role that each needs. */
function guarded(): readonly Served[] {
  return surfaces({ ...gateway.options, syncReceiver: gateway.options.syncReceiver }).flatMap(({ prefix, routes }) =>
    routes.map(({ method, path, role }) => ({
      method,
      path: `${prefix}${path === '/' ? '' : path}`.replaceAll(/:\w+/g, 'NONE'),
      role,
    })),
  );
}

/** Routes in front of the surfaces. */
function open(): readonly Omit<Served, 'role'>[] {
  const { options, incidents } = gateway;
  const metrics = { contentType: 'text/plain', text: async () => '' };
  const unread = new UnreadAnswers(incidents, () => performance.now());
  return openRoutes(options, [], metrics, unread).stack.flatMap(({ methods, path }) =>
    methods
      .filter((method) => method !== 'HEAD')
      .map((method) => ({ method, path: String(path).replaceAll(/:\w+/g, 'NONE') })),
  );
}

const named = ({ method, path }: Omit<Served, 'role'>) => `${method} ${path}`;
const statusOf = async ({ method, path }: Omit<Served, 'role'>, headers: Readonly<Record<string, string>> = {}) =>
  (await call(`${gateway.url}${path}`, method, undefined, headers)).status;
/** The routes without events, which go on for ever. */
const closed = () => guarded().filter(({ path, role }) => role !== 'anyone' && !path.endsWith('/events'));

async function cookieOf(name: string): Promise<string> {
  const { headers } = await gateway.call('POST', '/api/local/session', { name, password: 'rolls and coils' });
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** Each role has the rights of the ones before it; a viewer reads what a technician reads. */
function mayCall(role: string, { method, role: needed }: Served): boolean {
  if (needed === 'known') return true;
  const ranks = ['gateway', 'business', 'technician', 'supervisor', 'admin'];
  if (role === 'viewer') return method === 'GET' && ranks.indexOf(needed) <= 2;
  return ranks.indexOf(role) >= ranks.indexOf(needed);
}

describe('D-25 every route that is served', { timeout: 120_000 }, () => {
  it('is open only if it is listed as open', () => {
    const routes = [...guarded().filter(({ role }) => role === 'anyone'), ...open()].map(named);
    expect(routes.length).toBeGreaterThan(20);
    expect(
      routes.filter((name) => !OPEN.includes(name) && !PAGE.test(name) && !TEXTS.test(name) && name !== MACHINES),
    ).toEqual([]);
    expect(OPEN.filter((name) => !routes.includes(name))).toEqual([]);
  });

  it('refuses a request without a key or a session', async () => {
    const routes = guarded().filter(({ role }) => role !== 'anyone');
    expect(routes.length).toBeGreaterThan(100);
    for (const route of routes) expect(`${named(route)} ${await statusOf(route)}`).toBe(`${named(route)} 401`);
    expect((await gateway.call('GET', '/api/machine/profiles')).status).toBe(401);
    expect((await gateway.as(LOCAL_KEY, 'GET', '/api/machine/profiles')).status).toBe(401);
  });

  it('AUTH-01 lets in exactly the roles that it names, and no others', async () => {
    for (const route of closed()) {
      for (const role of ROLES) {
        const status = await statusOf(route, { authorization: `ApiKey ${keyOf(role)}` });
        const said = status === 403 ? 'refused' : 'let in';
        expect(`${named(route)} ${role} ${said}`).toBe(
          `${named(route)} ${role} ${mayCall(role, route) ? 'let in' : 'refused'}`,
        );
      }
    }
  });

  it('gives a session the same rights as a key of its role', async () => {
    for (const { name, role } of PEOPLE) {
      for (const route of guarded()) {
        // A DELETE of the session would end it, and events go on for ever.
        if (route.role === 'anyone' || route.path.endsWith('/events') || /DELETE .*session/.test(named(route)))
          continue;
        const status = await statusOf(route, { cookie: await cookieNow(name) });
        expect(`${named(route)} ${name} ${status === 403}`).toBe(`${named(route)} ${name} ${!mayCall(role, route)}`);
      }
    }
  });

  it('does not write for a page of another site: with a key, with a session, or without both', async () => {
    const cookie = await cookieOf('ada');
    const writes = [...guarded(), ...DEVICES].filter(({ method }) => method !== 'GET');
    for (const route of writes) {
      for (const who of [{}, { authorization: `ApiKey ${LOCAL_KEY}` }, { cookie }]) {
        for (const where of [
          { origin: 'http://evil.example' },
          { origin: 'null' },
          { 'sec-fetch-site': 'cross-site' },
        ]) {
          const said = `${named(route)} ${JSON.stringify({ ...Object.keys(who), ...where })}`;
          expect(`${said} ${await statusOf(route, { ...who, ...where })}`).toBe(`${said} 403`);
        }
      }
    }
  });

  it('gives a page of another site no answer that its browser may read, and takes no session at another address', async () => {
    const cookie = await cookieOf('ada');
    for (const route of closed().filter(({ method }) => method === 'GET')) {
      const { headers } = await gateway.call('GET', route.path, undefined, { cookie, origin: 'http://evil.example' });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      const elsewhere = await statusOf(route, { cookie, host: 'gate.example' });
      expect(`${named(route)} ${elsewhere}`).toBe(`${named(route)} 401`);
    }
  });

  it('answers only under the gateway’s own names', async () => {
    for (const route of [...guarded(), ...open()]) {
      const status = await statusOf(route, { host: 'evil.example', authorization: `ApiKey ${LOCAL_KEY}` });
      expect(`${named(route)} ${status}`).toBe(`${named(route)} 421`);
    }
    for (const route of DEVICES) {
      const headers = { host: 'evil.example', origin: 'http://evil.example' };
      expect(await statusOf(route, headers)).toBe(403);
    }
  });
});

const cookies = new Map<string, Promise<string>>();
function cookieNow(name: string): Promise<string> {
  const cookie = cookies.get(name) ?? cookieOf(name);
  cookies.set(name, cookie);
  return cookie;
}
