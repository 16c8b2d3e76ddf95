import { drizzle } from 'drizzle-orm/better-sqlite3';
import { expect, it } from 'vitest';
import { AuditTrail } from '../../../src/adapters/store/thread/audit-trail.ts';
import { ClockEpochs } from '../../../src/adapters/store/thread/clock-epochs.ts';
import type { Connection } from '../../../src/adapters/store/thread/database/connection.ts';
import { openForwarding } from '../../../src/adapters/store/thread/forwarding/forwarding.ts';
import { PointQueue } from '../../../src/adapters/store/thread/forwarding/queue/point-queue.ts';
import { EVERY_ORDER, OrderQueries } from '../../../src/adapters/store/thread/orders/order-queries.ts';
import { StopLog } from '../../../src/adapters/store/thread/production/stop-log.ts';
import { restoreState } from '../../../src/adapters/store/thread/restore.ts';
import { PointJournal } from '../../../src/adapters/store/thread/variables/point-journal.ts';
import { RecentPoints } from '../../../src/adapters/store/thread/variables/recent-points.ts';
import { FORWARDING } from './forwarding/queued-records.ts';
import { openSchema, planOf, preparedStatements } from './open-test-store.ts';

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

interface Case {
  readonly claim: string;
  readonly open: (connection: Connection) => unknown;
  readonly triggers?: true;
  readonly leastStatements: number;
  /** Statements that read one row, however they are planned. */
  readonly leaves?: RegExp;
  readonly slow: RegExp;
  /** Steps that look slow, and are not. */
  readonly except: RegExp;
}

it.each<Case>([
  {
    claim: 'UP-01 UP-02 no query or change of the queue scans a table or sorts',
    open: openQueue,
    triggers: true,
    leastStatements: 50,
    leaves: /\bFROM variable_packing\b/,
    slow: /^SCAN|TEMP B-TREE/,
    // `queue_total` has one row for each class; the other is no table.
    except: /^SCAN (queue_total|CONSTANT ROW|\d+ CONSTANT ROWS?)$/,
  },
  {
    claim: 'no question to the audit log looks through all entries, which may be a million',
    open: (connection) => new AuditTrail(connection),
    leastStatements: 3,
    // A scan in the order of the numbers that ends at the first entry.
    leaves: /ORDER BY number DESC LIMIT 1$/,
    slow: /^SCAN|TEMP B-TREE/,
    except: /^SCAN CONSTANT ROW/,
  },
  {
    claim: 'D-86 the log of stops finds stops and faults by index and in their order: a plant has millions of spans',
    open: (connection) => new StopLog(connection),
    leastStatements: 1,
    slow: /^SCAN|TEMP B-TREE/,
    except: /^SCAN CONSTANT ROW/,
  },
  {
    claim: 'D-03 a start reads no row of the past: it takes as long after ten years as after a day',
    open: (connection) => restoreState(drizzle(connection)),
    leastStatements: 3,
    slow: /^SCAN/,
    // The present state does not grow with the years, and downtimes that are open or without a category have an index of their own.
    except:
      / INDEX downtime_(open|uncategorized)$|^SCAN (machine_state|machine_part|plant|broker_row|applied_batch|legacy_write|person_session)\b/,
  },
])('$claim', ({ open, triggers, leastStatements, leaves, slow, except }) => {
  const connection = openSchema();
  const statements = [...preparedStatements(connection, open), ...(triggers ? triggeredStatements(connection) : [])];
  expect(statements.length).toBeGreaterThan(leastStatements);
  const steps = statements
    .filter((sql) => leaves?.test(sql) !== true)
    .flatMap((sql) => planOf(connection, sql).map((detail) => ({ sql, detail })))
    .filter(({ detail }) => slow.test(detail) && !except.test(detail));
  expect(steps).toEqual([]);
});

it.each([{ orderCode: 'so-1' }, { materialCode: 'mat-1' }, { toolingCode: 'tool-1' }, { salesOrder: 'sales-1' }])(
  'D-44 a summary of %j, a text of English letters, does not gather the texts of all rows first',
  async (asked) => {
    const connection = openSchema();
    const summaries: Promise<unknown>[] = [];
    const statements = preparedStatements(connection, (recording) => {
      summaries.push(new OrderQueries(recording, { changes: 0 }).summary({ ...EVERY_ORDER, ...asked }));
    });
    await Promise.all(summaries);
    const plans = statements.filter((sql) => sql.includes('UNION SELECT')).map((sql) => planOf(connection, sql));
    expect(plans).toHaveLength(1);
    expect(plans.flat().filter((step) => /DISTINCT|CO-ROUTINE/.test(step))).toEqual([]);
  },
);
