import { drizzle } from 'drizzle-orm/better-sqlite3';
import { expect, it } from 'vitest';
import { restoreState } from '../../../../src/adapters/store/thread/restore.ts';
import { openSchema, planOf, preparedStatements } from '../open-test-store.ts';

/** Tables of the present state, which do not grow with the years. */
const PRESENT = /^SCAN (machine_state|machine_part|plant|broker_row|applied_batch|legacy_write)\b/;

it('D-03 a start reads no row of the past: it takes as long after ten years as after a day', () => {
  const connection = openSchema();
  const statements = preparedStatements(connection, (recording) => restoreState(drizzle(recording)));
  const plans = statements.flatMap((sql) => planOf(connection, sql));
  expect(plans).toContain('SCAN downtime USING INDEX downtime_uncategorized');
  expect(plans.filter((detail) => /^SCAN/.test(detail) && !/ INDEX /.test(detail) && !PRESENT.test(detail))).toEqual(
    [],
  );
});
