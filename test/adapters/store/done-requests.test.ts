import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { DoneRequests } from '../../../src/adapters/store/thread/done-requests.ts';
import { migrate } from '../../../src/adapters/store/thread/migrations.ts';
import { newDataDir, openTestStore, START_AT } from './open-test-store.ts';

const ORDER = JSON.stringify({ documentID: 'D-1', orderCode: 'SO-1', products: [] });
const ASKED = { principal: 'erp', key: 'k-1', text: `POST /api/v1/orders/add\n${ORDER}` };

describe('requests that were done', () => {
  it('are remembered with what they did, over a store thread that dies and a restart', async () => {
    const dataDir = newDataDir();
    const { store, testing } = await openTestStore({ dataDir });
    const memory = await store.requestMemory(ASKED);
    if (memory.kind !== 'new') throw new Error(`found ${memory.kind}`);
    const { principal, key } = ASKED;
    const order = { orderKey: 'document:D-1', json: ORDER, at: START_AT, principal };
    const answer = { of: 'order', orderKey: order.orderKey } as const;
    await store.write([
      { kind: 'orderPut', order },
      { kind: 'requestDone', principal, key, digest: memory.digest, answer },
    ]);
    const { bytes } = await store.orderSummaryOf(order.orderKey);
    await store.write([{ kind: 'orderRemoved', orderKey: order.orderKey }]);
    const done = { kind: 'done', answer: bytes };
    expect(await store.requestMemory(ASKED)).toEqual(done);
    testing.crash();
    await expect.poll(() => store.requestMemory(ASKED), { timeout: 10_000 }).toEqual(done);
    await store.close();
    const reopened = await openTestStore({ dataDir });
    expect(await reopened.store.requestMemory(ASKED)).toEqual(done);
    expect(await reopened.store.requestMemory({ ...ASKED, text: 'POST /api/v1/orders/add\n{}' })).toEqual({
      kind: 'another',
    });
    expect(await reopened.store.requestMemory({ ...ASKED, principal: 'mes' })).toEqual(memory);
  });

  function remembering(bounds: { rememberedRequests?: number; rememberedAnswerBytes?: number }) {
    const connection = new Database(':memory:');
    migrate(connection);
    const requests = new DoneRequests({
      connection,
      orders: { summaryOf: () => ({ bytes: new Uint8Array(10) }) },
      profiles: { text: () => null },
      ...bounds,
    });
    const note = (principal: string, key: string) =>
      requests.note({ kind: 'requestDone', principal, key, digest: '', answer: { of: 'order', orderKey: key } });
    const isKnown = (principal: string, key: string) => requests.recall({ principal, key, text: '' }).kind !== 'new';
    return { note, isKnown, keys: Array.from({ length: 10 }, (_, index) => `k-${index}`) };
  }

  it('are so many at most of each sender, the newest', () => {
    const { note, isKnown, keys } = remembering({ rememberedRequests: 4 });
    note('mes', 'k-0');
    for (const key of keys) note('erp', key);
    expect(keys.filter((key) => isKnown('erp', key))).toEqual(['k-6', 'k-7', 'k-8', 'k-9']);
    expect(isKnown('mes', 'k-0')).toBe(true);
  });

  it('are fewer where their answers are long', () => {
    const { note, isKnown, keys } = remembering({ rememberedAnswerBytes: 25 });
    for (const key of keys) note('erp', key);
    expect(keys.filter((key) => isKnown('erp', key))).toEqual(['k-7', 'k-8', 'k-9']);
  });
});
