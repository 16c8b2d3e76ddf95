import { expect, it } from 'vitest';
import { SyncStatusFlow } from '../../../src/flows/forward/sync-status-flow.ts';
import { coilMove, openForwardingStore } from '../../adapters/store/forwarding/queued-records.ts';
import { START_AT } from '../../adapters/store/open-test-store.ts';

const REFUSED = 1_003;

/** A queue with more set-aside records than are shown at once. */
async function setUp() {
  const { store } = await openForwardingStore();
  const clock = { now: () => ({ wallMs: START_AT, monotonicMs: 0 }) };
  const seqs = Array.from({ length: REFUSED }, (_, index) => index + 1);
  await store.write(seqs.map((seq) => coilMove('C-1', `L-${seq}`, START_AT + seq)));
  await store.write(seqs.map((seq) => ({ kind: 'rowSetAside', seq, reason: 'no', at: START_AT })));
  const forwarder = {
    connection: () => ({
      ...({ status: 'online', state: 'online', detail: null, server: 'batch' } as const),
      ...{ since: null, lastContactAt: null, lastAcknowledgedAt: null, nextTryAt: null },
    }),
    server: 'batch',
    sentRecords: 0,
    differences: () => [],
    retry: () => undefined,
  } as const;
  return { store, sync: new SyncStatusFlow({ store, clock, forwarder, mirrorAges: () => [] }) };
}

it('UP-02 UP-05 dead letters are listed by pages and retried or discarded, in any number', async () => {
  const { store, sync } = await setUp();
  expect((await sync.status()).setAside).toHaveLength(1_000);
  expect(await sync.setAsideFrom(0, 2)).toMatchObject([
    { id: '1', what: expect.stringContaining('C-1'), doneAt: new Date(START_AT + 1).toISOString() },
    { id: '2' },
  ]);
  await sync.retry('1');
  await sync.discard('2');
  expect((await store.queueHeads([], 10)).map(({ item }) => item)).toMatchObject([
    { queued: { operationId: 'C-1 L-1' } },
  ]);
  expect(await sync.setAsideFrom(0, 1)).toMatchObject([{ id: '3' }]);
  for (const id of ['1', '2', String(REFUSED + 1), '03', '3 ', '-3', '3.5', 'x', '', '9'.repeat(30)]) {
    await expect(sync.retry(id)).rejects.toMatchObject({ code: 'not-found' });
    await expect(sync.discard(id)).rejects.toMatchObject({ code: 'not-found' });
  }
});
