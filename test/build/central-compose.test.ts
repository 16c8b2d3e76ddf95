import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { migrate } from '../../src/central/postgres/migrate.ts';
import { Postgres } from '../../src/central/postgres/postgres.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { quietLog } from '../adapters/store/open-test-store.ts';

const PLACE = path.resolve(import.meta.dirname, '../../packaging/central');
const text = (file: string) => readFileSync(path.join(PLACE, file), 'utf8');

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly depends_on?: Readonly<Record<string, object>>;
  readonly build?: { readonly context: string; readonly dockerfile: string };
}

const compose = parse(text('compose.yaml')) as {
  readonly services: Readonly<Record<'database' | 'central' | 'grafana', Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const { database, central, grafana } = compose.services;
const source = parse(text('grafana/datasource.yaml')).datasources[0];

/** `${NAME:?}` as Compose fills it in. */
function filledIn(value: string): string {
  return value.replaceAll(/\$\{(\w+):\?\}/g, (_, name: string) => name.toLowerCase());
}

it('D-101 the compose file asks for the variables that its first lines set, and for files that exist', () => {
  const [, names = ''] = /for NAME in ([A-Z_ ]+);/.exec(text('compose.yaml')) ?? [];
  const asked = [...text('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
  expect(new Set(asked)).toEqual(new Set(names.split(' ')));
  for (const { volumes, depends_on: needs = {} } of Object.values(compose.services)) {
    for (const name of Object.keys(needs)) expect(compose.services).toHaveProperty(name);
    for (const [from = ''] of volumes.map((volume) => volume.split(':'))) {
      if (from.startsWith('.')) expect(existsSync(path.join(PLACE, from)), from).toBe(true);
      else expect(compose.volumes).toHaveProperty(from);
    }
  }
  const { context = '', dockerfile = '' } = central.build ?? {};
  expect(existsSync(path.join(PLACE, context, dockerfile)), dockerfile).toBe(true);
});

it('D-101 the central server of the compose file finds its database', () => {
  const environment = Object.fromEntries(
    Object.entries(central.environment).map(([name, value]) => [name, filledIn(value)]),
  );
  const { config } = loadConfig({ environment, cwd: PLACE, hostName: 'container', timeZone: 'UTC' });
  const { POSTGRES_USER: user, POSTGRES_DB: name, POSTGRES_PASSWORD: password = '' } = database.environment;
  expect(config.storage.postgres?.url).toBe(`postgres://${user}:${filledIn(password)}@database:5432/${name}`);
  expect(config.gatewayId).toBe('central');
});

it('D-101 Grafana of the compose file gets the dashboards, and reads the views as its own user', async () => {
  const mounted = grafana.volumes.flatMap((volume) => {
    const [from = '', to = ''] = volume.split(':');
    return from.endsWith('.json') ? [[path.basename(from), path.dirname(to)]] : [];
  });
  const { path: folder } = parse(text('grafana/dashboards.yaml')).providers[0].options;
  const overPostgres = readdirSync(path.join(PLACE, '../../docs/monitoring')).filter((file) => {
    return file.endsWith('.json') && text(`../../docs/monitoring/${file}`).includes(`"${source.type}"`);
  });
  expect(mounted).toEqual(overPostgres.map((file) => [file, folder]));
  expect(source.secureJsonData.password).toBe('$GRAFANA_DB_PASSWORD');

  const server = await LocalPostgres.start();
  onTestFinished(() => server.end());
  const url = await server.createDatabase(source.jsonData.database);
  const owner = new pg.Client(url);
  await owner.connect();
  const [, script = ''] = /<<'SQL'\n([\s\S]+)SQL\n$/.exec(text('readers.sh')) ?? [];
  await owner.query(script.replace(":'password'", "'secret'"));
  await owner.end();
  const postgres = new Postgres({ url, maxConnections: 2, log: quietLog });
  onTestFinished(() => postgres.close());
  await migrate(postgres);
  const address = new URL(url);
  address.username = source.user;
  const reader = new pg.Client(address.href);
  await reader.connect();
  onTestFinished(() => reader.end());
  expect((await reader.query('SELECT * FROM plantgate.production')).rows).toEqual([]);
});
