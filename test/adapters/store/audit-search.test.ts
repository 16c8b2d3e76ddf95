import { expect, onTestFinished, test } from 'vitest';
import { AuditTrail } from '../../../src/adapters/store/thread/audit-trail.ts';
import { openConnection } from '../../../src/adapters/store/thread/database/connection.ts';
import { migrate } from '../../../src/adapters/store/thread/database/migrations.ts';

test('F18 commits pass between the slices of a search for many names in 20,000 entries', async () => {
  const connection = openConnection(':memory:');
  onTestFinished(() => void connection.close());
  migrate(connection);
  const trail = new AuditTrail(connection);
  const entry = { who: 'pat', role: 'technician', address: '127.0.0.1', before: null, after: 'x'.repeat(300) } as const;
  connection.transaction(() => {
    for (let at = 0; at < 20_000; at += 1) {
      trail.write({ ...entry, entryId: `e${at}`, at, act: 'name reason', subject: `Stop ${at}` });
    }
  })();
  let turns = 0;
  const count = setInterval(() => {
    turns += 1;
  }, 0);
  onTestFinished(() => clearInterval(count));
  const texts = ['STOP 7', ...Array.from({ length: 20 }, (_, at) => `machine-${at}`)];
  const { entries, next } = await trail.page({ before: 1_001, take: 1, texts, range: null });
  expect([entries.map(({ subject }) => subject), next]).toEqual([['Stop 799'], 800]);
  const nothing = await trail.page({ before: null, take: 100, texts: texts.slice(1), range: null });
  expect(nothing).toEqual({ entries: [], next: null, total: 0 });
  expect(turns).toBeGreaterThan(2);
});
