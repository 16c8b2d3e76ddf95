import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../../src/adapters/store/thread/database/migrations.ts';
import { DoneRequests } from '../../../src/adapters/store/thread/done-requests.ts';
import { newDataDir, openTestStore, START_AT } from './open-test-store.ts';

const ORDER = JSON.stringify({ documentID: 'D-1', orderCode: 'SO-1', products: [] });
const ASKED = { principal: 'erp', key: 'k-1', target: 'POST /api/v1/orders/add', body: ORDER };

describe('the list of done requests', () => {
  it('keeps each request with its result over a store thread that dies and over a restart', async () => {
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
    expect(await reopened.store.requestMemory({ ...ASKED, body: '{}' })).toEqual({
      kind: 'another',
    });
    expect(await reopened.store.requestMemory({ ...ASKED, principal: 'mes' })).toEqual(memory);
  });

  it('tells requests apart whose bodies are no JSON or nest too deep to be read', async () => {
    const { store } = await openTestStore();
    const bodies = [null, '', '{', '['.repeat(1_000_000), '{"a":1}', '{"a":2}'];
    const digests = new Set<string>();
    for (const body of bodies) {
      const memory = await store.requestMemory({ ...ASKED, body });
      if (memory.kind === 'new') digests.add(memory.digest);
    }
    expect(digests.size).toBe(bodies.length);
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
    const isKnown = async (principal: string, key: string) => {
      const { kind } = await requests.recall({ principal, key, target: '', body: null });
      return kind !== 'new';
    };
    const known = async (keys: readonly string[]) => {
      const are = await Promise.all(keys.map((key) => isKnown('erp', key)));
      return keys.filter((_, place) => are[place]);
    };
    return { note, isKnown, known, keys: Array.from({ length: 10 }, (_, index) => `k-${index}`) };
  }

  it('keeps the newest requests of each sender, up to a limit', async () => {
    const { note, isKnown, known, keys } = remembering({ rememberedRequests: 4 });
    note('mes', 'k-0');
    for (const key of keys) note('erp', key);
    expect(await known(keys)).toEqual(['k-6', 'k-7', 'k-8', 'k-9']);
    expect(await isKnown('mes', 'k-0')).toBe(true);
  });

  it('keeps fewer requests if their answers are long', async () => {
    const { note, known, keys } = remembering({ rememberedAnswerBytes: 25 });
    for (const key of keys) note('erp', key);
    expect(await known(keys)).toEqual(['k-7', 'k-8', 'k-9']);
  });
});
