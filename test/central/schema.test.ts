import { randomUUID } from 'node:crypto';
import { getTableColumns, is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { afterAll, expect, it } from 'vitest';
import { migrate } from '../../src/central/postgres/migrate.ts';
import * as business from '../../src/central/postgres/schema/business.ts';
import * as fleetProduction from '../../src/central/postgres/schema/fleet-production.ts';
import * as machines from '../../src/central/postgres/schema/machines.ts';
import * as points from '../../src/central/postgres/schema/points.ts';
import * as received from '../../src/central/postgres/schema/received.ts';
import * as updates from '../../src/central/postgres/schema/updates.ts';
import { endPostgresServer, openTestPostgres, postgresServer } from './central-under-test.ts';

afterAll(endPostgresServer);

const TABLES = [business, fleetProduction, machines, points, received, updates].flatMap((module) =>
  Object.values<unknown>(module).filter((value): value is PgTable => is(value, PgTable)),
);

interface Column {
  readonly table_name: string;
  readonly column_name: string;
  readonly type: string;
  readonly is_nullable: string;
}

it('D-100 the migrated database has the tables of the schema, column for column', async () => {
  const postgres = await openTestPostgres();
  const found = await postgres.query<Column>(
    `SELECT table_name, column_name, is_nullable, format_type(att.atttypid, att.atttypmod) AS type
     FROM information_schema.columns JOIN pg_attribute AS att
       ON att.attrelid = format('central.%I', table_name)::regclass AND att.attname = column_name
     JOIN pg_class ON pg_class.oid = attrelid AND relkind <> 'v'
     WHERE table_schema = 'central' AND table_name NOT LIKE 'point%\\_%\\_%' ORDER BY 1, 2`,
  );
  const expected = TABLES.flatMap((table) =>
    Object.values(getTableColumns(table)).map((column) => ({
      table_name: getTableConfig(table).name,
      column_name: column.name,
      is_nullable: column.notNull ? 'NO' : 'YES',
      type: column.getSQLType(),
    })),
  );
  const order = (column: Column) => `${column.table_name} ${column.column_name}`;
  const sorted = (columns: readonly Column[]) => columns.toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
  expect(sorted(found)).toEqual(sorted(expected));
});

it('D-100 texts are compared byte by byte, whatever the language of the database', async () => {
  const postgres = await openTestPostgres();
  const others = await postgres.query(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'central' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`,
  );
  expect(others).toEqual([]);
});

it('D-100 several nodes that start at the same time migrate once, and a newer schema is refused', async () => {
  const postgres = await openTestPostgres();
  await postgres.script('DROP SCHEMA central, plantgate CASCADE; DROP TABLE plantgate_schema');
  await Promise.all(Array.from({ length: 5 }, () => migrate(postgres)));
  await postgres.run('INSERT INTO plantgate_schema VALUES (99, 98)');
  await expect(migrate(postgres)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/^the database has schema 99 for programs that know schema 98/),
  });
  await postgres.run('UPDATE plantgate_schema SET works_from = 1 WHERE number = 99');
  await expect(migrate(postgres)).resolves.toBeUndefined();
});

it('D-100 a database that cannot keep every text is refused', async () => {
  const postgres = await openTestPostgres();
  const name = `latin-${randomUUID()}`;
  await postgres.run(`CREATE DATABASE "${name}" ENCODING 'LATIN1' TEMPLATE template0`);
  const url = (await postgresServer()).url(name);
  await expect(openTestPostgres(url)).rejects.toThrow('the database has the encoding LATIN1, expected UTF8');
});
