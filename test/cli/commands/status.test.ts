import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCAL_ACCESS_FILE, writeLocalAccess } from '../../../src/adapters/system/local-access.ts';
import { registerRunningGateway, runningDir } from '../../../src/adapters/system/running-gateways.ts';
import { runStatus } from '../../../src/cli/commands/status.ts';
import { openLocalClient } from '../../../src/cli/local-client.ts';
import { type AnsweringServer, answeringServer, asNobody, fakeIo, sendJson } from '../program-under-test.ts';

const MACHINES = [
  {
    machineId: 'RF-01',
    name: 'Rollformer 1',
    connection: 'online',
    activity: 'running',
    decision: { runEnabled: true, attentionNeeded: false, message: null },
    part: { partId: 'P-100', partName: 'Panel 100' },
  },
  {
    machineId: 'RF-02',
    name: 'Rollformer 2 at the far end of the hall',
    connection: 'offline',
    activity: 'offline',
    decision: { runEnabled: false, attentionNeeded: true, message: 'Device not responding' },
    part: null,
  },
];
const SYNC = {
  upstream: { state: 'offline', lastContactAt: '2026-01-01T00:00:00.000Z', detail: 'HTTP 403: refused' },
  queue: { depth: 17, oldestAt: '2026-01-01T00:00:00.000Z', bytes: 4_096, thinned: 0 },
  setAside: [{ id: '1', what: 'order', reason: '400', at: '2026-01-01T00:00:00.000Z' }],
};
const DIAGNOSTICS = {
  gateway: { version: '1.2.3', uptimeSeconds: 11_520 },
  counts: { malformed: 3, rateLimited: 0 },
  storage: {
    health: { state: 'full', since: 0, detail: 'no space left' },
    databaseBytes: 1_234_567,
    pendingRecords: 9,
  },
};
const PRODUCTION = {
  shiftDate: '2026-01-01',
  goodParts: 999,
  shifts: [
    { shift: 'Day', goodParts: 900, badParts: 9 },
    { shift: 'Night', goodParts: 99, badParts: 1 },
  ],
};

function plantgate(requestPath: string, response: ServerResponse): void {
  if (requestPath === '/api/local/machines') sendJson(response, MACHINES);
  else if (requestPath === '/api/local/sync') sendJson(response, SYNC);
  else if (requestPath === '/api/local/diagnostics') sendJson(response, DIAGNOSTICS);
  else if (requestPath === '/api/local/machines/RF-01/production') sendJson(response, PRODUCTION);
  else sendJson(response, { errors: ['no such thing'] }, 404);
}

let dataDir: string;
let server: AnsweringServer | null = null;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'plantgate-status-'));
});

afterEach(async () => {
  await server?.close();
  server = null;
  await rm(dataDir, { recursive: true, force: true });
});

async function gateway(answer: (requestPath: string, response: ServerResponse) => void): Promise<AnsweringServer> {
  server = await answeringServer(answer);
  await writeLocalAccess(dataDir, { url: server.url, key: 'secret' });
  return server;
}

describe('plantgate status', () => {
  it('shows machines, decisions, production of this shift, queue, upstream, store and incidents on one screen', async () => {
    const { requests, url } = await gateway(plantgate);
    const io = fakeIo();
    expect(await runStatus({ dataDir }, io)).toBe(0);
    const screen = io.out.join('\n');
    expect(screen).toContain(`plantgate 1.2.3 on ${url}, up 3 h 12 min`);
    expect(screen).toContain('2 machines: 1 online, 1 running, 1 may run, 1 may not');
    expect(screen).toMatch(/^RF-01 +Rollformer 1 +online +running +yes +Panel 100 +99 +1$/m);
    expect(screen).toMatch(
      /^RF-02 +Rollformer 2 at the far end of the hall +offline +offline +no +Device not responding +- +-$/m,
    );
    expect(screen).toMatch(/^Upstream +offline, last contact 2026-01-01T00:00:00.000Z: HTTP 403: refused$/m);
    expect(screen).toMatch(/^Queue +17 waiting, 4.1 kB, oldest/m);
    expect(screen).toMatch(/^Set aside +1 refused/m);
    expect(screen).toMatch(/^Store +full: no space left, 1.2 MB, 9 records to write$/m);
    expect(screen).toMatch(/^Incidents +malformed 3$/m);
    expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(new Set(['ApiKey secret']));
  });

  it('shows a machine that has never sent a status as never heard', async () => {
    const silent = [{ ...MACHINES[1], lastStatusAt: null }];
    await gateway((requestPath, response) =>
      requestPath === '/api/local/machines' ? sendJson(response, silent) : plantgate(requestPath, response),
    );
    const io = fakeIo();
    await runStatus({ dataDir }, io);
    expect(io.out.join('\n')).toMatch(/^RF-02 .* never heard +no/m);
  });

  it.each([40, 60, 80, 100, 132])(
    'is no wider than a terminal of %i columns, and names every machine and its verdict',
    async (columns) => {
      await gateway(plantgate);
      const io = fakeIo({ NO_COLOR: '1' });
      await runStatus({ dataDir, terminal: { columns } }, io);
      const table = io.out.slice(2);
      expect(Math.max(...table.map((line) => [...line].length))).toBeLessThanOrEqual(columns);
      expect(table.join('\n')).toMatch(/^RF-01.*yes/m);
      expect(table.join('\n')).toMatch(/^RF-02.*no/m);
    },
  );

  it('keeps the whole text of a fact on a narrow terminal, in lines of whole words', async () => {
    await gateway(plantgate);
    const io = fakeIo({ NO_COLOR: '1' });
    await runStatus({ dataDir, terminal: { columns: 40 } }, io);
    const from = io.out.findIndex((line) => line.startsWith('Upstream'));
    expect(io.out.slice(from, from + 3)).toEqual([
      'Upstream   offline, last contact',
      '           2026-01-01T00:00:00.000Z:',
      '           HTTP 403: refused',
    ]);
  });

  it.each([0, undefined])('is as wide as it needs in a terminal that tells %s columns', async (columns) => {
    await gateway(plantgate);
    const [known, unknown] = [fakeIo({ NO_COLOR: '1' }), fakeIo({ NO_COLOR: '1' })];
    await runStatus({ dataDir, terminal: { columns } }, unknown);
    await runStatus({ dataDir, terminal: null }, known);
    expect(unknown.out).toEqual(known.out);
  });

  it.each([
    ['a terminal', { columns: 120 }, {}, true],
    ['a pipe', null, {}, false],
    ['a terminal whose owner wants none', { columns: 120 }, { NO_COLOR: '1' }, false],
  ])('has colour only if it is wanted: %s', async (_, terminal, environment, hasColor) => {
    await gateway(plantgate);
    const io = fakeIo(environment);
    await runStatus({ dataDir, terminal }, io);
    expect(io.out.join('\n').includes('\u001b[')).toBe(hasColor);
  });

  it('prints the unchanged answers with --json', async () => {
    await gateway(plantgate);
    const io = fakeIo();
    expect(await runStatus({ dataDir, json: true }, io)).toBe(0);
    expect(JSON.parse(io.out.join('\n'))).toEqual({ machines: MACHINES, sync: SYNC, diagnostics: DIAGNOSTICS });
  });

  it('does not let text of a machine steer the terminal', async () => {
    const evil = [{ ...MACHINES[0], name: '\u001b]0;owned\u0007\u001b[2J', part: { partName: 'a\nb' } }];
    await gateway((requestPath, response) =>
      requestPath === '/api/local/machines' ? sendJson(response, evil) : plantgate(requestPath, response),
    );
    const io = fakeIo();
    await runStatus({ dataDir }, io);
    expect([...io.out.join('|')].filter((character) => character < ' ')).toEqual([]);
  });

  it('says that no gateway has run there (69)', async () => {
    const io = fakeIo();
    expect(await runStatus({ dataDir }, io)).toBe(69);
    expect(io.err.join()).toMatch(/No gateway runs on .*local-access.json is not there.*plantgate run/);
  });

  it('says that the gateway is not running (69)', async () => {
    const { close } = await gateway(plantgate);
    await close();
    const io = fakeIo();
    expect(await runStatus({ dataDir }, io)).toBe(69);
    expect(io.err.join()).toMatch(/does not answer on http:\/\/127.0.0.1:\d+: no program listens there/);
  });

  it('names the user who may read the access file (77)', async () => {
    await gateway(plantgate);
    await chmod(path.join(dataDir, LOCAL_ACCESS_FILE), 0o000);
    const io = fakeIo();
    expect(await asNobody(() => runStatus({ dataDir }, io))).toBe(77);
    expect(io.err.join()).toContain("run this as the gateway's user");
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['an array', '[]'],
    ['no key', '{"url":"http://127.0.0.1:1"}'],
    ['a bad address', '{"url":"nowhere","key":"x"}'],
  ])('reports a damaged access file (74): %s', async (_, text) => {
    await writeFile(path.join(dataDir, LOCAL_ACCESS_FILE), text);
    const io = fakeIo();
    expect(await runStatus({ dataDir }, io)).toBe(74);
    expect(io.err.join()).toContain(LOCAL_ACCESS_FILE);
  });

  it.each<[string, number, (response: ServerResponse) => void, RegExp]>([
    [
      '401',
      77,
      (response) => sendJson(response, { errors: ['unknown key'] }, 401),
      /refused the key.*401.*unknown key/,
    ],
    ['403', 77, (response) => sendJson(response, { errors: [] }, 403), /refused the key.*403/],
    [
      '500',
      70,
      (response) => sendJson(response, { errors: ['broken'] }, 500),
      /answered 500 to GET .*machines: broken/,
    ],
    ['503', 69, (response) => sendJson(response, {}, 503), /answered 503/],
    ['a page instead of JSON', 69, (response) => response.end('<html>'), /is no plantgate gateway/],
    ['a connection that breaks', 69, (response) => response.destroy(), /does not answer/],
    [
      'half an answer',
      69,
      (response) => response.writeHead(200, { 'content-length': '99' }).write('[', () => response.destroy()),
      /does not answer/,
    ],
  ])('ends with its code when the gateway answers %s (%i)', async (_, exitCode, answer, sentence) => {
    await gateway((_requestPath, response) => answer(response));
    const io = fakeIo();
    expect(await runStatus({ dataDir }, io)).toBe(exitCode);
    expect(io.err.join()).toMatch(sentence);
    expect(io.out).toEqual([]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['hangs before it answers', () => undefined],
    ['hangs in the middle of its answer', (response) => response.writeHead(200).write('[')],
  ])('waits no longer than it may for a gateway that %s', async (_, answer) => {
    await gateway((_requestPath, response) => answer(response));
    const opened = await openLocalClient(dataDir, 200);
    if (!opened.ok) throw new Error(opened.sentence);
    expect(await opened.client.call('GET', '/api/local/machines')).toMatchObject({
      ok: false,
      exitCode: 69,
      sentence: expect.stringContaining('nothing came within 0.2 s'),
    });
  });

  it('shows the other parts if one is not answered, and says so', async () => {
    await gateway((requestPath, response) =>
      requestPath === '/api/local/diagnostics'
        ? sendJson(response, { errors: ['broken'] }, 500)
        : plantgate(requestPath, response),
    );
    const io = fakeIo();
    expect(await runStatus({ dataDir }, io)).toBe(70);
    expect(io.out.join('\n')).toMatch(/^RF-01/m);
    expect(io.out.join('\n')).toMatch(/^Store +unknown$/m);
    expect(io.err.join()).toContain('/api/local/diagnostics');
  });
});

describe('plantgate status beside gateways on other data directories', () => {
  const register = (directory: string, name: string, gateway: object) =>
    writeFile(path.join(directory, name), JSON.stringify({ since: '2026-01-01T00:00:00.000Z', ...gateway }));

  it('shows the running gateway, names its directory, and ignores stale entries', async () => {
    const runtime = await mkdtemp(path.join(tmpdir(), 'plantgate-runtime-'));
    const demo = await mkdtemp(path.join(tmpdir(), 'plantgate-demo-'));
    const server = await answeringServer(plantgate);
    await writeLocalAccess(demo, { url: server.url, key: 'demo-key' });
    const environment = { XDG_RUNTIME_DIR: runtime };
    const directory = runningDir(environment);
    const leave = await registerRunningGateway(
      directory,
      { pid: process.pid, dataDir: demo, url: server.url, since: '2026-01-02T00:00:00.000Z' },
      (reason) => expect.unreachable(reason),
    );
    await register(directory, 'killed.json', { pid: 2 ** 30, dataDir: '/gone', url: server.url });
    await register(directory, 'torn.json', {});
    const damaged = path.join(directory, 'damaged.json');
    await writeFile(damaged, '{');
    const io = fakeIo(environment);
    expect(await runStatus({ dataDir: '/no/such/directory' }, io)).toBe(0);
    expect(io.out.join('\n')).toContain(`No gateway runs on /no/such/directory. This is the one on ${demo}`);
    expect(io.out.join('\n')).toContain('Rollformer 1');
    expect(io.err).toEqual([expect.stringContaining(`${damaged}: `)]);
    // Scripts get the requested gateway, or none.
    expect(await runStatus({ dataDir: '/no/such/directory', json: true }, fakeIo(environment))).toBe(69);
    await leave();
    expect(await runStatus({ dataDir: '/no/such/directory' }, fakeIo(environment))).toBe(69);
    await server.close();
    for (const made of [runtime, demo]) await rm(made, { recursive: true });
  });
});
