import { expect, it } from 'vitest';
import { OrderFlow } from '../../../src/flows/orders/keep-orders.ts';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { openTestStore, START_AT } from '../../adapters/store/open-test-store.ts';

const CODES = [null, '', 'M-2', 'M-10', 'm-1', 'Z', 'ä', '😀', '\uffee', '\u0000', 'M-2 '] as const;

function orderOf(codes: readonly (readonly [material: string | null, tooling: string | null])[]): string {
  const products = codes.map(([materialCode, toolingCode]) => ({
    materialDetail: { materialCode },
    toolingDetail: { toolingCode },
  }));
  return JSON.stringify({ documentID: 'D-1', orderCode: 'SO-1', products });
}

/** Orders in a store whose thread dies after each commit if `isDying`. */
async function openOrders(isDying: boolean) {
  const { store, testing } = await openTestStore();
  const write = async (records: readonly StoreRecord[]) => {
    await store.write(records);
    if (isDying) testing.crash();
  };
  const { readOrder, orderKeys, orderSummary, orderSummaryOf, findOrders, seedOrders, orderRecords } = store;
  const queries = { readOrder, orderKeys, orderSummary, orderSummaryOf, findOrders, seedOrders, orderRecords };
  const clock = { now: () => ({ monotonicMs: 0, wallMs: START_AT }) };
  return { flow: new OrderFlow({ store: { ...queries, write }, clock }), store };
}

it('ORD-01 an order is answered with its summary, also if the store thread dies right after its commit', async () => {
  const { flow, store } = await openOrders(true);
  const { bytes } = await flow.add(orderOf([['M-1', 'T-1']]), 'erp');
  expect(Buffer.from(bytes).toString()).toContain('materialCode: "M-1"');
  const stored = () => store.orderKeys('D-1').catch(() => []);
  await expect.poll(stored, { timeout: 10_000 }).toEqual(['documentID D-1']);
});

it.each([
  ['without products', []],
  ['with products without codes', [[null, null]]],
  ['with materials in any order', CODES.map((code) => [code, 'T-1'] as const)],
  ['with toolings in any order', CODES.map((code) => ['M-1', code] as const)],
  ['with products of one material and tooling', [...CODES, ...CODES].map((code) => [code, code] as const)],
] as const)('ORD-01 D-20 the answer to an order %s is its stored summary', async (_, codes) => {
  const { flow, store } = await openOrders(false);
  const { bytes } = await flow.add(orderOf(codes), 'erp');
  const stored = await store.orderSummaryOf('documentID D-1');
  expect(Buffer.from(bytes).toString()).toBe(Buffer.from(stored.bytes).toString());
});
