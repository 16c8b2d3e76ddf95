import { expect, it } from 'vitest';
import type { Store } from '../../../../src/flows/store-ports.ts';
import { correction, newDataDir, openTestCore, openTestStore, RF1, START_AT } from '../open-test-store.ts';
import { coilMove, downtime, FORWARDING, longOrder, openForwardingStore, sample, shift } from './queued-records.ts';

interface Listed {
  readonly seq: number;
  readonly entity: string;
  readonly what: string;
  readonly at: string;
  readonly record: { readonly [field: string]: unknown } | null;
}

async function listed(store: Store, after = 0, limit = 100): Promise<readonly Listed[]> {
  const { bytes } = await store.queueRows(after, limit);
  return JSON.parse(new TextDecoder().decode(bytes));
}

const seqsOf = (rows: readonly { readonly seq: number }[]) => rows.map(({ seq }) => seq);

it('UP-01 the store queues an act together with its result, all or nothing, and keeps it across a restart', async () => {
  const dataDir = newDataDir();
  const first = await openForwardingStore({ dataDir });
  await first.store.write([{ kind: 'coilLocation', coilId: 'C-1', location: 'WH-A1' }, coilMove('C-1', 'WH-A1')]);
  const unstorable = { kind: 'orderPut', order: { orderKey: 'O', json: 'no JSON', at: 0, principal: 'pat' } } as const;
  await expect(first.store.write([coilMove('C-2', 'WH-A1'), unstorable])).rejects.toThrow('cannot be stored');
  await first.store.close();
  const { store } = await openForwardingStore({ dataDir });
  expect(await listed(store)).toMatchObject([
    { entity: 'coil:C-1', what: 'act', at: new Date(START_AT).toISOString() },
  ]);
  expect(await store.queueHeads([], 10)).toEqual([
    { seq: 1, entity: 'coil:C-1', at: START_AT, item: { kind: 'act', queued: coilMove('C-1', 'WH-A1').queued } },
  ]);
  expect([await store.isQueued('coil:C-1'), await store.isQueued('coil:C-2')]).toEqual([true, false]);
});

it('UP-01 the store queues nothing without a central server, and shows the records that an earlier configuration queued', async () => {
  const dataDir = newDataDir();
  const first = await openForwardingStore({ dataDir });
  await first.store.write([coilMove('C-1', 'WH-A1')]);
  await first.store.close();
  const { store } = await openTestStore({ dataDir });
  await store.write([coilMove('C-2', 'WH-A1'), sample('RF-01', START_AT), shift(1), downtime('D-1', null)]);
  expect(await listed(store)).toMatchObject([{ entity: 'coil:C-1' }]);
  expect((await store.queueTotals('batch')).depth).toBe(1);
  expect(await store.outgoingBatch()).toBeNull();
});

it('UP-02 the queue gives the oldest row of each entity, oldest first, and the next row once that one was sent', async () => {
  const { store } = await openForwardingStore();
  await store.write(['A', 'B', 'C'].map((location) => coilMove('C-1', location)));
  await store.write([sample('RF-01', START_AT), coilMove('C-2', 'A'), sample('RF-01', START_AT + 1)]);
  const heads = await store.queueHeads([], 10);
  expect(heads.map(({ entity }) => entity)).toEqual(['coil:C-1', 'machine:RF-01', 'coil:C-2']);
  expect(heads[1]?.item).toMatchObject({ kind: 'status', sample: { machineId: 'RF-01', at: START_AT, why: 'change' } });
  expect((await store.queueHeads(['coil:C-1'], 1)).map(({ entity }) => entity)).toEqual(['machine:RF-01']);
  await store.write([{ kind: 'rowsSent', seqs: seqsOf(heads) }]);
  const next = await store.queueHeads([], 10);
  expect(next.map(({ item }) => (item.kind === 'act' ? item.queued.operationId : item.sample.at))).toEqual([
    'C-1 B',
    START_AT + 1,
  ]);
});

it('D-27 the store queues a fact once, for any number of changes, and sends its newest content', async () => {
  const { store } = await openForwardingStore();
  await store.write([shift(1), downtime('D-1', null)]);
  await store.write([shift(2), downtime('D-1', START_AT + 5), downtime('D-2', null)]);
  await store.write([{ kind: 'downtimeRemoved', downtimeId: 'D-2' }]);
  expect(await listed(store)).toMatchObject([
    { seq: 1, what: 'shift', record: { kind: 'shift', shift: { shiftName: 'Early', totals: { goodParts: 2 } } } },
    { seq: 2, what: 'downtime', record: { downtime: { downtimeId: 'D-1', endedAt: START_AT + 5 } } },
    { seq: 4, what: 'downtimeRemoved', record: { kind: 'downtimeRemoved', downtimeId: 'D-2' } },
  ]);
});

it('D-27 the queue corrects the times of waiting records together with the clock', async () => {
  const { store } = await openForwardingStore();
  const anomaly = { machineId: RF1, at: START_AT, counter: 'cycle', from: 2, to: 1 } as const;
  await store.write([
    coilMove('C-1', 'A'),
    sample('RF-01', START_AT),
    downtime('D-1', null),
    { kind: 'anomaly', anomaly },
  ]);
  store.clockCorrected(correction(60_000));
  await store.write([coilMove('C-2', 'A')]);
  const later = START_AT + 60_000;
  expect((await store.queueHeads([], 10)).map(({ at }) => at)).toEqual([later, later, START_AT]);
  expect((await listed(store)).map(({ record }) => record)).toMatchObject([
    { queued: { at: later } },
    { sample: { at: later } },
    { downtime: { startedAt: later } },
    { anomaly: { at: later, from: 2 } },
    { queued: { at: START_AT } },
  ]);
  expect((await store.queueTotals('interface')).oldestAt).toBe(later);
});

it('D-04 D-26 the queue corrects the time in the body of a waiting status as well, and leaves the rest unchanged', async () => {
  const { store } = await openForwardingStore();
  const told = (at: number) => JSON.stringify({ goodPart: 7, timestamp: new Date(at).toISOString() });
  const status = (at: number) =>
    ({ kind: 'statusSample', sample: { machineId: RF1, at, why: 'change', json: told(at) } }) as const;
  await store.write([status(START_AT)]);
  store.clockCorrected(correction(-3_600_000.4));
  await store.write([status(START_AT + 1)]);
  const samples = (await listed(store)).map(({ record }) => record?.sample);
  expect(samples).toMatchObject([{ json: told(START_AT - 3_600_001) }, { json: told(START_AT + 1) }]);
  const [head] = await store.queueHeads([], 1);
  expect(head?.item).toMatchObject({ sample: { json: told(START_AT - 3_600_001) } });
});

it('D-26 the queue counts records that only a server with the batch extension takes as held for a server without it', async () => {
  const { store } = await openForwardingStore();
  await store.write([sample('RF-01', START_AT), coilMove('C-1', 'A'), shift(1)]);
  const all = await store.queueTotals('batch');
  const some = await store.queueTotals('interface');
  expect([all.depth, all.held.depth, some.depth, some.held.depth]).toEqual([3, 0, 2, 1]);
  expect(some.bytes + some.held.bytes).toBe(all.bytes);
  await store.write([{ kind: 'rowsSent', seqs: [1, 2, 3] }]);
  expect(await store.queueTotals('batch')).toMatchObject({ depth: 0, bytes: 0, oldestAt: null });
});

it('UP-05 the queue sets a refused row aside with its reason, goes on with the next, and retries or discards the row', async () => {
  const { store } = await openForwardingStore();
  await store.write(['A', 'B', 'C'].map((location) => coilMove('C-1', location)));
  await store.write([{ kind: 'rowSetAside', seq: 1, reason: 'no such place', at: START_AT }]);
  await store.write([{ kind: 'rowSetAside', seq: 2, reason: 'no such coil', at: START_AT }]);
  expect((await store.queueHeads([], 10)).map(({ seq }) => seq)).toEqual([3]);
  const [second, first] = await store.setAsideRows(10);
  expect([first, second]).toMatchObject([
    {
      entity: 'coil:C-1',
      reason: 'no such place',
      at: START_AT,
      operation: { what: 'move of coil C-1 to A', operator: 'pat' },
    },
    { reason: 'no such coil', operation: { what: 'move of coil C-1 to B' } },
  ]);
  expect((await store.queueTotals('batch')).setAside).toBe(2);
  await store.write([{ kind: 'setAsideRetried', id: first?.id ?? '' }]);
  await store.write([{ kind: 'setAsideDiscarded', id: second?.id ?? '' }]);
  expect(await listed(store)).toMatchObject([
    { seq: 3, record: { queued: { operationId: 'C-1 C' } } },
    { seq: 4, record: { queued: { operationId: 'C-1 A' } } },
  ]);
  expect(await store.setAsideRows(10)).toEqual([]);
  expect((await store.queueTotals('batch')).setAside).toBe(0);
});

it('UP-02 the queue gives the heads of entities until their operations have a megabyte together', async () => {
  const { store } = await openForwardingStore();
  const lengths = [400_000, 400_000, 400_000, 400_000, 5_000_000, 10, 10];
  await store.write(lengths.map((length, index) => longOrder(`O-${index + 1}`, length)));
  const given: number[][] = [];
  for (let heads = await store.queueHeads([], 10); heads.length > 0; heads = await store.queueHeads([], 10)) {
    given.push(seqsOf(heads));
    await store.write([{ kind: 'rowsSent', seqs: seqsOf(heads) }]);
  }
  expect(given).toEqual([[1, 2], [3, 4], [5], [6, 7]]);
});

it('UP-05 a list of long orders that were refused has their names alone, and each can be sent again whole', async () => {
  const { store } = await openForwardingStore();
  await store.write([longOrder('O-1', 8_000_000), longOrder('O-2', 8_000_000)]);
  await store.write([1, 2].map((seq) => ({ kind: 'rowSetAside', seq, reason: 'no', at: START_AT })));
  const rows = await store.setAsideRows(10);
  expect(JSON.stringify(rows).length).toBeLessThan(1_000);
  expect(rows.map(({ operation }) => operation)).toEqual([
    { what: 'order O-2', operator: 'erp' },
    { what: 'order O-1', operator: 'erp' },
  ]);
  await store.write([{ kind: 'setAsideRetried', id: rows[0]?.id ?? '' }]);
  const [head] = await store.queueHeads([], 10);
  expect(head?.item).toEqual({ kind: 'act', queued: longOrder('O-2', 8_000_000).queued });
});

it('UP-05 a refused operation whose stored body is no JSON is listed without words, and the others with theirs', () => {
  const core = openTestCore(newDataDir(), 'run', false, FORWARDING);
  core.write([coilMove('C-1', 'A'), coilMove('C-2', 'A')]);
  core.write([1, 2].map((seq) => ({ kind: 'rowSetAside', seq, reason: 'no', at: START_AT })));
  core.connection.exec("UPDATE set_aside SET body = '{' WHERE entity = 'coil:C-1'");
  expect(core.forwarding.setAside.page(0, 10)).toMatchObject([
    { entity: 'coil:C-1', operation: null },
    { operation: { what: 'move of coil C-2 to A' } },
  ]);
});

it('UP-02 UP-05 the queue lists all rows that were set aside in pages, oldest first, each with its time', async () => {
  const { store } = await openForwardingStore();
  await store.write(['A', 'B', 'C'].map((location, index) => coilMove('C-1', location, START_AT + index)));
  await store.write([1, 2, 3].map((seq) => ({ kind: 'rowSetAside', seq, reason: 'no', at: START_AT + 60_000 })));
  const done = async (after: number, limit: number) =>
    (await store.setAsideRows(limit, after)).map(({ id, doneAt }) => [id, doneAt - START_AT]);
  expect(await done(0, 2)).toEqual([
    ['1', 0],
    ['2', 1],
  ]);
  expect(await done(2, 2)).toEqual([['3', 2]]);
  expect(await done(3, 2)).toEqual([]);
  await store.write([{ kind: 'setAsideRetried', id: '1' }]);
  await store.write([{ kind: 'rowSetAside', seq: 4, reason: 'no again', at: START_AT + 120_000 }]);
  expect(await done(2, 10)).toEqual([
    ['3', 2],
    ['4', 0],
  ]);
});

it('UP-05 the queue keeps the newest thousand refused statuses of a kind, and every act', async () => {
  const { store } = await openForwardingStore();
  const statuses = Array.from({ length: 1_005 }, (_, index) => sample('RF-01', START_AT + index));
  await store.write([coilMove('C-1', 'A'), ...statuses]);
  const refused = Array.from({ length: 1_006 }, (_, index) => index + 1);
  await store.write(refused.map((seq) => ({ kind: 'rowSetAside', seq, reason: 'no', at: START_AT })));
  expect(await store.queueTotals('batch')).toMatchObject({ depth: 0, setAside: 1_001, thinned: { statuses: 5 } });
});
