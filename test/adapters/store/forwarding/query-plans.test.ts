import { expect, it } from 'vitest';
import { ClockEpochs } from '../../../../src/adapters/store/thread/clock-epochs.ts';
import type { Connection } from '../../../../src/adapters/store/thread/database/connection.ts';
import { openForwarding } from '../../../../src/adapters/store/thread/forwarding/forwarding.ts';
import { PointQueue } from '../../../../src/adapters/store/thread/forwarding/queue/point-queue.ts';
import { PointJournal } from '../../../../src/adapters/store/thread/variables/point-journal.ts';
import { RecentPoints } from '../../../../src/adapters/store/thread/variables/recent-points.ts';
import { openSchema, planOf, preparedStatements } from '../open-test-store.ts';
import { FORWARDING } from './queued-records.ts';

/** `queue_total` has one row for each class; the other is no table. */
const SMALL = /^SCAN (queue_total|CONSTANT ROW|\d+ CONSTANT ROWS?)$/;
/** Tables with a single row. */
const PROBED = /\bFROM variable_packing\b/;

function openQueue(connection: Connection): void {
  const pointQueue = new PointQueue(connection);
  const journal = new PointJournal(connection, pointQueue, true);
  const epochs = new ClockEpochs(connection, 'run');
  const recent = new RecentPoints();
  openForwarding(connection, { epochs, journal, pointQueue, recent, settings: FORWARDING });
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

it('UP-01 UP-02 no query or change of the queue scans a table or sorts', () => {
  const connection = openSchema();
  const statements = [...preparedStatements(connection, openQueue), ...triggeredStatements(connection)];
  expect(statements.length).toBeGreaterThan(50);
  const slow = statements
    .filter((sql) => !PROBED.test(sql))
    .flatMap((sql) => planOf(connection, sql).map((detail) => ({ sql, detail })))
    .filter(({ detail }) => /^SCAN|TEMP B-TREE/.test(detail) && !SMALL.test(detail));
  expect(slow).toEqual([]);
});
