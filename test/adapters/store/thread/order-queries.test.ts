import { expect, it } from 'vitest';
import { EVERY_ORDER, OrderQueries } from '../../../../src/adapters/store/thread/orders/order-queries.ts';
import { openSchema, planOf, preparedStatements } from '../open-test-store.ts';

it.each([{ orderCode: 'so-1' }, { materialCode: 'mat-1' }, { toolingCode: 'tool-1' }, { salesOrder: 'sales-1' }])(
  'D-44 a summary of %j, a text of English letters, does not gather the texts of all rows first',
  async (asked) => {
    const connection = openSchema();
    const filter = {
      ...EVERY_ORDER,
      ...asked,
    };
    const summaries: Promise<unknown>[] = [];
    const statements = preparedStatements(connection, (recording) => {
      summaries.push(new OrderQueries(recording, { changes: 0 }).summary(filter));
    });
    await Promise.all(summaries);
    const plans = statements.filter((sql) => sql.includes('UNION SELECT')).map((sql) => planOf(connection, sql));
    expect(plans).toHaveLength(1);
    expect(plans.flat().filter((step) => /DISTINCT|CO-ROUTINE/.test(step))).toEqual([]);
  },
);
