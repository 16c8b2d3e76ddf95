import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { type Connection, openConnection } from '../../../../src/adapters/store/thread/database/connection.ts';
import { migrate } from '../../../../src/adapters/store/thread/database/migrations.ts';
import { restoreState } from '../../../../src/adapters/store/thread/restore.ts';
import { newDataDir, point } from '../open-test-store.ts';
import { openTestCore } from './open-test-core.ts';

/** Tables that hold what is, not what was: they do not grow with the years. */
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

it('VAR-04 a start leaves the sorting of points for later, in slices, and counts them all the same', () => {
  const dataDir = newDataDir();
  const before = openTestCore(dataDir);
  before.store(Array.from({ length: 40 }, (_, index) => point(index)));
  before.store(Array.from({ length: 2 }, (_, index) => point(40 + index)));
  before.close();
  const after = openTestCore(dataDir, 'run 2');
  expect({ count: after.recent.count, isSorting: after.recent.isSorting }).toEqual({ count: 42, isSorting: true });
  after.store([point(42)]);
  while (after.recent.isSorting) after.recent.slice();
  expect([...after.recent.counts().values()]).toEqual([43]);
  expect(after.recent.of(1)?.value).toEqual(Array.from({ length: 43 }, (_, index) => index));
});
