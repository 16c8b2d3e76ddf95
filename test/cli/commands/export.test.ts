import { afterEach, describe, expect, it } from 'vitest';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import { plantText } from '../../../src/config/plant-file/plant-text.ts';
import { readPlantFile } from '../../../src/config/plant-file/read-plant-file.ts';
import type { PlantFile } from '../../../src/domain/plant/plant-entry.ts';
import { type GatewayUnderTest, LOCAL_KEY, startGateway } from '../../adapters/http/gateway-under-test.ts';
import { answeringServer, programUnderTest, sendJson } from '../program-under-test.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function start() {
  const gateway: GatewayUnderTest = await startGateway({ machines: [], plantFile: { parts: [], downtimeReasons: [] } });
  const cli = programUnderTest();
  ends.push(() => gateway.close(), cli.cleanUp);
  await cli.standBeside(gateway.url, LOCAL_KEY);
  const exported = async () => {
    const { exitCode, out, err } = await cli.run('export');
    expect([exitCode, err]).toEqual([0, []]);
    return `${out.join('\n')}\n`;
  };
  return { gateway, cli, exported };
}

function read(text: string): PlantFile {
  const reading = readPlantFile(text, 'plant.yaml');
  if (!reading.ok) throw new Error(`${JSON.stringify(reading.faults)}\n${text}`);
  return reading.plantFile;
}

function fileOf(plant: object): string {
  return Object.entries(plant)
    .map(([kind, records]) => plantText(kind, records, false))
    .join('');
}

describe('plantgate export', () => {
  it('has kinds in the order of the contract, records by their ids, and no secret; applying it keeps the stored secrets', async () => {
    const { gateway, exported } = await start();
    await gateway.plant.applyFile(
      read(`
machines: [ { machineId: B, topicRoot: b, registrationKey: seeded-secret-1, mqttPassword: seeded-secret-2 }, { machineId: A, topicRoot: a } ]
catalogs: [ { catalogId: 10, name: Ten }, { catalogId: 9, name: Nine, default: true } ]
apiKeys: [ { principal: erp, role: business, key: seeded-secret-3-of-20-or-more } ]
users: [ { name: pat, role: admin, password: seeded-secret-4 } ]
mqttAccounts: [ { name: historian, password: seeded-secret-5, read: [ '#' ], machines: [ A ] } ]
`),
    );
    const text = await exported();
    expect(text).toMatch(/^# The plant of this gateway, without secrets: API keys and users are left out/);
    const kinds = [...text.matchAll(/^\w+/gm)].map(String);
    expect(kinds).toEqual(
      'catalogs locations machines parts downtimeReasons reasonCodes coils tasks profiles orders mqttAccounts'.split(
        ' ',
      ),
    );
    expect([...text.matchAll(/(?:machineId|catalogId): (.*)/g)].map(([, id]) => id)).toEqual(['9', '10', 'A', 'B']);
    expect(text).not.toMatch(/seeded-secret|sha256|scrypt|Hash/);
    expect(text).toContain('historian');
    const before = [
      gateway.plant.machines(),
      gateway.plant.mqttAccounts(),
      gateway.plant.apiKeys(),
      gateway.plant.users(),
    ];
    expect(await gateway.plant.applyFile(read(text))).toEqual([]);
    expect([
      gateway.plant.machines(),
      gateway.plant.mqttAccounts(),
      gateway.plant.apiKeys(),
      gateway.plant.users(),
    ]).toEqual(before);
    const [hash = ''] = gateway.plant.machines().flatMap(({ registrationKeyHash }) => registrationKeyHash ?? []);
    expect(await createSecrets().verify(hash, 'seeded-secret-1')).toBe(true);
  });

  it('prints more coils than fit one answer, each once, and their live state', async () => {
    const { gateway, exported } = await start();
    const coils = Array.from({ length: 2_345 }, (_, index) => ({ coilId: `C-${index}`, location: 'A' }));
    const locations = ['A', 'B'].map((code) => ({ code, name: code, category: 'Bin' }));
    await gateway.plant.applyFile(read(fileOf({ locations, coils })));
    await gateway.store.write([{ kind: 'coilLocation', coilId: 'C-7', location: 'B' }]);
    const back = read(await exported());
    expect(back.coils.map(({ coilId }) => coilId)).toEqual(coils.map(({ coilId }) => coilId).sort());
    expect(back.coils.filter(({ location }) => location === 'B')).toMatchObject([{ coilId: 'C-7' }]);
  });

  it('prints a valid plant file even for a gateway without a plant', async () => {
    const { gateway, exported } = await start();
    expect(await gateway.plant.applyFile(read(await exported()))).toEqual([]);
  });

  it('reports an unfinished export, and prints nothing if the gateway does not answer', async () => {
    const { cli } = await start();
    const server = await answeringServer((place, response) => {
      if (place.includes('/tasks')) sendJson(response, { errors: ['no disk'] }, 503);
      else sendJson(response, []);
    });
    ends.push(server.close);
    await cli.standBeside(server.url, 'key');
    const { exitCode, out, err } = await cli.run('export');
    expect([exitCode, out.at(-1)]).toEqual([69, 'coils: []']);
    expect(err.join()).toContain('503');
    await server.close();
    expect(await cli.run('export')).toMatchObject({ exitCode: 69, out: [] });
  });
});
