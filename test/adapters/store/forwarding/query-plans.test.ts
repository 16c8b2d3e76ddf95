import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ClockEpochs } from '../../../../src/adapters/store/thread/clock-epochs.ts';
import { type Connection, openConnection } from '../../../../src/adapters/store/thread/database/connection.ts';
import { migrate } from '../../../../src/adapters/store/thread/database/migrations.ts';
import { openForwarding } from '../../../../src/adapters/store/thread/forwarding/forwarding.ts';
import { PointQueue } from '../../../../src/adapters/store/thread/forwarding/queue/point-queue.ts';
import { PointJournal } from '../../../../src/adapters/store/thread/variables/point-journal.ts';
import { RecentPoints } from '../../../../src/adapters/store/thread/variables/recent-points.ts';
import { newDataDir } from '../open-test-store.ts';
import { FORWARDING } from './queued-records.ts';

/** `queue_total` has one row for each class; the other is no table. */
const SMALL = /^SCAN (queue_total|CONSTANT ROW|\d+ CONSTANT ROWS?)$/;
/** Tables with a single row. */
const PROBED = /\bFROM variable_packing\b/;

function openSchema(): Connection {
  const connection = openConnection(join(newDataDir(), 'plantgate.db'));
  onTestFinished(() => {
    connection.close();
  });
  migrate(connection);
  return connection;
}

/** Every statement that forwarding prepares. */
function preparedStatements(connection: Connection): readonly string[] {
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
  const pointQueue = new PointQueue(recording);
  const journal = new PointJournal(recording, pointQueue, true);
  const epochs = new ClockEpochs(connection, 'run');
  const recent = new RecentPoints();
  openForwarding(recording, { epochs, journal, pointQueue, recent, settings: FORWARDING });
  return statements;
}

/** The statements within the triggers of the queue. */
function triggeredStatements(connection: Connection): readonly string[] {
  const triggers = connection.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").pluck().all();
  return triggers.flatMap((sql) =>
    sql
      .slice(sql.indexOf('BEGIN') + 'BEGIN'.length, sql.lastIndexOf('END'))
      .split(';')
      .map((statement) => statement.replaceAll(/\b(new|old)\.\w+/g, '?').trim())
      .filter((statement) => statement !== ''),
  );
}

function planOf(connection: Connection, sql: string): readonly string[] {
  const plan = `EXPLAIN QUERY PLAN ${sql.replaceAll(/\?|@\w+/g, '1')}`;
  return connection
    .prepare<[], { detail: string }>(plan)
    .all()
    .map(({ detail }) => detail);
}

it('UP-01 UP-02 no query or change of the queue scans a table or sorts', () => {
  const connection = openSchema();
  const statements = [...preparedStatements(connection), ...triggeredStatements(connection)];
  expect(statements.length).toBeGreaterThan(50);
  const slow = statements
    .filter((sql) => !PROBED.test(sql))
    .flatMap((sql) => planOf(connection, sql).map((detail) => ({ sql, detail })))
    .filter(({ detail }) => /^SCAN|TEMP B-TREE/.test(detail) && !SMALL.test(detail));
  expect(slow).toEqual([]);
});
