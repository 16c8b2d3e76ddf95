import { expect, it } from 'vitest';
import type { Store } from '../../../../src/flows/store-ports.ts';
import { newDataDir, openTestCore, START_AT } from '../open-test-store.ts';
import { coilMove, FORWARDING, openForwardingStore, sample } from './queued-records.ts';

/** Sends all rows of every queue, head by head; gives the sent rows of each. */
async function drained(store: Store): Promise<Record<string, number[]>> {
  const sent: Record<string, number[]> = {};
  let isDone = false;
  const next = async () => {
    const heads = await store.queueHeads([], 100);
    for (const { entity, at } of heads) sent[entity] = [...(sent[entity] ?? []), at - START_AT];
    await store.write([{ kind: 'rowsSent', seqs: heads.map(({ seq }) => seq) }]);
    return (await store.queueTotals('interface')).depth === 0;
  };
  while (!isDone) isDone = await next();
  return sent;
}

it('D-26 after an outage the last status of a boot, one status of each part, the newest and all later ones are sent, in order', async () => {
  const { store } = await openForwardingStore();
  const statuses = ['change', 'repeat', 'bootEnd', 'change', 'partChange', 'repeat', 'change'] as const;
  await store.write(statuses.map((why, index) => sample('RF-01', START_AT + index, why)));
  await store.write([sample('RF-02', START_AT, 'repeat'), coilMove('C-1', 'A')]);
  await store.write([{ kind: 'statusesCondensed', before: START_AT + 100 }]);
  await store.write([sample('RF-02', START_AT + 200), sample('RF-02', START_AT + 201, 'repeat')]);
  expect(await drained(store)).toEqual({ 'machine:RF-01': [2, 4, 6], 'machine:RF-02': [200, 201], 'coil:C-1': [0] });
});

it('D-26 an entity queue waits until it is condensed; the others do not', async () => {
  const { store } = await openForwardingStore();
  const many = Array.from({ length: 5_000 }, (_, index) => sample('RF-01', START_AT + index, 'repeat'));
  await store.write([...many, coilMove('C-1', 'A')]);
  const condensed = store.write([{ kind: 'statusesCondensed', before: START_AT + 10_000 }]);
  await condensed;
  expect((await store.queueHeads([], 10)).map(({ entity }) => entity)).toContain('coil:C-1');
  let heads = await store.queueHeads(['coil:C-1'], 10);
  while (heads.length === 0) heads = await store.queueHeads(['coil:C-1'], 10);
  expect(heads.map(({ at }) => at)).toEqual([START_AT + 4_999]);
});

it('D-27 statuses are not condensed any more once a server with the batch extension is there', async () => {
  const { store } = await openForwardingStore();
  const many = Array.from({ length: 1_500 }, (_, index) => sample(`RF-0${index % 9}`, START_AT + index, 'repeat'));
  await store.write(many);
  await store.write([{ kind: 'statusesCondensed', before: START_AT + 10_000 }]);
  await store.outgoingBatch();
  const { depth } = await store.queueTotals('batch');
  // Each commit would give condensing another turn.
  for (let more = 1; more <= 3; more += 1) {
    await store.write([sample('RF-01', START_AT + 20_000 + more, 'repeat')]);
    expect(await store.queueTotals('batch')).toMatchObject({ depth: depth + more });
  }
});

it('D-26 condensing goes on after a crash of the store, and does not begin without a request', async () => {
  for (const [isAsked, left] of [
    [true, [7_999]],
    [false, [0, 1]],
  ] as const) {
    const dataDir = newDataDir();
    const first = openTestCore(dataDir, 'run', false, FORWARDING);
    first.write(Array.from({ length: 8_000 }, (_, index) => sample('RF-01', START_AT + index, 'repeat')));
    if (isAsked) first.write([{ kind: 'statusesCondensed', before: START_AT + 10_000 }]);
    first.forwarding.statuses.slice();
    first.close();
    const { forwarding, write } = openTestCore(dataDir, 'next', false, FORWARDING);
    const sent: number[] = [];
    while (sent.length < left.length) {
      for (const { seq, at } of forwarding.entityQueues.list([], 10)) {
        sent.push(at - START_AT);
        write([{ kind: 'rowsSent', seqs: [seq] }]);
      }
    }
    expect(sent).toEqual(left);
  }
});

it('UP-02 an entity queue keeps its order after a commit was rolled back and its numbers went to other rows', () => {
  const { forwarding, write } = openTestCore(newDataDir(), 'run', false, FORWARDING);
  const heads = () => forwarding.entityQueues.list(['coil:C-1'], 10).map(({ seq, at }) => ({ seq, at: at - START_AT }));
  write([sample('RF-01', START_AT)]);
  expect(heads()).toEqual([{ seq: 1, at: 0 }]);
  const unstorable = { kind: 'orderPut', order: { orderKey: 'O', json: 'no JSON', at: 0, principal: 'pat' } } as const;
  expect(() => write([coilMove('C-1', 'A'), sample('RF-01', START_AT + 9), unstorable])).toThrow();
  write([sample('RF-01', START_AT + 1), sample('RF-01', START_AT + 2)]);
  for (const at of [0, 1, 2]) {
    const [head] = heads();
    expect(head?.at).toBe(at);
    write([{ kind: 'rowsSent', seqs: [head?.seq ?? 0] }]);
  }
  expect(heads()).toEqual([]);
});
