import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { plantText } from '../../../src/config/plant-file/plant-text.ts';
import { readPlantFile } from '../../../src/config/plant-file/read-plant-file.ts';
import { type GatewayUnderTest, LOCAL_KEY, startGateway } from '../../adapters/http/gateway-under-test.ts';
import { anyPlant } from '../../any-plant.ts';
import { rounds } from '../../rounds.ts';
import { answeringServer, programUnderTest, sendJson } from '../program-under-test.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const LINE = `
catalogs:  [ { catalogId: 1, name: Standard, default: true } ]
locations: [ { code: WH-A1, name: Rack A1, category: Warehouse }, { code: RF-01, name: Rollformer 1, category: Machine } ]
machines:
  - { machineId: RF-01, topicRoot: plant1/rf-1, location: RF-01, registrationKey: reg-1, mqttPassword: pw-1 }
coils: [ { coilId: C-1, location: WH-A1 }, { coilId: C-2, location: WH-A1 } ]
apiKeys: [ { principal: erp, key: erp-key-0123456789ab, role: business } ]
users: [ { name: pat, role: technician, password: word-1 } ]
`;

async function open() {
  const gateway: GatewayUnderTest = await startGateway({
    machines: [],
    plantFile: { parts: [], downtimeReasons: [], apiKeys: [] },
  });
  const cli = programUnderTest();
  const end = async () => {
    await gateway.close();
    cli.cleanUp();
  };
  await cli.standBeside(gateway.url, LOCAL_KEY);
  const file = path.join(cli.dir, 'line.yaml');
  const apply = (text: string, ...options: readonly string[]) => {
    writeFileSync(file, text);
    return cli.run('apply', file, ...options);
  };
  return { gateway, cli, file, apply, end };
}

/** Until the end of the test. */
async function start() {
  const opened = await open();
  ends.push(opened.end);
  return opened;
}

describe('plantgate apply', () => {
  it('loads every kind, lists its changes by kind, and does nothing the second time', async () => {
    const { gateway, apply, file } = await start();
    const first = await apply(LINE);
    expect(first).toMatchObject({ exitCode: 0, err: [] });
    expect(first.out).toEqual([
      'KIND       ADDED  CHANGED  AS IT WAS',
      'catalogs   1      0        0',
      'locations  2      0        0',
      'machines   1      0        0',
      'coils      2      0        0',
      'apiKeys    1      0        0',
      'users      1      0        0',
      `${file} is applied.`,
    ]);
    expect((await gateway.as('erp-key-0123456789ab', 'GET', '/api/v1/coils')).body).toHaveLength(2);
    const write = vi.spyOn(gateway.store, 'write');
    const second = await apply(LINE);
    expect(second.out).toContain('coils      0      0        2');
    expect(second.out.at(-1)).toBe(`${file} changes nothing.`);
    expect(write).not.toHaveBeenCalled();
  });

  it('lists with --dry-run the changes record by record, and does nothing', async () => {
    const { gateway, apply } = await start();
    await apply(LINE);
    const write = vi.spyOn(gateway.store, 'write');
    const changed = `${LINE.replace('Rack A1', 'Rack 1').replace('reg-1', 'reg-2').replace('C-2', 'C-3')}parts: [ { partId: P-1 } ]`;
    const { exitCode, out } = await apply(changed, '--dry-run');
    expect(exitCode).toBe(0);
    expect(out.filter((line) => /^[+~…]/.test(line))).toEqual([
      '~ locations WH-A1: name',
      '~ machines RF-01: registrationKey',
      '+ parts P-1',
      '+ coils C-3',
    ]);
    expect(out.at(-1)).toMatch(/^Nothing was changed: this is what applying .*line.yaml would do\.$/);
    expect(out.join()).not.toContain('reg-2');
    expect(write).not.toHaveBeenCalled();
    expect(gateway.plant.parts()).toEqual([]);
    const json = JSON.parse((await apply(changed, '--dry-run', '--json')).out.join('\n'));
    expect(json.counts).toContainEqual({ kind: 'coils', named: 2, created: 1, updated: 0 });
    expect(json.changes).toContainEqual({
      kind: 'parts',
      id: 'P-1',
      change: 'create',
      fields: ['partId', 'partName', 'isNew'],
    });
  });

  it('reports a missing file, a missing gateway and a missing argument', async () => {
    const { cli, apply, gateway } = await start();
    const missing = await cli.run('apply', path.join(cli.dir, 'none.yaml'));
    expect([missing.exitCode, missing.err.join()]).toEqual([78, expect.stringContaining('no such file')]);
    expect((await cli.run('apply')).exitCode).toBe(64);
    await cli.standBeside(gateway.url, 'another key');
    expect((await apply(LINE)).exitCode).toBe(77);
    rmSync(path.join(cli.dir, 'local-access.json'));
    expect((await apply(LINE)).exitCode).toBe(69);
    expect(gateway.plant.machines()).toEqual([]);
  });

  it('keeps live state, and the secrets that a file does not give', async () => {
    const { gateway, apply } = await start();
    await apply(LINE);
    await gateway.store.write([{ kind: 'coilLocation', coilId: 'C-1', location: 'RF-01' }]);
    const before = [gateway.plant.machines(), gateway.plant.apiKeys(), gateway.plant.users()];
    const { out } = await apply(
      LINE.replaceAll(/, (registrationKey|mqttPassword|key|password): [\w-]+/g, '').replace(
        'C-1, ',
        'C-1, color: Red, ',
      ),
    );
    expect(out).toContain('coils      0      1        1');
    expect([gateway.plant.machines(), gateway.plant.apiKeys(), gateway.plant.users()]).toEqual(before);
    expect(await gateway.store.coil('C-1')).toMatchObject({ location: 'RF-01', color: 'Red' });
  });

  it('applies thousands of records in pieces, all or nothing: a fault in the last one refuses all', async () => {
    const { gateway, apply } = await start();
    const locations = [{ code: 'A', name: 'A', category: 'Bin' }];
    const coils = Array.from({ length: 3_000 }, (_, index) => ({
      coilId: `C-${index}`,
      location: 'A',
      description: 'x'.repeat(200),
    }));
    const text = (last: object[]) =>
      plantText('locations', locations, false) + plantText('coils', [...coils, ...last], false);
    const refused = await apply(text([{ coilId: 'L', location: 'B' }]));
    expect([refused.exitCode, refused.err[0]]).toEqual([78, expect.stringMatching(/coils\[3000\]\.location/)]);
    expect(await gateway.store.warehouseCounts()).toEqual({ coils: 0, tasks: 0 });
    expect((await apply(text([]), '--json')).out.join('\n')).toContain('"created": 3000');
    expect(await gateway.store.warehouseCounts()).toEqual({ coils: 3_000, tasks: 0 });
    const dry = await apply(text(coils.slice(0, 0)).replaceAll('x'.repeat(200), 'y'), '--dry-run');
    expect(dry.out.filter((line) => line.startsWith('~'))).toHaveLength(1_000);
    expect(dry.out).toContain('… and 2000 more');
  });

  it('SYNC-02 SYNC-04 brings profiles that machines fetch, also machines that had an empty answer before', async () => {
    const { gateway, apply } = await start();
    const profile = (length: number) =>
      `profiles: [ { profileName: Ridge cap, features: [ { type: Straight, length: ${length} } ] } ]\n`;
    await apply(`catalogs: [ { catalogId: 1, name: Standard, default: true } ]
machines: [ { machineId: RF-01, topicRoot: a, serialNumber: SN-1, registrationKey: reg-1, catalogs: [ 1 ] } ]
${profile(1)}`);
    const authorization = `Basic ${Buffer.from('SN-1:reg-1').toString('base64')}`;
    const fetched = async (since: string) => {
      const answer = await gateway.call('GET', `/api/machine/profiles${since}`, undefined, { authorization });
      return answer.body as { cursor: string; changes: object[] };
    };
    const first = await fetched('');
    expect(first.changes).toMatchObject([{ change: 'upsert', profileId: 'Ridge cap', blankWidth: 1 }]);
    const since = `?since=${first.cursor}`;
    expect((await fetched(since)).changes).toEqual([]);
    expect((await apply(profile(2))).out).toContain('profiles  0      1        0');
    expect((await fetched(since)).changes).toMatchObject([{ change: 'upsert', revision: 2, blankWidth: 2 }]);
  });

  it('takes a file of megabytes part by part, and names the line of each fault in it', async () => {
    const { gateway, apply } = await start();
    const reasons = Array.from({ length: 900 }, (_, place) => ({ id: `R-${place}`, reason: 'x'.repeat(1_000) }));
    const parts = Array.from({ length: 4_000 }, (_, place) => ({ partId: `P-${place}`, partName: 'y'.repeat(1_000) }));
    const text = plantText('parts', parts, false) + plantText('downtimeReasons', reasons, false);
    const shape = await apply(`${text}  - { id: 7, reason: x }\n`);
    expect([shape.exitCode, shape.err[0]]).toEqual([
      78,
      expect.stringMatching(/line\.yaml:9803:\d+: downtimeReasons\[900\]\.id/),
    ]);
    const many = await apply(`${text}coils:\n- { coilId: C, location: nowhere }\n`);
    expect([many.exitCode, many.err[0]]).toEqual([
      78,
      expect.stringMatching(/line\.yaml:9804:\d+: coils\[0\]\.location/),
    ]);
    expect((await apply(text)).out).toContain('parts            4000   0        0');
    expect(gateway.plant.parts()).toHaveLength(4_000);
    const byReference = `${text.replace('partId: P-0\n', 'partId: &first P-0\n')}reasonCodes: [ { id: *first, codeSet: OverrideReasons, reason: x } ]\n`;
    expect((await apply(byReference)).exitCode).toBe(0);
    expect(gateway.plant.reasonCodes()).toMatchObject([{ id: 'P-0' }]);
  });

  it('takes an order of megabytes', async () => {
    const { gateway, apply } = await start();
    const order = { documentID: 'D-1', products: [], note: `${'x'.repeat(79)}\n`.repeat(57_000) };
    expect((await apply(plantText('orders', [order, { documentID: 'D-2', products: [] }], false))).exitCode).toBe(0);
    const { bytes } = await gateway.store.orderRecords('', 1);
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual([order]);
  });

  it('reports faults of a profile and an order in the words of the interface, each with its line', async () => {
    const { apply } = await start();
    const text = `catalogs: [ { catalogId: 1, name: S, default: true } ]
profiles:
  - profileName: Ridge cap
    features:
      - { type: Straight, length: 0 }
orders:
  - documentID: D-1
    products:
      - { workOrder: 7 }
`;
    const { exitCode, err } = await apply(text);
    expect(exitCode).toBe(78);
    expect(err[0]).toMatch(/line\.yaml:5:\d+: .*length/i);
    expect(err[1]).toMatch(/line\.yaml:9:\d+: orders\[0\]\.products\[0\]\.workOrder: found 7, expected a string/);
  });

  it('removes its load from the gateway when it cannot finish', async () => {
    const { cli, apply } = await start();
    const server = await answeringServer((place, response) => {
      if (place.endsWith('/loads')) sendJson(response, { loadId: 'L1' }, 201);
      else if (place.includes('/records/machines')) sendJson(response, { errors: ['no disk'] }, 503);
      else response.writeHead(204).end();
    });
    ends.push(server.close);
    await cli.standBeside(server.url, 'key');
    expect(await apply(LINE)).toMatchObject({ exitCode: 69, out: [], err: [expect.stringContaining('no disk')] });
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/api/local/plant/loads/L1' });
  });

  it('says that the result is unknown if the answer is lost', async () => {
    const { cli, apply } = await start();
    const server = await answeringServer((place, response) => {
      if (place.endsWith('/loads')) sendJson(response, { loadId: 'L1' }, 201);
      else if (place.endsWith('/finish')) response.destroy();
      else response.writeHead(204).end();
    });
    ends.push(server.close);
    await cli.standBeside(server.url, 'key');
    const { exitCode, err } = await apply(LINE);
    expect([exitCode, err.join()]).toEqual([69, expect.stringMatching(/not known: apply it again/)]);
    expect((await apply(LINE, '--dry-run')).err.join()).not.toContain('not known');
  });

  it('changes nothing when it applies the export of any plant, which has all its records: the next export is the same to the byte', {
    timeout: 60_000,
  }, async () => {
    const { cli, apply } = await start();
    await fc.assert(
      fc.asyncProperty(anyPlant, async (plant) => {
        const text = Object.entries(plant)
          .map(([kind, records]) => plantText(kind, records, false))
          .join('');
        expect(await apply(text)).toMatchObject({ exitCode: 0, err: [] });
        const exported = await cli.run('export');
        const back = readPlantFile(`${exported.out.join('\n')}\n`, 'plant.yaml');
        if (!back.ok) throw new Error(JSON.stringify(back.faults));
        expect(back.plantFile.locations).toEqual(expect.arrayContaining(plant.locations));
        expect(back.plantFile.coils.map(({ coilId }) => coilId)).toEqual(
          expect.arrayContaining(plant.coils.map(({ coilId }) => coilId)),
        );
        const again = await apply(`${exported.out.join('\n')}\n`);
        expect([again.exitCode, again.out.at(-1)]).toEqual([0, expect.stringMatching(/changes nothing\.$/)]);
        expect(await cli.run('export')).toEqual(exported);
      }),
      { numRuns: rounds(25) },
    );
  });
});

describe('plantgate apply of a faulty file', () => {
  let line: Awaited<ReturnType<typeof open>>;

  // No test changes anything, so they share the gateway.
  beforeAll(async () => {
    line = await open();
    expect(await line.apply(LINE)).toMatchObject({ exitCode: 0 });
  });
  afterAll(() => line.end());

  it.each<[string, string, readonly RegExp[]]>([
    ['no YAML', 'machines: [', [/line\.yaml:2:1: YAML: found .*expected valid YAML/]],
    [
      'an unknown key',
      'parts:\n  - partId: P\n    partNmae: x',
      [/line\.yaml:3:5: parts\[0\]\.partNmae: .*did you mean partName/],
    ],
    [
      'several faults of shape',
      'parts: [ { partId: 1 } ]\nusers: [ { name: x, role: boss, password: y } ]',
      [/line\.yaml:1:\d+: parts\[0\]\.partId/, /line\.yaml:2:\d+: users\[0\]\.role/],
    ],
    [
      'a name twice',
      'parts:\n  - partId: P\n  - partId: P',
      [/line\.yaml:3:\d+: parts\[1\]\.partId: found "P", expected a part once only/],
    ],
    [
      'a reference to nothing, found by the gateway, behind coils that are as they were',
      'coils:\n  - { coilId: C-1, location: WH-A1 }\n  - { coilId: C-2, location: WH-A1 }\n  - coilId: C-3\n    location: nowhere',
      [/line\.yaml:5:\d+: coils\[2\]\.location: found "nowhere", expected a location of this plant/],
    ],
    [
      'a TopicRoot that another machine of the gateway has',
      'machines:\n  - machineId: RF-02\n    topicRoot: plant1/rf-1/x',
      [/line\.yaml:3:\d+: machines\[0\]\.topicRoot: found "plant1\/rf-1\/x"/],
    ],
    [
      'a new key without the key',
      'apiKeys: [ { principal: new, role: admin } ]',
      [/line\.yaml:1:\d+: apiKeys\[0\]\.key: found nothing/],
    ],
  ])('changes nothing and reports each fault with file and line (78): %s', async (_, text, sentences) => {
    const { gateway, apply } = line;
    const write = vi.spyOn(gateway.store, 'write');
    for (const options of [[], ['--dry-run']]) {
      const { exitCode, out, err } = await apply(`${text}\n`, ...options);
      expect([exitCode, out]).toEqual([78, []]);
      for (const sentence of sentences) expect(err.join('\n')).toMatch(sentence);
      expect(err.at(-1)).toMatch(/^\d+ faults?; nothing was changed$/);
    }
    expect(write).not.toHaveBeenCalled();
    write.mockRestore();
  });
});
