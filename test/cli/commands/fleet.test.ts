import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { sendJson, useCliBeside } from '../program-under-test.ts';

const MEMBER = {
  gatewayId: 'dayton-2',
  standing: 'refused',
  version: 1,
  appliedAt: '2026-01-01T10:00:00.000Z',
  refused: { version: 2, faults: ['apiKeys: found 501 records, expected at most 500'] },
  deviationCount: 1,
  deviations: [{ kind: 'downtimeReasons', id: 'DT-9', why: 'edited', fields: ['reason'] }],
  preview: {
    version: 3,
    faults: [],
    changeCount: 1,
    changes: [{ kind: 'users', id: 'ada', change: 'create', fields: ['name', 'role'] }],
  },
};
const GROUP = { groupId: 'g/1', name: 'North', rollOut: 2, preview: 3, newest: { version: 3 }, gateways: [MEMBER] };
const VERSIONS = [
  { version: 1, at: '2026-01-01T09:00:00.000Z', who: 'ada', note: 'first', overwrite: true, records: 4 },
];

const { cli, requests } = useCliBeside(answer);
const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-fleet-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
beforeEach(() => {
  requests.length = 0;
});

const ONE = '/api/local/fleet/groups/g%2F1';
const ARCHIVE_ID = 'a'.repeat(64);
const ARCHIVE = { archiveId: ARCHIVE_ID, version: '77.0.0', arch: 'x64', bytes: 300_000 };

function answer(place: string, response: ServerResponse): void {
  const { method = '' } = requests.at(-1) ?? {};
  if (place.startsWith('/api/local/fleet/archives')) answerArchives(place, method, response);
  else if (place === `${ONE}/update` && method === 'GET') sendJson(response, { update: UPDATE });
  else if (place.startsWith(`${ONE}/versions`) && method === 'POST')
    sendJson(response, { version: 4, isNew: true }, 201);
  else if (place === `${ONE}/versions`) sendJson(response, VERSIONS);
  else if (place.startsWith(`${ONE}/difference`)) sendJson(response, MEMBER.preview.changes);
  else if (place === ONE && method === 'GET') sendJson(response, GROUP);
  else if (method === 'GET') sendJson(response, [GROUP]);
  else if (method === 'POST' && place === '/api/local/fleet/groups') sendJson(response, { groupId: 'g/2' }, 201);
  else response.writeHead(204).end();
}

function answerArchives(place: string, method: string, response: ServerResponse): void {
  if (method === 'GET') sendJson(response, [ARCHIVE]);
  else if (method === 'PUT') response.writeHead(204).end();
  else sendJson(response, place.endsWith('/finish') ? ARCHIVE : { uploadId: 'u-1' }, 201);
}

describe('D-106 plantgate fleet', () => {
  it('list shows the groups, and how far their plans are', async () => {
    const { exitCode, out } = await cli.run('fleet', 'list');
    expect(exitCode).toBe(0);
    expect(out).toEqual([
      'GROUP  ROLLED OUT  NEWEST  GATEWAYS  APPLIED  REFUSED  DEVIATING',
      'North  2           3       1         0        1        1',
    ]);
  });

  it('show says where each gateway stands, and why', async () => {
    expect((await cli.run('fleet', 'show', 'north')).out).toEqual([
      'GATEWAY   STANDING  VERSION  APPLIED                   DEVIATIONS',
      'dayton-2  refused   1        2026-01-01T10:00:00.000Z  1',
      'dayton-2 refuses: apiKeys: found 501 records, expected at most 500',
      'dayton-2 deviates: downtimeReasons DT-9 (edited)',
      'dayton-2 would create users ada: name, role',
    ]);
  });

  it.each([
    [['rename', 'North', 'South'], 'PUT', '', '{"name":"South"}', 'is called South'],
    [['remove', 'North'], 'DELETE', '', '', 'is removed'],
    [['join', 'North', 'a b'], 'PUT', '/gateways/a%20b', '', 'a b is in group North'],
    [['leave', 'North', 'a b'], 'DELETE', '/gateways/a%20b', '', 'in no group'],
    [['preview', 'North', '3'], 'PUT', '/preview', '{"version":3}', 'fleet show North'],
    [['roll-out', 'North', '3'], 'PUT', '/rollOut', '{"version":3}', 'has the results'],
  ])('%j asks the gateway, and says what it did', async (words, method, below, body, said) => {
    expect(await cli.run('fleet', ...words)).toMatchObject({ exitCode: 0, out: [expect.stringContaining(said)] });
    expect(requests.at(-1)).toMatchObject({ method, path: `${ONE}${below}`, body });
  });

  it('plan keeps a file as the next version', async () => {
    const file = path.join(dir, 'plan.yaml');
    writeFileSync(file, 'machines: [ { machineId: RF-01, targetPartsPerShift: 5 } ]\n');
    const kept = await cli.run('fleet', 'plan', 'North', file, '--note', 'more & more', '--overwrite');
    expect(kept).toMatchObject({ exitCode: 0, out: [expect.stringContaining('Version 4 is kept')] });
    expect(requests.at(-1)).toMatchObject({
      path: `${ONE}/versions?note=more+%26+more&overwrite=true`,
      body: '{"machines":[{"machineId":"RF-01","targetPartsPerShift":5}]}',
    });
    writeFileSync(file, 'machines: [\n');
    expect((await cli.run('fleet', 'plan', 'North', file)).exitCode).toBe(78);
    expect((await cli.run('fleet', 'plan', 'North', `${file}.not`)).exitCode).toBe(78);
  });

  it('lists and compares versions', async () => {
    expect((await cli.run('fleet', 'versions', 'North')).out).toEqual([
      'VERSION  AT                        BY   RECORDS  OVERWRITES  NOTE',
      '1        2026-01-01T09:00:00.000Z  ada  4        yes         first',
    ]);
    expect((await cli.run('fleet', 'difference', 'North', '0', '1')).out).toEqual(['create users ada: name, role']);
  });

  it.each([
    [['show', 'West'], 'There is no group "West"'],
    [['roll-out', 'North', 'x'], 'expected the number of a version'],
  ])('%j is refused with exit code 64', async (words, said) => {
    const { exitCode, err } = await cli.run('fleet', ...words);
    expect([exitCode, err.join('\n')]).toEqual([64, expect.stringContaining(said)]);
  });

  it('create makes a group', async () => {
    expect((await cli.run('fleet', 'create', 'South')).out.join()).toContain('has no gateways yet');
    expect(requests.at(-1)).toMatchObject({ method: 'POST', body: '{"name":"South"}' });
  });
});

const UPDATE = {
  version: '77.0.0',
  state: 'stopped',
  why: 'dayton-2: rolledBack',
  gateways: [{ gatewayId: 'dayton-2', version: '2.5.0', standing: 'failed', why: 'rolledBack', receivedBytes: 0 }],
};

describe('D-107 plantgate fleet', () => {
  it('send sends an archive in pieces', async () => {
    const file = path.join(dir, 'next.update');
    writeFileSync(file, Buffer.alloc(300_000, 'x'));
    expect(await cli.run('fleet', 'send', file)).toMatchObject({
      exitCode: 0,
      out: [expect.stringContaining('Version 77.0.0 for x64 is kept')],
    });
    expect(requests.map(({ method, path: place }) => `${method} ${place}`)).toEqual([
      'POST /api/local/fleet/archives/upload',
      'PUT /api/local/fleet/archives/upload/u-1?offset=0',
      'PUT /api/local/fleet/archives/upload/u-1?offset=262144',
      'POST /api/local/fleet/archives/upload/u-1/finish',
    ]);
    expect((await cli.run('fleet', 'send', `${file}.not`)).exitCode).toBe(64);
    expect((await cli.run('fleet', 'archives')).out).toEqual(['VERSION  FOR  BYTES', '77.0.0   x64  300000']);
  });

  it('update begins one, and progress says how far it is', async () => {
    const begun = await cli.run('fleet', 'update', 'North', '77.0.0', '--canary', 'dayton-2', '--at-once', '5');
    expect(begun).toMatchObject({ exitCode: 0 });
    expect(requests.at(-1)).toMatchObject({
      path: `${ONE}/update`,
      body: `{"archiveId":"${ARCHIVE_ID}","canaries":["dayton-2"],"atOnce":5}`,
    });
    expect((await cli.run('fleet', 'update', 'North', '78.0.0')).exitCode).toBe(64);
    expect((await cli.run('fleet', 'progress', 'North')).out).toEqual([
      'Version 77.0.0: stopped, dayton-2: rolledBack',
      'GATEWAY   STANDING  RUNS   RECEIVED  WHY',
      'dayton-2  failed    2.5.0  0         rolledBack',
    ]);
  });

  it.each([
    ['stop', '/update/stop'],
    ['go-on', '/update/goOn'],
  ])('%s asks the gateway', async (word, below) => {
    expect((await cli.run('fleet', word, 'North')).exitCode).toBe(0);
    expect(requests.at(-1)).toMatchObject({ method: 'POST', path: `${ONE}${below}` });
  });
});
