import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openTestStore, START_AT } from './open-test-store.ts';

const ANY = { orderCode: null, materialCode: null, toolingCode: null, salesOrder: null, workOrder: null } as const;

describe('orders in the store', () => {
  it('ORD-02, D-20 many documents of one code are one row, in a time that grows as they do', async () => {
    const { store } = await openTestStore();
    const orders = Array.from({ length: 4_000 }, (_, index) => ({
      orderKey: `documentID D-${index}`,
      json: JSON.stringify({ documentID: `D-${index}`, products: [{ bundles: [{ items: [{ quantity: 2 }] }] }] }),
      at: START_AT,
      principal: 'erp',
    }));
    await store.write(orders.map((order) => ({ kind: 'orderPut', order })));
    const startedMs = performance.now();
    const summary = await store.orderSummary(ANY);
    const tookMs = performance.now() - startedMs;
    const rows = parse(new TextDecoder().decode(summary?.bytes));
    expect(rows).toMatchObject([{ orderCode: null, bundles: 4_000, pieces: 8_000 }]);
    expect(new Set(rows[0].documentIDs).size).toBe(4_000);
    expect(tookMs).toBeLessThan(1_500);
  });

  it('ORD-02 a summary that is too long for one answer is none, and filters make it shorter', async () => {
    const { store } = await openTestStore();
    const customer = { name: 'x'.repeat(2_000) };
    const products = Array.from({ length: 1_000 }, (_, index) => ({ toolingDetail: { toolingCode: `T-${index}` } }));
    for (let number = 0; number < 18; number++) {
      const json = JSON.stringify({ documentID: `D-${number}`, orderCode: `SO-${number}`, customer, products });
      const order = { orderKey: `documentID D-${number}`, json, at: START_AT, principal: 'erp' };
      await store.write([{ kind: 'orderPut', order }]);
    }
    expect(await store.orderSummary(ANY)).toBe(null);
    const one = await store.orderSummary({ ...ANY, toolingCode: 'T-7' });
    expect(parse(new TextDecoder().decode(one?.bytes))).toHaveLength(18);
  });
});
