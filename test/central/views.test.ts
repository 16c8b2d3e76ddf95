import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/central/postgres/migrate.ts';
import { Postgres } from '../../src/central/postgres/postgres.ts';
import { receivedMachineId } from '../../src/domain/sync/received-id.ts';
import { LocalPostgres } from '../../tools/postgres/local-postgres.ts';
import { quietLog, RF1, SHIFT_DATE, START_AT } from '../adapters/store/open-test-store.ts';
import { endPostgresServer, postgresServer } from './central-under-test.ts';
import { HOUR_MS, openReportedCentral, secondsOf, shiftFact, statusFact, stopFact } from './reporting-gateways.ts';

afterAll(endPostgresServer);

/** A name may have a slash. */
const GATEWAY = 'plant/north';
const OWN = { plant_id: 'default', gateway_id: GATEWAY, machine_id: 'RF-01' };
const GUIDE = readFileSync(path.resolve(import.meta.dirname, '../../docs/central-server.md'), 'utf8');

async function newCentral() {
  return openReportedCentral(await (await postgresServer()).createDatabase(`views-${randomUUID()}`));
}

it('D-101 the views show a machine’s state, stops and production, as the API does', async () => {
  const { send, read, store } = await newCentral();
  const part = { partId: 'P-100', partName: 'Panel 100', selectedAt: START_AT, selectedBy: 'device' } as const;
  const span = {
    spanId: 'one',
    machineId: RF1,
    activity: 'down',
    startedAt: START_AT + HOUR_MS,
    endedAt: null,
  } as const;
  await send(GATEWAY, [
    shiftFact({ goodParts: 90, badParts: 10, cycles: 100, runningMs: 5_400_000, downMs: 600_500 }),
    stopFact(START_AT, START_AT + 90_000, 'jam'),
    stopFact(START_AT + HOUR_MS, null, null),
    statusFact(
      JSON.stringify({ machineId: 'RF-01', running: false, goodPart: 90, mSecSinceBoot: 7_000, partId: 'P-100' }),
    ),
    { kind: 'part', machineId: 'RF-01', part, at: START_AT },
    { kind: 'span', span },
  ]);
  const machineId = receivedMachineId(GATEWAY, 'RF-01');
  const later = new Date(START_AT + HOUR_MS);

  const [shift] = await store.shifts(machineId, SHIFT_DATE);
  expect(await read("SELECT *, shift_date::text FROM plantgate.production WHERE shift_date = '2026-03-04'")).toEqual([
    {
      ...OWN,
      shift_date: shift?.shiftDate,
      shift_name: shift?.shiftName,
      good_parts: shift?.totals.goodParts,
      bad_parts: shift?.totals.badParts,
      cycles: 100,
      running_seconds: 5_400,
      stopped_seconds: 0,
      down_seconds: 600.5,
      fault_seconds: 0,
      offline_seconds: 0,
      override_seconds: 0,
    },
  ]);

  const downtimes = await store.downtimes(machineId, { uncategorizedOnly: false, limit: 10, behind: null });
  const stops = await read<{ downtime_id: string; started_at: Date; ended_at: Date | null }>(
    'SELECT downtime_id, started_at, ended_at, reason_id FROM plantgate.downtime ORDER BY started_at DESC',
  );
  expect(
    stops.map((stop) => [`${GATEWAY}/${stop.downtime_id}`, stop.started_at.getTime(), stop.ended_at?.getTime()]),
  ).toEqual(downtimes.map((stop) => [stop.downtimeId, stop.startedAt, stop.endedAt ?? undefined]));
  expect(await read('SELECT duration_seconds FROM plantgate.downtime WHERE ended_at IS NOT NULL')).toEqual([
    { duration_seconds: 90 },
  ]);

  expect(await read('SELECT * FROM plantgate.machine')).toEqual([
    {
      ...OWN,
      activity: 'down',
      activity_since: later,
      stop_since: later,
      stop_reason_id: null,
      part_id: 'P-100',
      part_name: 'Panel 100',
      status_time: new Date(START_AT),
    },
  ]);
  expect(await read('SELECT * FROM plantgate.status')).toMatchObject([
    {
      ...OWN,
      time: new Date(START_AT),
      running: false,
      override: null,
      good_part: 90,
      seconds_since_boot: 7,
      part_id: 'P-100',
    },
  ]);
  expect(await read('SELECT gateway_id, name, machines, is_silent FROM plantgate.gateway')).toEqual([
    { gateway_id: GATEWAY, name: null, machines: 1, is_silent: true },
  ]);
});

it('D-101 a gateway’s view has its name and its newest report', async () => {
  const { send, read, store, postgres } = await newCentral();
  await send(GATEWAY, [statusFact('{}')]);
  await store.write([{ kind: 'gatewayRenamed', gatewayId: GATEWAY, name: 'North hall' }]);
  const health = {
    ...{
      version: '0.1.0',
      timeZone: 'Europe/Berlin',
      machines: 1,
      setAside: 2,
      openAlerts: 3,
      certificateLeftMs: null,
    },
    queue: { records: 4, oldestAgeMs: 5_000 },
    disk: { freePercent: 41.5, leastPercent: 10 },
    backups: { newestAgeMs: 6_000 },
    exchange: { sentAt: 10_000, roundTripMs: 200, receivedAt: 9_000 },
  };
  const report = JSON.stringify({ receivedAt: START_AT, health });
  await postgres.run('UPDATE central.gateway SET report = $1, heard_at = $2', [report, Date.now()]);
  expect(await read('SELECT * FROM plantgate.gateway')).toMatchObject([
    {
      name: 'North hall',
      is_silent: false,
      version: '0.1.0',
      time_zone: 'Europe/Berlin',
      reported_at: new Date(START_AT),
      queue_records: 4,
      queue_oldest_seconds: 5,
      set_aside: 2,
      open_alerts: 3,
      disk_free_percent: 41.5,
      backup_age_seconds: 6,
      certificate_left_seconds: null,
      clock_ahead_seconds: 1.1,
    },
  ]);
});

it('D-101 one gateway with impossible times, dates and statuses does not make a view fail', async () => {
  const { send, read } = await newCentral();
  const first = -8.64e15;
  await send(GATEWAY, [
    shiftFact({ goodParts: Number.MAX_SAFE_INTEGER }, '2026-02-31'),
    shiftFact({ goodParts: 7 }, '0000-13-99'),
    stopFact(first, 8.64e15, '\u0000'),
    statusFact('no JSON', first),
  ]);
  await send(
    'plant2',
    [statusFact('{"partId":"\\u0000","running":"yes","goodPart":1e999}')],
    [secondsOf('v', first, 2)],
  );
  for (const view of ['gateway', 'machine', 'status', 'downtime', 'production', 'variable', 'point']) {
    expect((await read(`SELECT * FROM plantgate.${view}`)).length, view).toBeGreaterThan(0);
  }
  expect(await read('SELECT shift_date::text FROM plantgate.production ORDER BY 1')).toEqual([
    { shift_date: '0001-12-31' },
    { shift_date: '2026-03-03' },
  ]);
});

it('D-101 points come as rows, from rows of batches and of hours alike, as the API gives them', async () => {
  const { send, read, store, postgres } = await newCentral();
  await send(GATEWAY, [], [secondsOf('lineSpeed', START_AT - 60_000, 120)]);
  const stored = async () => {
    const rows = await read<{ time: Date; value: number }>('SELECT time, value FROM plantgate.point ORDER BY time');
    return rows.map(({ time, value }) => ({ at: time.getTime(), value }));
  };
  const { points } = await store.variablePoints(receivedMachineId(GATEWAY, 'RF-01'), 'lineSpeed', {
    shiftDate: SHIFT_DATE,
  });
  expect(points).toHaveLength(120);
  expect(await stored()).toEqual(points);
  await postgres.script(
    'INSERT INTO central.point_hour SELECT * FROM central.point_run; DELETE FROM central.point_run',
  );
  expect(await stored()).toEqual(points);
  expect(await read('SELECT DISTINCT machine_id, name, shift_date::text FROM plantgate.point')).toEqual([
    { machine_id: 'RF-01', name: 'lineSpeed', shift_date: SHIFT_DATE },
  ]);
});

it('D-101 a machine, a name and a time range of points read their rows alone, and no other partition', async () => {
  const { read, postgres } = await newCentral();
  const days = Array.from({ length: 40 }, (_, day) => day);
  const partitions = days.map(
    (day) => `CREATE TABLE central.point_run_d${day} PARTITION OF central.point_run
      FOR VALUES FROM (${day * 24 * HOUR_MS}) TO (${(day + 1) * 24 * HOUR_MS})`,
  );
  await postgres.script(`${partitions.join(';')};
    INSERT INTO central.series (machine_id, name)
      SELECT '${GATEWAY}/RF-' || machine, 'v' || number FROM generate_series(1, 50) AS machine, generate_series(1, 50) AS number;
    INSERT INTO central.point_run SELECT series_id, hour / 24, hour * ${HOUR_MS}::bigint, ARRAY[1000], ARRAY[hour, 1]::float8[]
      FROM central.series, generate_series(0, ${days.length * 24 - 1}, 6) AS hour WHERE series_id <= 100;
    ANALYZE`);
  const where = `WHERE gateway_id = '${GATEWAY}' AND machine_id = 'RF-1' AND name = 'v7'`;
  const range = "'1970-01-11T06:00Z', '1970-01-12T06:00Z'";
  const call = `plantgate.point_between(${range}) ${where}`;
  expect(await read(`SELECT value FROM ${call} ORDER BY time`)).toEqual(
    [246, 1, 252, 1, 258, 1, 264, 1].map((value) => ({ value })),
  );
  const plan = async (query: string) =>
    (await read<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, COSTS OFF) ${query}`))
      .map((row) => row['QUERY PLAN'])
      .join('\n');
  const tablesOf = (text: string) => new Set(text.match(/point_run_d\d+(?= point_run)/g));
  const narrow = await plan(`SELECT time, value FROM ${call}`);
  expect(narrow).toContain('series_by_gateway');
  expect(narrow).toMatch(/Index Cond: .*series_id = series\.series_id.*start_at >/);
  expect(tablesOf(narrow)).toEqual(new Set(['point_run_d10', 'point_run_d11']));
  const wide = await plan(
    `SELECT time, value FROM plantgate.point ${where} AND time >= '1970-01-11' AND start_ms >= 864000000`,
  );
  expect(tablesOf(wide).size).toBe(30);
});

it.each(['gateway', 'machine', 'status'])('D-101 plantgate.%s reads the JSON of a row once', async (view) => {
  const { read } = await newCentral();
  const plan = await read<{ 'QUERY PLAN': string }>(`EXPLAIN (VERBOSE) SELECT * FROM plantgate.${view}`);
  // Else the columns above have it within their expressions.
  const readings = plan.filter((row) => /^ *Output: central\.json_or_null\(\w+\."?\w+"?\)$/.test(row['QUERY PLAN']));
  expect(readings).toHaveLength(1);
});

it('D-101 a reader reads the views, and neither the tables nor writes anything', async () => {
  const { read, send } = await newCentral();
  await send(GATEWAY, [shiftFact({ goodParts: 1 })]);
  for (const refused of [
    'SELECT * FROM central.shift_totals',
    'SELECT * FROM public.plantgate_schema',
    'DELETE FROM plantgate.production',
    "UPDATE plantgate.downtime SET note = 'x'",
    'CREATE TABLE plantgate.own (id int)',
  ]) {
    await expect(read(refused), refused).rejects.toThrow(/permission denied|cannot (delete from|update) view/);
  }
  const unguarded = await read(
    `SELECT relname FROM pg_class WHERE relnamespace = 'plantgate'::regnamespace AND relkind = 'v'
     AND NOT coalesce(reloptions @> '{security_barrier=true}', false)`,
  );
  expect(unguarded).toEqual([]);
});

it('D-101 central-server.md describes every column of the views with its type', async () => {
  const { read } = await newCentral();
  const columns = await read<{ view: string; name: string; type: string }>(
    `SELECT relname AS view, attname AS name, format_type(atttypid, NULL) AS type
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = 'plantgate'::regnamespace AND relkind = 'v' AND attnum > 0 ORDER BY relname, attnum`,
  );
  const short: Readonly<Record<string, string>> = {
    'timestamp with time zone': 'timestamptz',
    'double precision': 'double',
  };
  expect(columns.length).toBeGreaterThan(60);
  const described = [...GUIDE.matchAll(/^\| `plantgate\.(\w+)` \| `(\w+)` \| (\w+) \|/gm)].map(([, ...cells]) =>
    cells.join(' '),
  );
  const present = columns.map(({ view, name, type }) => `${view} ${name} ${short[type] ?? type}`);
  expect(described.toSorted()).toEqual(present.toSorted());
});

it('D-101 an owner who may not create roles gets all but the role, which an administrator makes later', async () => {
  const server = await LocalPostgres.start();
  onTestFinished(() => server.end());
  const admin = new pg.Client(await server.createDatabase('plants'));
  await admin.connect();
  onTestFinished(() => admin.end());
  await admin.query(
    'CREATE ROLE owner LOGIN; ALTER DATABASE plants OWNER TO owner; ALTER SCHEMA public OWNER TO owner',
  );
  const address = new URL(server.url('plants'));
  address.username = 'owner';
  const warnings: string[] = [];
  const log = { ...quietLog, warn: (_: object, text: string) => void warnings.push(text) };
  const postgres = new Postgres({ url: address.href, maxConnections: 2, log });
  onTestFinished(() => postgres.close());
  await migrate(postgres);
  expect(warnings).toEqual(
    ['plantgate_reader', 'plantgate_plant_reader'].map((role) =>
      expect.stringMatching(
        `the role ${role}, .*: an administrator may do it \\(central-server.md, The role plantgate_reader`,
      ),
    ),
  );
  const script = /^CREATE ROLE plantgate_reader[^`]+/m.exec(GUIDE)?.[0] ?? expect.fail('the guide has no script');
  await admin.query(script);
  for (const role of ['plantgate_reader', 'plantgate_plant_reader']) {
    await admin.query(`SET ROLE ${role}`);
    expect((await admin.query('SELECT * FROM plantgate.production')).rows).toEqual([]);
    await admin.query('RESET ROLE');
  }
});

it('D-101 databases of one server share the role, made by whichever is first', async () => {
  const server = await LocalPostgres.start();
  onTestFinished(() => server.end());
  const urls = await Promise.all(['one', 'two', 'three'].map((name) => server.createDatabase(name)));
  const nodes = urls.map((url) => new Postgres({ url, maxConnections: 2, log: quietLog }));
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
  await Promise.all(nodes.map(migrate));
  for (const node of nodes) {
    expect(
      await node.query("SELECT has_table_privilege('plantgate_reader', 'plantgate.point', 'SELECT') AS may"),
    ).toEqual([{ may: true }]);
  }
});
