import { beforeEach, describe, expect, it } from 'vitest';
import { OrdersUnderTest } from './orders-under-test.ts';

const D1 = 'documentID D-1';
const D2 = 'documentID D-2';
const THEIRS = '- orderCode: "O-1"\n  documentIDs: [ "D-1" ]\n';
const REPLACED = '- orderCode: "O-new"\n  documentIDs: [ "D-1" ]\n';
const NONE = '[]\n';

let orders: OrdersUnderTest;

beforeEach(async () => {
  orders = new OrdersUnderTest();
  await orders.read(THEIRS);
});

const replace = () => orders.put(D1, { documentID: 'D-1', orderCode: 'O-new' });
const CHANGES = [
  ['replaced', replace, ['O-new'], REPLACED],
  ['removed', () => orders.remove(D1), [], NONE],
] as const;

describe.each(CHANGES)('an order %s here', (_, change, shown, known) => {
  it('D-20 UP-01 keeps its state until a reading is applied that began after the server had it', async () => {
    change();
    expect(await orders.codes()).toEqual(shown);
    await orders.read(THEIRS);
    expect(await orders.codes()).toEqual(shown);
    await orders.begin();
    orders.acknowledge();
    expect(await orders.codes()).toEqual(shown);
    await orders.apply(THEIRS);
    expect(await orders.codes()).toEqual(shown);
    await orders.read(known);
    expect(await orders.codes()).toEqual(shown);
    // The server's orders count from then on.
    await orders.read(THEIRS);
    expect(await orders.codes()).toEqual(['O-1']);
    expect(orders.own).toBe(0);
  });

  it('UP-01 keeps its state across a restart, with any time of the clock', async () => {
    change();
    orders.restart();
    expect(await orders.codes()).toEqual(shown);
    orders.acknowledge();
    orders.restart();
    expect(await orders.codes()).toEqual(shown);
    await orders.begin();
    orders.restart();
    expect(await orders.codes()).toEqual(shown);
    await orders.read(known, -1e15);
    expect(await orders.codes()).toEqual(shown);
    orders.restart();
    expect(await orders.codes()).toEqual(shown);
  });

  it('D-18 UP-05 takes the server’s state if the server refuses the change, and its own state if the change is retried', async () => {
    change();
    orders.refuse();
    await orders.read(THEIRS);
    expect(await orders.codes()).toEqual(['O-1']);
    orders.retry();
    const again = shown.length === 0 ? [] : ['O-new'];
    expect(await orders.codes()).toEqual(again);
    orders.acknowledge();
    expect(await orders.codes()).toEqual(again);
  });

  it('keeps its state if nothing is forwarded any more', async () => {
    orders.restart(null);
    change();
    expect(await orders.codes()).toEqual(shown);
    orders.restart(null);
    expect(await orders.codes()).toEqual(shown);
  });
});

describe('an order that is removed everywhere', () => {
  it('UP-07 is forgotten with the next reading, or at a start', async () => {
    orders.put(D2, { documentID: 'D-2', orderCode: 'O-2' });
    orders.remove(D2);
    orders.acknowledge();
    orders.acknowledge();
    expect(orders.own).toBe(1);
    orders.restart();
    expect(orders.own).toBe(0);
    orders.remove(D2);
    orders.acknowledge();
    await orders.read(THEIRS);
    expect(orders.own).toBe(0);
  });

  it('UP-07 is not remembered without a central server, nor with one that lists no orders', async () => {
    const alone = new OrdersUnderTest();
    alone.restart(null);
    alone.put(D1, { documentID: 'D-1', orderCode: 'O-1' });
    alone.remove(D1);
    expect(alone.own).toBe(0);
    alone.restart();
    alone.remove(D1);
    alone.acknowledge();
    await alone.begin();
    expect(alone.own).toBe(0);
  });
});

it('UP-07 an order of the plant file is shown until the server has been read', async () => {
  await orders.begin();
  orders.put(D2, { documentID: 'D-2', orderCode: 'O-2' }, false);
  await orders.apply(THEIRS);
  expect(await orders.codes()).toEqual(['O-1', 'O-2']);
  await orders.read(THEIRS);
  expect(await orders.codes()).toEqual(['O-1']);
});

describe('D-20 an order is found', () => {
  const keys = (ordId: string) => orders.core.orders.keys(ordId);

  it('among the shown orders: by its document, else by its code', async () => {
    expect([keys('D-1'), keys('O-1'), keys('D-2')]).toEqual([[D1], [D1], []]);
    replace();
    expect([keys('D-1'), keys('O-1'), keys('O-new')]).toEqual([[D1], [], [D1]]);
    orders.remove(D1);
    expect([keys('D-1'), keys('O-1'), keys('O-new')]).toEqual([[], [], []]);
  });

  it('by a code that several orders have, ours and the server’s', () => {
    orders.put(D2, { documentID: 'D-2', orderCode: 'O-1' });
    expect(keys('O-1')).toEqual([D1, D2]);
  });

  it('if it is ours and the server does not list it', async () => {
    orders.put(D2, { documentID: 'D-2', orderCode: 'O-2' });
    orders.acknowledge();
    await orders.read(THEIRS);
    expect(await orders.codes()).toEqual(['O-1']);
    expect([keys('D-2'), keys('O-2')]).toEqual([[D2], [D2]]);
  });

  it('D-30 and is not new if the server lists it', () => {
    const isNew = (documentID: string) => {
      const read = orders.core.orders.read(JSON.stringify({ documentID, orderCode: 'O', products: [] }));
      return read.ok && read.isNew;
    };
    expect([isNew('D-1'), isNew('D-2')]).toEqual([false, true]);
  });

  it('and summed up in the same way as it is shown', () => {
    expect(orders.summaryOf(D1)).toEqual([{ orderCode: 'O-1', documentIDs: ['D-1'] }]);
    replace();
    expect(orders.summaryOf(D1)).toMatchObject([{ orderCode: 'O-new' }]);
    expect(orders.summaryOf(D2)).toEqual([]);
  });
});

describe('a row of the server that sums up several orders', () => {
  const SUM = '- orderCode: "O"\n  documentIDs: [ "D-1", "D-2" ]\n  pieces: 7\n';
  const piecesOf = (quantity: number) => [{ bundles: [{ items: [{ quantity, partLengthIn: 12 }] }] }];
  const put = (document: string, quantity: number) =>
    orders.put(`documentID ${document}`, { documentID: document, orderCode: 'O', products: piecesOf(quantity) });
  const pieces = async () => (await orders.rows()).map((row) => [row.documentIDs, row.pieces]);

  it('D-20 gives way to ours if all of them are known here', async () => {
    put('D-1', 3);
    put('D-2', 4);
    orders.acknowledge();
    orders.acknowledge();
    await orders.read(SUM);
    expect(await pieces()).toEqual([[['D-1', 'D-2'], 7]]);
    orders.remove(D2);
    expect(await pieces()).toEqual([[['D-1'], 3]]);
    put('D-1', 30);
    expect(await pieces()).toEqual([[['D-1'], 30]]);
    await orders.read(SUM);
    expect(await pieces()).toEqual([[['D-1'], 30]]);
    orders.remove(D1);
    expect(await pieces()).toEqual([]);
  });

  it('D-20 stays if one of them is known only at the server, and counts no order twice', async () => {
    await orders.read(SUM);
    put('D-2', 40);
    expect(await pieces()).toEqual([[['D-1', 'D-2'], 7]]);
    put('D-1', 30);
    expect(await pieces()).toEqual([[['D-1', 'D-2'], 70]]);
  });

  it('D-18 is shown again after the server refused our change, even if the row is unchanged', async () => {
    put('D-1', 3);
    put('D-2', 4);
    orders.acknowledge();
    orders.acknowledge();
    await orders.read(SUM);
    put('D-2', 40);
    expect(await pieces()).toEqual([[['D-1', 'D-2'], 43]]);
    await orders.read(SUM);
    expect(await pieces()).toEqual([[['D-1', 'D-2'], 43]]);
    orders.refuse();
    await orders.read(SUM);
    expect(await pieces()).toEqual([[['D-1', 'D-2'], 7]]);
  });

  it('D-20 is found by each of its orders', async () => {
    await orders.read(SUM);
    expect([orders.core.orders.keys('O'), orders.core.orders.keys('D-2')]).toEqual([[D1, D2], [D2]]);
    orders.remove(D1);
    expect([orders.core.orders.keys('O'), orders.core.orders.keys('D-1')]).toEqual([[D2], []]);
  });

  it('D-20 leaves rows of single orders in place when it gives way', async () => {
    const products = ['A', 'B'].map((materialCode) => ({ materialDetail: { materialCode } }));
    orders.put(D1, { documentID: 'D-1', orderCode: 'O', products });
    orders.put(D2, { documentID: 'D-2', orderCode: 'O', products: products.slice(0, 1) });
    orders.acknowledge();
    orders.acknowledge();
    const alone = '- orderCode: "O"\n  documentIDs: [ "D-1" ]\n  materialCode: "B"\n  pieces: 5\n';
    await orders.read(`- orderCode: "O"\n  documentIDs: [ "D-1", "D-2" ]\n  materialCode: "A"\n${alone}`);
    orders.remove(D2);
    expect(await orders.rows()).toMatchObject([
      { documentIDs: ['D-1'], materialCode: 'A' },
      { documentIDs: ['D-1'], materialCode: 'B', pieces: 5 },
    ]);
  });
});

it('ORD-02 one row is looked up without a scan of other rows', () => {
  const plan = orders.core.connection
    .prepare<[], { detail: string }>(
      'EXPLAIN QUERY PLAN SELECT json FROM shown_order_row WHERE order_key = 1 AND place = 1',
    )
    .all()
    .map(({ detail }) => detail);
  // The table of readings has one row.
  const slow = /^SCAN (?!reading)|TEMP B-TREE|\(generation=\?\)$/;
  expect(plan.filter((detail) => slow.test(detail))).toEqual([]);
  expect(plan.length).toBeGreaterThan(5);
});

describe('a row of the server that names no document', () => {
  it('D-20 counts as our order with the same code', async () => {
    orders.put(D1, { documentID: 'D-1', orderCode: 'O-1' });
    orders.acknowledge();
    await orders.read('- orderCode: "O-1"\n');
    orders.remove(D1);
    expect(await orders.codes()).toEqual([]);
  });

  it('D-20 and no code stays in the list, and is not found under any code', async () => {
    await orders.read('- pieces: 5\n- pieces: 6\n');
    orders.put('orderCode null', { orderCode: 'null' });
    orders.put('orderCode none', { orderCode: 'none' });
    expect((await orders.rows()).map(({ pieces }) => pieces)).toEqual([5, 6, 0, 0]);
    expect(orders.core.orders.keys('null')).toEqual(['orderCode null']);
    orders.remove('orderCode null');
    expect((await orders.rows()).map(({ pieces }) => pieces)).toEqual([5, 6, 0]);
  });
});
