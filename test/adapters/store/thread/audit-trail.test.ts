import { expect, it } from 'vitest';
import { AuditTrail } from '../../../../src/adapters/store/thread/audit-trail.ts';
import { openSchema, planOf, preparedStatements } from '../open-test-store.ts';

/** A scan in the order of the numbers that ends at the first entry. */
const FIRST_ALONE = /ORDER BY number DESC LIMIT 1$/;

it('no question to the audit log looks through all entries, which may be a million', () => {
  const connection = openSchema();
  const statements = preparedStatements(connection, (recording) => new AuditTrail(recording));
  expect(statements.length).toBeGreaterThan(3);
  const steps = statements.filter((sql) => !FIRST_ALONE.test(sql)).flatMap((sql) => planOf(connection, sql));
  expect(steps.filter((step) => /^SCAN (?!CONSTANT ROW)|TEMP B-TREE/.test(step))).toEqual([]);
});
