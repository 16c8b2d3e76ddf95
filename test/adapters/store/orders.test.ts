import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EVERY_ORDER } from '../../../src/adapters/store/thread/orders/order-queries.ts';
import type { Store, StoreRecord } from '../../../src/flows/store-ports.ts';
import { openTestStore, START_AT } from './open-test-store.ts';

const PRODUCTS = [{ bundles: [{ items: [{ quantity: 2 }] }] }];

/** The record of an order; what its documentID says is its name. */
function put(documentID: string, content: object): StoreRecord {
  const json = JSON.stringify({ documentID, ...content });
  return { kind: 'orderPut', order: { orderKey: `documentID ${documentID}`, json, at: START_AT, principal: 'erp' } };
}

async function rowsOf(store: Store, filter: Partial<typeof EVERY_ORDER> = {}) {
  const summary = await store.orderSummary({ ...EVERY_ORDER, ...filter });
  return parse(new TextDecoder().decode(summary?.bytes));
}

describe('orders in the store', () => {
  const product = (materialCode: string, toolingCode: string, workOrder: string) => {
    return { materialDetail: { materialCode }, toolingDetail: { toolingCode }, workOrder, ...PRODUCTS[0] };
  };
  /** Each code in capitals and small letters, English ones and others, beside a code that looks alike. */
  const ORDERS = [
    put('D-1', { orderCode: 'SO-ä1', salesOrder: 'SALES-7', products: [product('Mat-26', 'Tool-A', 'WO-1')] }),
    put('D-2', { orderCode: 'So-ä1', salesOrder: 'SALES-8', products: [product('Mat-27', 'Tool-B', 'Wo-2')] }),
    put('D-3', { orderCode: 'Müller-1', salesOrder: 'Été-1', products: [product('Größe-1', 'Ось-1', 'Ärmel-1')] }),
    put('D-4', { orderCode: 'Mueller-1', salesOrder: 'Ete-1', products: [product('Grösse-1', 'Oсь-1', 'Armel-1')] }),
  ];

  it.each([
    [{ orderCode: 'so-ä1' }, ['SO-ä1', 'So-ä1']],
    [{ orderCode: 'SO-ä' }, []],
    [{ orderCode: 'SO-ä1', workOrder: 'WO-2' }, ['So-ä1']],
    [{ materialCode: 'MAT-26' }, ['SO-ä1']],
    [{ toolingCode: 'tool-b' }, ['So-ä1']],
    [{ salesOrder: 'sales-7' }, ['SO-ä1']],
    [{ workOrder: 'wo-2' }, ['So-ä1']],
    [{ orderCode: 'müller-1' }, ['Müller-1']],
    [{ materialCode: 'größe-1' }, ['Müller-1']],
    [{ toolingCode: 'Ось-1' }, ['Müller-1']],
    [{ salesOrder: 'été-1' }, ['Müller-1']],
    [{ workOrder: 'ärmel-1' }, ['Müller-1']],
    [
      {
        ...{ orderCode: 'MÜLLER-1', materialCode: 'GRÖßE-1', toolingCode: 'ОСЬ-1' },
        ...{ salesOrder: 'ÉTÉ-1', workOrder: 'ÄRMEL-1' },
      },
      ['Müller-1'],
    ],
  ])(
    'ORD-02, D-44 a summary of %j ignores upper and lower case, in letters of every language',
    async (filter, codes) => {
      const { store } = await openTestStore();
      await store.write(ORDERS);
      const rows = await rowsOf(store, filter);
      expect(rows.map((row: { readonly orderCode: string }) => row.orderCode)).toEqual(codes);
    },
  );

  it('ORD-02, D-20 many documents with one code are one row, made in a time that grows no faster than their number', async () => {
    const { store } = await openTestStore();
    const content = { orderCode: 'SO-1', products: PRODUCTS };
    await store.write(Array.from({ length: 4_000 }, (_, index) => put(`D-${index}`, content)));
    const startedMs = performance.now();
    const summary = await store.orderSummary(EVERY_ORDER);
    const tookMs = performance.now() - startedMs;
    const rows = parse(new TextDecoder().decode(summary?.bytes));
    expect(rows).toMatchObject([{ orderCode: 'SO-1', bundles: 4_000, pieces: 8_000 }]);
    expect(new Set(rows[0].documentIDs).size).toBe(4_000);
    expect(tookMs).toBeLessThan(1_500);
  });

  it('ORD-02, D-20 documents without a code are not summed up: each is a row with its own customer', async () => {
    const { store } = await openTestStore();
    const products = [...PRODUCTS, ...PRODUCTS];
    for (const name of ['Alpha', 'Beta']) await store.write([put(`D-${name}`, { customer: { name }, products })]);
    expect(await rowsOf(store)).toMatchObject([
      { orderCode: null, documentIDs: ['D-Alpha'], customer: 'Alpha', bundles: 2, pieces: 4 },
      { orderCode: null, documentIDs: ['D-Beta'], customer: 'Beta', bundles: 2, pieces: 4 },
    ]);
  });

  it('ORD-02 a summary too long for one answer gives null, and filters make it shorter', async () => {
    const { store } = await openTestStore();
    // Few long rows: many short ones take longer.
    const customer = { name: 'x'.repeat(20_000) };
    const products = Array.from({ length: 100 }, (_, index) => ({ toolingDetail: { toolingCode: `T-${index}` } }));
    for (let number = 0; number < 18; number++) {
      await store.write([put(`D-${number}`, { orderCode: `SO-${number}`, customer, products })]);
    }
    expect(await store.orderSummary(EVERY_ORDER)).toBe(null);
    expect(await rowsOf(store, { toolingCode: 'T-7' })).toHaveLength(18);
  });

  it('ORD-02 a long summary does not delay writes, and shows the orders of one moment', async () => {
    const { store } = await openTestStore();
    const orderOf = (number: number, salesOrder: string) => {
      const products = Array.from({ length: 50 }, (_, index) => ({ toolingDetail: { toolingCode: `T-${index}` } }));
      const orderCode = `SO-${String(number).padStart(4, '0')}`;
      return put(`D-${number}`, { orderCode, salesOrder, products });
    };
    await store.write(Array.from({ length: 400 }, (_, number) => orderOf(number, 'first')));
    let isMade = false;
    const made = store.orderSummary(EVERY_ORDER).then((summary) => {
      isMade = true;
      return new TextDecoder().decode(summary?.bytes);
    });
    let writes = 0;
    for (; !isMade; writes += 1) await store.write([orderOf(0, `change ${writes}`), orderOf(399, `change ${writes}`)]);
    expect(writes).toBeGreaterThan(3);
    // Parsing so much YAML takes longer than all the rest.
    const salesOrders = (await made).match(/salesOrder: .*/g) ?? [];
    expect(salesOrders).toHaveLength(400 * 50);
    expect(salesOrders[0]).toBe(salesOrders.at(-1));
  });

  it('ORD-02 summaries asked for together are alike, and a summary of nothing is an empty list', async () => {
    const { store } = await openTestStore();
    const texts = await Promise.all(
      ['SO-1', null, 'SO-2'].map((orderCode) => store.orderSummary({ ...EVERY_ORDER, orderCode })),
    );
    expect(texts.map((text) => new TextDecoder().decode(text?.bytes))).toEqual(['[]\n', '[]\n', '[]\n']);
  });
});
