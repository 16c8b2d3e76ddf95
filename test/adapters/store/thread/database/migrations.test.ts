import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { transact } from '../../../../../src/adapters/store/thread/database/connection.ts';
import { MIGRATIONS, type Migration, migrate } from '../../../../../src/adapters/store/thread/database/migrations.ts';

const first: Migration = { number: 1, sql: 'CREATE TABLE part (id TEXT PRIMARY KEY)' };
const second: Migration = { number: 2, sql: "ALTER TABLE part ADD COLUMN name TEXT NOT NULL DEFAULT 'none'" };
const broken: Migration = { number: 3, sql: 'CREATE TABLE half (a); CREATE TABLE half (a)' };

it('a migration brings an older schema forward and keeps its rows', () => {
  const connection = new Database(':memory:');
  migrate(connection, [first]);
  connection.exec("INSERT INTO part VALUES ('P-100')");
  migrate(connection, [first, second]);
  migrate(connection, [first, second]);
  expect(connection.prepare('SELECT * FROM part').all()).toEqual([{ id: 'P-100', name: 'none' }]);
  expect(connection.pragma('user_version', { simple: true })).toBe(2);
});

it('a failed step leaves the schema unchanged', () => {
  const connection = new Database(':memory:');
  expect(() => migrate(connection, [first, second, broken])).toThrow('already exists');
  expect(connection.pragma('user_version', { simple: true })).toBe(2);
  expect(connection.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()).toEqual({ n: 0 });
});

it('a schema of a newer program is refused', () => {
  const connection = new Database(':memory:');
  migrate(connection, [first, second]);
  expect(() => migrate(connection, [first])).toThrow(expect.objectContaining({ refusal: 'newer-schema' }));
});

it('the steps are numbered from 1 without gaps', () => {
  expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

it('the types refuse a transaction that would wait', () => {
  const connection = new Database(':memory:');
  // @ts-expect-error a promise is no result of a transaction
  expect(() => transact(connection, async () => 1)).toThrow('promise');
  expect(transact(connection, () => 1)).toBe(1);
});
