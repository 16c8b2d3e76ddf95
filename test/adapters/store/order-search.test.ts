import { describe, expect, it } from 'vitest';
import { OrderSearches } from '../../../src/adapters/store/thread/orders/order-search.ts';
import type { OrderChoice } from '../../../src/domain/order/order-progress.ts';
import type { OrderSearch } from '../../../src/flows/orders/order-ports.ts';
import type { Store, StoreRecord } from '../../../src/flows/store-ports.ts';
import { openSchema, openTestStore, planOf, preparedStatements, RF1, START_AT } from './open-test-store.ts';

/** 08:00 on 4 March 2026, in UTC. */
const CLOCK = { nowAt: START_AT, localNow: '2026-03-04T08:00:00', openWork: [] };

function put(code: string, pieces: number, schedule: object = {}): StoreRecord {
  const bundles = [{ bundleCode: `${code}-1`, items: [{ quantity: pieces, partLengthIn: 120 }] }];
  const products = pieces === 0 ? [] : [{ workOrder: `WO-${code}`, toolingDetail: { toolingCode: 'Z-8' }, bundles }];
  const json = JSON.stringify({ orderCode: code, customer: { name: 'Alder' }, schedule, products });
  return { kind: 'orderPut', order: { orderKey: `orderCode ${code}`, json, at: START_AT, principal: 'erp' } };
}

function made(jobNumber: string, goodParts: number, place: number): StoreRecord {
  const session = { sessionId: `W-${place}`, machineId: RF1, jobNumber, partId: null, userId: null, badParts: 1 };
  const times = { startedAt: START_AT + place, lastActiveAt: START_AT + place, endedAt: START_AT + place };
  return { kind: 'workSession', session: { ...session, ...times, goodParts, cycles: goodParts } };
}

const find = (store: Store, search: Partial<OrderSearch> = {}) =>
  store.findOrders({ text: null, choice: 'open', skip: 0, take: 100, ...search }, CLOCK);

describe('D-90, F11 orders in every state', () => {
  const ORDERS = [
    put('OPEN', 10, { requiredDateTime: '2026-03-06' }),
    put('TODAY', 10, { requiredDateTime: '2026-03-04' }),
    put('LATE', 10, { requiredDateTime: '2026-03-03' }),
    put('HELD', 10, { onHold: true }),
    put('HELD-LATE', 10, { onHold: true, requiredDateTime: '2026-03-04T07:59:00' }),
    put('PART', 10, { requiredDateTime: '2026-03-05T00:00:00Z' }),
    put('MADE', 10, { requiredDateTime: '2026-03-01' }),
    put('EMPTY', 0),
  ];
  const WORK = [made('wo-part', 3, 1), made('WO-PART', 4, 2), made('WO-MADE', 12, 3), made('WO-OTHER', 99, 4)];

  it.each<[OrderChoice, readonly string[]]>([
    ['open', ['LATE', 'TODAY', 'HELD-LATE', 'PART', 'OPEN', 'EMPTY', 'HELD']],
    ['overdue', ['LATE', 'HELD-LATE']],
    ['onHold', ['HELD-LATE', 'HELD']],
    ['made', ['MADE']],
  ])('%s are %j', async (choice, codes) => {
    const { store } = await openTestStore();
    await store.write([...ORDERS, ...WORK]);
    const found = await find(store, { choice });
    expect(found.rows.map(({ orderCode }) => orderCode)).toEqual(codes);
    expect(found.counts).toEqual({ open: 7, overdue: 2, onHold: 2, made: 1 });
    expect(found.next?.orderCode).toBe('TODAY');
  });

  it.each([
    ['pieces', []],
    ['shipdate', []],
    ['null', []],
    ['held-', ['HELD-LATE']],
    ['Wo-Open', ['OPEN']],
    ['a "quoted" one', ['QUOTED']],
  ])('that hold %j are %j: names of fields are no text of an order', async (text, codes) => {
    const { store } = await openTestStore();
    const quoted = JSON.stringify({ orderCode: 'QUOTED', customer: { name: 'A "quoted" one' }, products: [] });
    const order = { orderKey: 'orderCode QUOTED', json: quoted, at: START_AT, principal: 'erp' };
    await store.write([...ORDERS, { kind: 'orderPut', order }]);
    const { rows } = await find(store, { text });
    expect(rows.map(({ orderCode }) => orderCode)).toEqual(codes);
  });

  it('have the pieces that machines made under their job numbers in any case, and no more than asked', async () => {
    const { store } = await openTestStore();
    await store.write([...ORDERS, ...WORK]);
    const pieces = async (choice: OrderChoice, text: string) =>
      (await find(store, { choice, text })).rows.map(({ madePieces }) => madePieces);
    expect(await pieces('open', 'part')).toEqual([7]);
    expect(await pieces('made', 'MADE')).toEqual([10]);
    expect(await store.orderItems('orderCode PART', 0, 10, CLOCK)).toMatchObject({
      order: { orderCode: 'PART', madePieces: 7, pieces: 10, isMade: false },
      items: [{ toolingCode: 'Z-8', lengthIn: 120, pieces: 10, madePieces: 7, bundles: 1, bundleCodes: ['PART-1'] }],
      total: 1,
    });
    expect(await store.orderItems('orderCode NONE', 0, 10, CLOCK)).toBeNull();
    expect(await store.orderItems('orderCode EMPTY', 0, 10, CLOCK)).toMatchObject({ items: [], total: 0 });
  });

  it('have the pieces of a session that lasts as the machine tells them, instead of the stored ones', async () => {
    const { store } = await openTestStore();
    await store.write([...ORDERS, ...WORK]);
    const openWork = [
      { sessionId: 'W-2', jobNumber: 'Wo-Part', goodParts: 5 },
      { sessionId: 'W-9', jobNumber: 'WO-PART', goodParts: 1 },
      { sessionId: 'W-8', jobNumber: 'WO-X', goodParts: 50 },
    ];
    const shown = await store.orderItems('orderCode PART', 0, 1, { ...CLOCK, openWork });
    expect(shown?.order.madePieces).toBe(9);
  });

  it('come page by page, and tell when they were written', async () => {
    const { store } = await openTestStore();
    let told = 0;
    store.onOrders(() => {
      told += 1;
    });
    await store.write(ORDERS);
    await store.write(WORK);
    await store.write([{ kind: 'orderRemoved', orderKey: 'orderCode LATE' }]);
    expect(told).toBe(2);
    const { rows, counts } = await find(store, { skip: 1, take: 2 });
    expect([rows.length, counts.open]).toEqual([2, 6]);
  });
});

it('F11 no order is looked up without an index, although a plant has a million work sessions', () => {
  const connection = openSchema();
  const statements = preparedStatements(connection, (recording) => new OrderSearches(recording));
  const ofWork = statements.filter((sql) => sql.includes('work_session'));
  expect(ofWork).toHaveLength(1);
  for (const sql of ofWork) expect(planOf(connection, sql).join()).toContain('work_session_by_job');
});

it('F11 a search of 5,000 orders takes no longer than people wait, and delays no write', async () => {
  const { store } = await openTestStore();
  for (let from = 0; from < 5_000; from += 2_000) {
    await store.write(Array.from({ length: 2_000 }, (_, at) => put(`SO-${from + at}`, 10)));
  }
  const startedMs = performance.now();
  let isFound = false;
  const found = find(store, { text: 'so-499' }).then((answer) => {
    isFound = true;
    return answer;
  });
  let longestMs = 0;
  while (!isFound) {
    const writeMs = performance.now();
    await store.write([made('WO-1', 1, 1)]);
    longestMs = Math.max(longestMs, performance.now() - writeMs);
  }
  expect((await found).counts.open).toBe(11);
  expect(performance.now() - startedMs).toBeLessThan(2_000);
  expect(longestMs).toBeLessThan(1_000);
});
