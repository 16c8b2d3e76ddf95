import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { packSettings } from '../../../src/adapters/store/backup/packed-settings.ts';
import { openConnection } from '../../../src/adapters/store/thread/database/connection.ts';
import { migrate } from '../../../src/adapters/store/thread/database/migrations.ts';
import { useCli } from '../program-under-test.ts';

const SOUND = JSON.stringify({ upstream: { url: 'https://central/', apiKey: 'k' } });

const cli = useCli();

it.each([
  ['cannot be read as JSON', '{"upstream":'],
  ['break a rule', '{"shifts":{"timeZone":"Mars/Phobos"}}'],
])('D-48 a restore replaces settings of the page that %s, and keeps them', async (_, damaged) => {
  const backup = path.join(cli.dir, 'backup.db');
  const settings = path.join(cli.dir, 'settings.json');
  const connection = openConnection(backup);
  migrate(connection);
  connection.close();
  writeFileSync(settings, SOUND);
  packSettings(backup, settings);
  writeFileSync(settings, damaged);
  // A rule between the file and the settings that are replaced.
  writeFileSync(path.join(cli.dir, 'plantgate.yaml'), `dataDir: ${cli.dir}\nlegacyAgent: { kind: upstream }\n`);
  expect(await cli.run('restore', backup)).toMatchObject({ exitCode: 0, err: [] });
  expect(readFileSync(settings, 'utf8')).toBe(SOUND);
  const kept = readdirSync(cli.dir).find((name) => name.startsWith('settings.json.before-restore-')) ?? '';
  expect(readFileSync(path.join(cli.dir, kept), 'utf8')).toBe(damaged);
});

it.runIf(process.getuid?.() === 0)('a restore says whose a data directory is that it made', async () => {
  const backup = path.join(cli.dir, 'backup.db');
  const connection = openConnection(backup);
  migrate(connection);
  connection.close();
  const made = path.join(cli.dir, 'made');
  writeFileSync(path.join(cli.dir, 'plantgate.yaml'), `dataDir: ${made}\n`);
  const said = async () => (await cli.run('restore', backup)).out.join('\n');
  const told = `${made} was made now and belongs to root`;
  expect(await said()).toContain(told);
  expect(await said()).not.toContain(told);
});
