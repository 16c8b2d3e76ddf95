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

function answer(place: string, response: ServerResponse): void {
  const { method = '' } = requests.at(-1) ?? {};
  if (place.startsWith(`${ONE}/versions`) && method === 'POST') sendJson(response, { version: 4, isNew: true }, 201);
  else if (place === `${ONE}/versions`) sendJson(response, VERSIONS);
  else if (place.startsWith(`${ONE}/difference`)) sendJson(response, MEMBER.preview.changes);
  else if (place === ONE && method === 'GET') sendJson(response, GROUP);
  else if (method === 'GET') sendJson(response, [GROUP]);
  else if (method === 'POST') sendJson(response, { groupId: 'g/2' }, 201);
  else response.writeHead(204).end();
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
