import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { type Connection, openConnection } from '../../../../src/adapters/store/thread/database/connection.ts';
import { migrate } from '../../../../src/adapters/store/thread/database/migrations.ts';
import { restoreState } from '../../../../src/adapters/store/thread/restore.ts';
import { newDataDir } from '../open-test-store.ts';

/** Tables of the present state, which do not grow with the years. */
const PRESENT = /^SCAN (machine_state|machine_part|plant|broker_row|applied_batch|legacy_write)\b/;

function openSchema(): Connection {
  const connection = openConnection(join(newDataDir(), 'plantgate.db'));
  onTestFinished(() => {
    connection.close();
  });
  migrate(connection);
  return connection;
}

it('D-03 a start reads no row of the past: it takes as long after ten years as after a day', () => {
  const connection = openSchema();
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
  restoreState(drizzle(recording));
  const plans = statements.flatMap((sql) =>
    connection
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll('?', '1')}`)
      .all()
      .map(({ detail }) => detail),
  );
  expect(plans).toContain('SCAN downtime USING INDEX downtime_uncategorized');
  expect(plans.filter((detail) => /^SCAN/.test(detail) && !/ INDEX /.test(detail) && !PRESENT.test(detail))).toEqual(
    [],
  );
});
