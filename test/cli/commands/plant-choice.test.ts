import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openConnection } from '../../../src/adapters/store/thread/database/connection.ts';
import { migrate } from '../../../src/adapters/store/thread/database/migrations.ts';
import { sendJson, useCliBeside } from '../program-under-test.ts';

const { cli, requests } = useCliBeside((place, response) =>
  sendJson(response, place.endsWith('/loads') ? { loadId: 'L-1' } : []),
);

const placesOf = (choice: string) =>
  requests.map(({ path: place }) => (place.startsWith(choice) ? place.slice(choice.length) : `outside: ${place}`));

it('D-108 apply and export act in the plant that is named, and else name none', async () => {
  const file = path.join(cli.dir, 'line.yaml');
  writeFileSync(file, 'parts: [ { partId: P-100, partName: Panel 100 } ]\n');
  await cli.run('apply', file, '--plant', 'tulsa');
  expect(placesOf('/plant/tulsa')).toEqual([
    '/api/local/plant/loads',
    '/api/local/plant/loads/L-1/records/parts',
    '/api/local/plant/loads/L-1/finish',
  ]);
  requests.length = 0;
  await cli.run('export', '--plant', 'tulsa');
  expect(placesOf('/plant/tulsa/api/local/plant').join()).toMatch(/^\/catalogs,\/locations,\/machines/);
  requests.length = 0;
  await cli.run('apply', file);
  expect(placesOf('')[0]).toBe('/api/local/plant/loads');
});

it('D-108 a backup is that of the plant that is named, and goes back into its directory', async () => {
  const file = path.join(cli.dir, 'tulsa.db');
  await cli.run('backup', file, '--plant', 'tulsa');
  expect(requests.map(({ path: place }) => place)).toEqual(['/plant/tulsa/api/local/backups']);
  const connection = openConnection(file);
  migrate(connection);
  connection.close();
  writeFileSync(path.join(cli.dir, 'plantgate.yaml'), `dataDir: ${cli.dir}\n`);
  expect(await cli.run('restore', file, '--plant', 'tulsa')).toMatchObject({ exitCode: 0 });
  expect(readdirSync(path.join(cli.dir, 'plants', 'tulsa'))).toContain('plantgate.db');
});
