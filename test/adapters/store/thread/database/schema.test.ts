import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import Database from 'better-sqlite3';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { beforeAll, expect, it } from 'vitest';
import { MIGRATIONS, migrate } from '../../../../../src/adapters/store/thread/database/migrations.ts';

const require = createRequire(import.meta.url);
const DATABASE = path.resolve(import.meta.dirname, '../../../../../src/adapters/store/thread/database');

/** The tables of schema/, each by its name in SQLite. */
const tables = new Map<string, SQLiteTable>();
let exported: Record<string, unknown> = {};

beforeAll(async () => {
  for (const file of readdirSync(path.join(DATABASE, 'schema'))) {
    exported = { ...exported, ...(await import(path.join(DATABASE, 'schema', file))) };
  }
  for (const table of Object.values(exported)) {
    if (table instanceof SQLiteTable) tables.set(getTableConfig(table).name, table);
  }
});

/** The migrated database, as SQLite describes it. */
function migrated() {
  const database = new Database(':memory:');
  migrate(database);
  const names = database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
  return new Map(names.map((name) => [name, described(database, name)]));
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

function described(database: Database.Database, table: string) {
  const columns = database.pragma(`table_info(${table})`) as ColumnRow[];
  const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  const indexes = database.pragma(`index_list(${table})`) as { name: string; unique: number; origin: string }[];
  return {
    columns: columns.map(({ name, type, notnull, dflt_value }) => [
      name,
      type.toLowerCase(),
      notnull === 1,
      dflt_value,
    ]),
    key: key.map(({ name }) => name),
    indexes: indexes
      .filter(({ origin }) => origin !== 'pk')
      .map(({ name, unique }) => {
        const parts = database.pragma(`index_info(${name})`) as { name: string }[];
        const sql = database
          .prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?')
          .pluck()
          .get(name);
        const where = / WHERE (.*)$/.exec(sql ?? '')?.[1] ?? null;
        return [name, unique === 1, parts.map((part) => part.name), where];
      })
      .sort(),
  };
}

/** The same of a table of schema/. */
function declared(table: SQLiteTable) {
  const { columns, primaryKeys, indexes, uniqueConstraints } = getTableConfig(table);
  const sqlOf = (part: unknown) => {
    const { queryChunks } = part as { queryChunks: readonly { value: readonly string[] }[] };
    return queryChunks.map(({ value }) => value.join('')).join('');
  };
  // `name COLLATE NOCASE` is about the column `name`.
  const nameOf = (part: unknown) => {
    const { name } = part as { name?: string };
    return name ?? sqlOf(part).split(' ')[0];
  };
  const unique = [
    ...columns.filter(({ isUnique }) => isUnique).map(({ uniqueName, name }) => [uniqueName, true, [name], null]),
    ...uniqueConstraints.map((constraint) => [constraint.getName(), true, constraint.columns.map(nameOf), null]),
  ];
  return {
    columns: columns.map((column) => {
      const byDefault = column.default === undefined ? null : `'${column.default}'`;
      return [column.name, column.getSQLType(), column.notNull, byDefault];
    }),
    key: primaryKeys[0]?.columns.map(({ name }) => name) ?? columns.filter(({ primary }) => primary).map(nameOf),
    indexes: [
      ...unique,
      ...indexes.map(({ config }) => [
        ...[config.name, config.unique, config.columns.map(nameOf)],
        config.where === undefined ? null : sqlOf(config.where),
      ]),
    ].sort(),
  };
}

it('the migrations make the tables of the schema, with their columns, keys and indexes, and no others', () => {
  const expected = new Map([...tables].map(([name, table]) => [name, declared(table)]));
  const made = migrated();
  expect([...made.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [name, table] of expected) expect({ [name]: made.get(name) }).toEqual({ [name]: table });
});

it('no change of the schema is without a migration: "npm run migration" has nothing to do', async () => {
  const kit: typeof import('drizzle-kit/api') = require('drizzle-kit/api');
  const last = `${String(MIGRATIONS.length - 1).padStart(4, '0')}_snapshot.json`;
  const snapshot = require(path.join(DATABASE, 'migrations/meta', last));
  const present = await kit.generateSQLiteDrizzleJson(exported);
  expect(await kit.generateSQLiteMigration(snapshot, present)).toEqual([]);
});
