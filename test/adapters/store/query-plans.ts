import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Connection, openConnection } from '../../../src/adapters/store/thread/database/connection.ts';
import { migrate } from '../../../src/adapters/store/thread/database/migrations.ts';
import { newDataDir } from './open-test-store.ts';

/** An empty database with the present schema. */
export function openSchema(): Connection {
  const connection = openConnection(join(newDataDir(), 'plantgate.db'));
  onTestFinished(() => {
    connection.close();
  });
  migrate(connection);
  return connection;
}

/** Every statement that `open` prepares. */
export function preparedStatements(connection: Connection, open: (recording: Connection) => void): readonly string[] {
  const statements: string[] = [];
  const recording = new Proxy(connection, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name);
      return (sql: string) => {
        statements.push(sql);
        return target.prepare(sql);
      };
    },
  });
  open(recording);
  return statements;
}

/** The steps of a statement as SQLite plans them. */
export function planOf(connection: Connection, sql: string): readonly string[] {
  const plan = `EXPLAIN QUERY PLAN ${sql.replaceAll(/\?|@\w+/g, '1')}`;
  return connection
    .prepare<[], { detail: string }>(plan)
    .all()
    .map(({ detail }) => detail);
}
