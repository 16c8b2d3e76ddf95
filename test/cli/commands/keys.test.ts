import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayUnderTest, LOCAL_KEY, ROLES, startGateway } from '../../adapters/http/gateway-under-test.ts';
import { programUnderTest } from '../program-under-test.ts';

const TASKS = '/api/v1/warehouseTasks';
let gateway: GatewayUnderTest;
let cli: ReturnType<typeof programUnderTest>;

beforeAll(async () => {
  // No time passes for the rate of a key, so that a slow computer cannot wait it out.
  const clock = { now: () => ({ monotonicMs: 1_000_000, wallMs: Date.now() }) };
  gateway = await startGateway({ requestsPerSecond: 20, options: { clock } });
});
afterAll(() => gateway.close());

beforeEach(async () => {
  cli = programUnderTest();
  await cli.standBeside(gateway.url, LOCAL_KEY);
});
afterEach(async () => {
  for (const { id } of gateway.plant.apiKeys())
    if (!id.endsWith('-principal')) await gateway.plant.remove('apiKeys', id);
  cli.cleanUp();
});

interface Made {
  readonly id: string;
  readonly key: string;
}

async function make(principal: string, role: string, ...more: readonly string[]): Promise<Made> {
  const { exitCode, out, err } = await cli.run(
    'key',
    'create',
    '--principal',
    principal,
    '--role',
    role,
    '--json',
    ...more,
  );
  expect([exitCode, err]).toEqual([0, []]);
  return JSON.parse(out.join('\n'));
}

describe('plantgate key', () => {
  it('AUTH-01 AUTH-02 makes a key that opens the business interface, shows it once, and keeps a salted hash of it', async () => {
    const { exitCode, out, err } = await cli.run('key', 'create', '--principal', 'erp', '--role', 'business');
    expect(exitCode).toBe(0);
    const [key = ''] = out;
    expect(out).toHaveLength(1);
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    expect(err.join()).toMatch(/^API key key-[0-9a-f]{8} of erp \(business\), shown this once/);
    expect((await gateway.as(key, 'GET', TASKS)).status).toBe(200);
    expect((await gateway.as(key, 'GET', '/api/local/machines')).status).toBe(403);
    const stored = gateway.plant.apiKeys().find(({ principal }) => principal === 'erp');
    expect(stored?.keyHash).toMatch(/^sha256\$[\w-]{22}\$[\w-]{43}$/);
    const shown = JSON.stringify([await cli.run('key', 'list'), await cli.run('key', 'list', '--json')]);
    expect(shown).toContain('erp');
    expect(shown).not.toContain(key);
    expect(shown).not.toContain('sha256');
  });

  it.each(ROLES)('D-25 gives the key the requested role: %s', async (role) => {
    const { key } = await make('somebody', role);
    const statuses = await Promise.all(
      [TASKS, '/api/local/machines', '/api/local/plant/users'].map(
        async (place) => (await gateway.as(key, 'GET', place)).status,
      ),
    );
    const rank = ROLES.indexOf(role);
    expect(statuses).toEqual([200, rank >= 2 ? 200 : 403, role === 'admin' ? 200 : 403]);
  });

  it('lists keys by principal with id, role and since when', async () => {
    const before = Date.now();
    const { id } = await make('pda', 'technician');
    const { out } = await cli.run('key', 'list');
    expect(out[0]).toMatch(/^ID +PRINCIPAL +ROLE +SINCE$/);
    const [, since = ''] = new RegExp(`^${id} +pda +technician +(\\S+Z)$`, 'm').exec(out.join('\n')) ?? [];
    expect(Date.parse(since)).toBeGreaterThanOrEqual(before);
    expect(out.join('\n')).toMatch(/^business-principal +business-principal +business +-$/m);
  });

  it('D-108 makes a key for a plant, lists its plants, and refuses a plant that the server has not', async () => {
    const { id } = await make('line', 'gateway', '--plant', 'default');
    expect(gateway.plant.apiKeys().find((key) => key.id === id)?.plants).toEqual(['default']);
    const { out } = await cli.run('key', 'list');
    expect(out[0]).toMatch(/SINCE +PLANTS$/);
    expect(out.join('\n')).toMatch(new RegExp(`^${id} .* default$`, 'm'));
    const unknown = await cli.run('key', 'create', '--principal', 'line', '--role', 'gateway', '--plant', 'tulsa');
    expect(unknown).toMatchObject({ exitCode: 64, err: [expect.stringContaining('"tulsa"')] });
  });

  it('AUTH-02 rotates: a principal has two keys for a while, both under the same name, until the old one is revoked', async () => {
    const old = await make('erp', 'business');
    const fresh = await make('erp', 'business');
    expect(fresh.key).not.toBe(old.key);
    for (const { key } of [old, fresh]) expect((await gateway.as(key, 'GET', TASKS)).status).toBe(200);
    const { exitCode, out } = await cli.run('key', 'revoke', old.id);
    expect([exitCode, out]).toEqual([0, [`API key ${old.id} of erp (business) is revoked.`]]);
    expect((await gateway.as(old.key, 'GET', TASKS)).status).toBe(401);
    expect((await gateway.as(fresh.key, 'GET', TASKS)).status).toBe(200);
  });

  it('D-25 lets two keys of one principal each ask as often as a key may', async () => {
    const { key: one } = await make('erp', 'business');
    const { key: other } = await make('erp', 'business');
    const flood = await Promise.all(Array.from({ length: 130 }, () => gateway.as(one, 'GET', TASKS)));
    expect(flood.some(({ status }) => status === 429)).toBe(true);
    expect((await gateway.as(other, 'GET', TASKS)).status).toBe(200);
  });

  it('AUTH-01 cuts off the open requests of a revoked key at once', async () => {
    const { id, key } = await make('viewer', 'technician');
    const events = await fetch(`${gateway.url}/api/local/events`, { headers: { authorization: `ApiKey ${key}` } });
    expect(events.status).toBe(200);
    await cli.run('key', 'revoke', id);
    const reader = events.body?.getReader();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read());
  });

  it('revokes all keys of a principal by its name, and one key by --id even if a principal has this name', async () => {
    await gateway.plant.create('apiKeys', { principal: 'erp', role: 'business', key: 'from-the-plant-file-itself' });
    const second = await make('erp', 'business');
    const third = await make('erp', 'technician');
    expect(gateway.plant.apiKeys().map(({ id }) => id)).toContain('erp');
    expect((await cli.run('key', 'revoke', '--id', 'erp')).exitCode).toBe(0);
    expect((await gateway.as(second.key, 'GET', TASKS)).status).toBe(200);
    const { out } = await cli.run('key', 'revoke', 'erp', '--json');
    expect(
      JSON.parse(out.join(''))
        .map(({ id }: Made) => id)
        .sort(),
    ).toEqual([second.id, third.id].sort());
    expect((await gateway.as(third.key, 'GET', TASKS)).status).toBe(401);
  });

  it.each([
    [
      'an id that is taken',
      ['create', '--principal', 'x', '--role', 'admin', '--id', 'business-principal'],
      73,
      /409.*business-principal exists already/,
    ],
    [
      'a principal that may not be',
      ['create', '--principal', ' x', '--role', 'admin'],
      64,
      /principal: found " x", expected text/,
    ],
    [
      'an unknown role',
      ['create', '--principal', 'x', '--role', 'boss'],
      64,
      /Allowed choices are gateway, business, viewer, technician/,
    ],
    ['no principal', ['create', '--role', 'admin'], 64, /--principal/],
    ['no role', ['create', '--principal', 'x'], 64, /--role/],
    ['a key that is not there', ['revoke', 'nobody'], 64, /no API key with the principal or id "nobody"/],
    ['an id that is not there', ['revoke', '--id', 'nobody'], 64, /no API key with the id "nobody"/],
    ['nothing to revoke', ['revoke'], 64, /expected a principal or an id/],
    ['both ways to revoke', ['revoke', 'x', '--id', 'y'], 64, /expected a principal or an id/],
    ['no such command', ['renew'], 64, /./],
  ])('refuses with a reason: %s', async (_, words, expected, sentence) => {
    const before = gateway.plant.apiKeys();
    const { exitCode, out, err } = await cli.run('key', ...words);
    expect([exitCode, out]).toEqual([expected, []]);
    expect(err.join('\n')).toMatch(sentence);
    expect(gateway.plant.apiKeys()).toEqual(before);
  });

  it.each([['create', '--principal', 'x', '--role', 'admin'], ['list'], ['revoke', 'x']])(
    'says that no gateway runs there (69): %s',
    async (...words) => {
      const elsewhere = programUnderTest();
      const { exitCode, err } = await elsewhere.run('key', ...words);
      elsewhere.cleanUp();
      expect(exitCode).toBe(69);
      expect(err.join()).toContain('Start it with "plantgate run"');
    },
  );

  it('is refused with a key that is not the gateway’s (77)', async () => {
    await cli.standBeside(gateway.url, 'another');
    expect(await cli.run('key', 'list')).toMatchObject({ exitCode: 77, out: [] });
  });
});
