import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { endPostgresServer, postgresServer } from './central-under-test.ts';
import {
  HOUR_MS,
  openReportedCentral,
  type ReportedCentral,
  secondsOf,
  shiftFact,
  statusFact,
  stopFact,
} from './reporting-gateways.ts';

afterAll(endPostgresServer);

const VIEWS = ['gateway', 'machine', 'status', 'downtime', 'production', 'variable', 'point'];
const PLANTS = ['dayton', 'default', 'tulsa'];

/** A central server to which a gateway of each plant has sent, and `admin`, who may do everything in its database. */
async function threePlants() {
  const central = await openReportedCentral(await (await postgresServer()).createDatabase(`readers-${randomUUID()}`));
  const from = Date.UTC(2026, 2, 3, 12);
  for (const plantId of PLANTS) {
    const facts = [
      shiftFact({ goodParts: 1 }),
      stopFact(from, from + HOUR_MS, `secret of ${plantId}`),
      statusFact('{}'),
    ];
    await central.send(`${plantId}/north`, facts, [secondsOf('speed', from, 3)], plantId);
  }
  const admin = await signIn(central);
  return { central, admin };
}

async function signIn({ url }: ReportedCentral, role?: string): Promise<pg.Client> {
  const address = new URL(url);
  if (role !== undefined) address.username = role;
  const client = new pg.Client({ connectionString: address.href, options: '-c TimeZone=UTC' });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function plantsSeenBy(reader: pg.Client) {
  const seen: Record<string, readonly string[]> = {};
  for (const view of VIEWS) {
    const { rows } = await reader.query(`SELECT DISTINCT plant_id, gateway_id FROM plantgate.${view} ORDER BY 1`);
    for (const { plant_id, gateway_id } of rows) expect(gateway_id).toBe(`${plant_id}/north`);
    seen[view] = rows.map(({ plant_id }) => plant_id);
  }
  return seen;
}

const inEveryView = (plants: readonly string[]) => Object.fromEntries(VIEWS.map((view) => [view, plants]));

/** `*` stands for a name of its own in each row. */
const READERS: readonly [string, string, readonly string[]][] = [
  ['of all plants', 'CREATE ROLE "*" LOGIN IN ROLE plantgate_reader', PLANTS],
  ['without a plant', 'CREATE ROLE "*" LOGIN IN ROLE plantgate_plant_reader', []],
  [
    'of one plant',
    `CREATE ROLE "*" LOGIN IN ROLE plantgate_plant_reader; INSERT INTO central.reader_plant VALUES ('*', 'tulsa')`,
    ['tulsa'],
  ],
  [
    'of two plants',
    `CREATE ROLE "*" LOGIN IN ROLE plantgate_plant_reader;
     INSERT INTO central.reader_plant VALUES ('*', 'default'), ('*', 'dayton'), ('*', 'nowhere')`,
    ['dayton', 'default'],
  ],
  [
    'that has the plant of its group',
    `CREATE ROLE "group *" IN ROLE plantgate_plant_reader; INSERT INTO central.reader_plant VALUES ('group *', 'dayton');
     CREATE ROLE "*" LOGIN IN ROLE "group *"`,
    ['dayton'],
  ],
  [
    'of one plant and of all',
    `CREATE ROLE "*" LOGIN IN ROLE plantgate_plant_reader, plantgate_reader;
     INSERT INTO central.reader_plant VALUES ('*', 'tulsa')`,
    PLANTS,
  ],
  [
    'to which views were granted before plants were known',
    'CREATE ROLE "*" LOGIN; GRANT USAGE ON SCHEMA plantgate TO "*"; GRANT SELECT ON ALL TABLES IN SCHEMA plantgate TO "*"',
    PLANTS,
  ],
  [
    'that owns the database',
    'CREATE ROLE "*" LOGIN IN ROLE plantgate_plant_reader; ALTER SCHEMA central OWNER TO "*"',
    PLANTS,
  ],
];

it('D-108 readers of PostgreSQL see the rows of their plants in every view', async () => {
  const { central, admin } = await threePlants();
  expect(await plantsSeenBy(admin), 'a superuser').toEqual(inEveryView(PLANTS));
  for (const [who, making, plants] of READERS) {
    const name = `reader-${randomUUID()}`;
    await admin.query(making.replaceAll('*', name));
    expect(await plantsSeenBy(await signIn(central, name)), `a reader ${who}`).toEqual(inEveryView(plants));
  }
});

it('D-108 a reader of one plant gets at no other by another role, a table, or a function of its own', async () => {
  const { central, admin } = await threePlants();
  const name = `reader-${randomUUID()}`;
  await admin.query(`CREATE ROLE "${name}" LOGIN IN ROLE plantgate_plant_reader;
    INSERT INTO central.reader_plant VALUES ('${name}', 'tulsa'), ('plantgate_reader', 'dayton')`);
  const reader = await signIn(central, name);
  for (const refused of [
    'SET ROLE plantgate_reader',
    `SET SESSION AUTHORIZATION postgres`,
    'SELECT * FROM central.gateway',
    'SELECT * FROM central.read_gateway',
    `INSERT INTO central.reader_plant VALUES ('${name}', 'dayton')`,
  ])
    await expect(reader.query(refused), refused).rejects.toThrow('permission denied');
  await reader.query('SET ROLE plantgate_plant_reader');
  expect(await plantsSeenBy(reader)).toEqual(inEveryView(['tulsa']));
  await reader.query('RESET ROLE');
  const heard: string[] = [];
  reader.on('notice', ({ message = '' }) => void heard.push(message));
  await reader.query(`CREATE FUNCTION pg_temp.peek(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS
    $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$`);
  await reader.query('SELECT * FROM plantgate.downtime WHERE pg_temp.peek(reason_id)');
  expect(heard).toEqual(['secret of tulsa']);
});

it('D-108 the past of a gateway moves with it, and stays in its plant when it is retired', async () => {
  const { central, admin } = await threePlants();
  const seen = async () =>
    (await admin.query('SELECT plant_id, gateway_id FROM plantgate.downtime ORDER BY 2')).rows.map(
      ({ plant_id, gateway_id }) => `${gateway_id} ${plant_id}`,
    );
  await central.store.write([
    { kind: 'gatewayRetired', gatewayId: 'dayton/north' },
    { kind: 'gatewayRetired', gatewayId: 'default/north' },
  ]);
  await central.send('default/north', [statusFact('{}')], [], 'tulsa');
  expect(await seen()).toEqual(['dayton/north dayton', 'default/north tulsa', 'tulsa/north tulsa']);
  expect((await admin.query('SELECT gateway_id FROM plantgate.gateway ORDER BY 1')).rows).toEqual([
    { gateway_id: 'default/north' },
    { gateway_id: 'tulsa/north' },
  ]);
  await admin.query("DELETE FROM central.gateway WHERE gateway_id = 'dayton/north'");
  expect(await seen()).toContain('dayton/north default');
});
