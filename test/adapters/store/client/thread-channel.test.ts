import { describe, expect, it } from 'vitest';
import { Chunks, ThreadChannel } from '../../../../src/adapters/store/client/store-thread.ts';
import type { Batch, ToThread, WireRecord } from '../../../../src/adapters/store/protocol.ts';
import type { StoreRecord } from '../../../../src/flows/store-ports.ts';
import { eventually, openTestStore } from '../open-test-store.ts';

const NO_POINTS = {
  seriesFrom: 0,
  newSeries: [],
  series: new Uint32Array(),
  at: new Float64Array(),
  value: new Float64Array(),
  day: new Int32Array(),
};

function seed(place: number): Extract<StoreRecord, { kind: 'warehouseSeed' }> {
  return {
    kind: 'warehouseSeed',
    seed: { of: 'coils', mode: 'merge', entry: { coilId: `C-${place}`, location: 'WH-A1' } },
  };
}

function batchOf(number: number, ...counts: readonly number[]): Batch {
  let place = 0;
  const entries = counts.map((count) => Array.from({ length: count }, (): WireRecord => seed(place++)));
  return { number, at: 0, entries, points: NO_POINTS };
}

function question(id: number): ToThread {
  return { kind: 'ask', id, question: 'downtime', args: [] };
}

describe('messages to the store thread', () => {
  it('are sent at once if they are small', () => {
    const sent: ToThread[] = [];
    const channel = new ThreadChannel((message) => sent.push(message));
    const messages: readonly ToThread[] = [{ kind: 'batch', batch: batchOf(1, 3, 0, 500) }, question(1)];
    for (const message of messages) channel.post(message);
    expect(sent).toEqual(messages);
  });

  it('are sent in parts, in order, if thousands of records belong together, and make the same batches', async () => {
    const sent: ToThread[] = [];
    const channel = new ThreadChannel((message) => sent.push(message));
    const batches = [batchOf(1, 2, 1_201, 1, 700), batchOf(2, 1), batchOf(3, 501)];
    for (const batch of batches) channel.post({ kind: 'batch', batch });
    channel.post(question(7));
    await eventually(() => sent.some(({ kind }) => kind === 'ask'));
    const chunks = new Chunks();
    const arrived: Batch[] = [];
    for (const message of sent) {
      if (message.kind === 'part') {
        expect(message.records.length).toBeLessThanOrEqual(500);
        chunks.take(message);
      }
      if (message.kind === 'batch') arrived.push(chunks.whole(message.batch));
    }
    expect(arrived).toEqual(batches);
    expect(sent.at(-1)).toEqual(question(7));
  });

  it('are cut if they are long, and forgotten when their thread ends', async () => {
    const sent: ToThread[] = [];
    const channel = new ThreadChannel((message) => sent.push(message));
    const json = 'x'.repeat(100_000);
    const put: WireRecord = { kind: 'orderPut', order: { orderKey: 'K', json, at: 0, principal: 'erp' } };
    const batch = { ...batchOf(1), entries: [Array.from({ length: 60 }, () => put)] };
    channel.post({ kind: 'batch', batch });
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const parts = sent.splice(0);
    expect(parts.length).toBeGreaterThan(1);
    for (const message of parts) expect(message.kind === 'part' && message.records.length).toBe(3);
    channel.clear();
    channel.post(question(1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toEqual([question(1)]);
  });
});

describe('thousands of records that belong together', () => {
  const SEEDS = Array.from({ length: 5_000 }, (_, place) => seed(place));

  it('are stored as one, before later records', async () => {
    const { store } = await openTestStore();
    const stored = store.write(SEEDS);
    await store.write([{ kind: 'warehouseRemoval', of: 'coils', id: 'C-4999' }]);
    await stored;
    expect(await store.warehouseCounts()).toEqual({ coils: 4_999, tasks: 0 });
  });

  it('are stored once if the thread dies in the middle of them', async () => {
    const { store, testing } = await openTestStore();
    const stored = store.write(SEEDS);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    testing.crash();
    await stored;
    expect(store.counters().threadRestarts).toBe(1);
    expect(await store.warehouseCounts()).toEqual({ coils: 5_000, tasks: 0 });
  });
});
