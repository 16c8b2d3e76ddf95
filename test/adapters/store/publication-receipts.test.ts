import { expect, it } from 'vitest';
import { PublicationReceipts } from '../../../src/adapters/store/thread/variables/publication-receipts.ts';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { newDataDir, openTestCore, point, START_AT } from './open-test-store.ts';

const HOUR_MS = 3_600_000;

it('receipts of many clients that never come again are deleted after an hour', () => {
  const { connection } = openTestCore(newDataDir());
  const receipts = new PublicationReceipts(connection);
  const admit = (clientId: string, at: number) =>
    receipts.admit({ clientId, messageId: 1, payloadHash: 7, duplicate: true }, at);
  for (let index = 0; index < 1_000; index += 1) admit(`script-${index}`, START_AT);
  const later = START_AT + HOUR_MS + 1;
  admit('RF-01', later);
  for (let second = 0; second < 6; second += 1) receipts.prune(later);
  expect(connection.prepare('SELECT client_id FROM publication_receipt').pluck().all()).toEqual(['RF-01']);
  expect(admit('RF-01', later)).toBe(false);
});

it('VAR-04 a publication that is sent again after a boot with a clock that is days behind is not stored twice', () => {
  const dataDir = newDataDir();
  const receipt = { clientId: 'RF-01', messageId: 1, payloadHash: 7, duplicate: false };
  const sent = (duplicate: boolean): StoreRecord => ({
    kind: 'variables',
    points: [point(1)],
    receipt: { ...receipt, duplicate },
  });
  const first = openTestCore(dataDir);
  first.write([sent(false)]);
  first.close();
  const bootedAt = START_AT - 100 * HOUR_MS;
  const second = openTestCore(dataDir, 'second boot');
  second.receipts.prune(bootedAt);
  second.write([sent(true)], bootedAt);
  expect(second.recent.count).toBe(1);
});
