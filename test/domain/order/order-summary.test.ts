import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderIdentity } from '../../../src/domain/order/order-key.ts';
import { mergedRows, rowKey, summaryRows } from '../../../src/domain/order/order-summary.ts';

const product = (materialCode: string, toolingCode: string, workOrder: string, quantity: number) => ({
  materialDetail: { materialCode },
  toolingDetail: { toolingCode },
  workOrder,
  bundles: [{ items: [{ quantity, partLengthIn: 120 }] }, { items: [] }],
});

describe('D-20 a summary', () => {
  it('ORD-02 has a row per order code, material and tooling, summed up', () => {
    const order = {
      documentID: 'D-1',
      orderCode: 'SO-1',
      salesOrder: 'S-1',
      customer: { code: 'C-1', name: 'Acme' },
      schedule: { onHold: true, shipDate: '2026-01-02' },
      products: [product('M-1', 'T-1', 'W-1', 2), product('M-1', 'T-1', 'W-2', 3), product('M-2', 'T-1', 'W-1', 1)],
    };
    const rows = summaryRows(order);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual({
      orderCode: 'SO-1',
      documentIDs: ['D-1'],
      customer: 'Acme',
      salesOrder: 'S-1',
      purchaseOrder: null,
      requiredDateTime: null,
      shipDate: '2026-01-02',
      onHold: true,
      materialCode: 'M-1',
      toolingCode: 'T-1',
      workOrders: ['W-1', 'W-2'],
      bundles: 4,
      items: 2,
      pieces: 5,
      lengthFt: 50,
    });
    expect(rows[1]).toMatchObject({ materialCode: 'M-2', pieces: 1, workOrders: ['W-1'] });
  });

  it('ORD-02 of an order without products has one row, so that it can be found', () => {
    expect(summaryRows({ orderCode: 'SO-1', products: [] })).toEqual([
      expect.objectContaining({ orderCode: 'SO-1', documentIDs: [], materialCode: null, pieces: 0 }),
    ]);
  });

  it('ORD-02 counts every piece once, for any division of products into rows', () => {
    const code = fc.constantFrom('A', 'B', 'C');
    const products = fc.array(fc.tuple(code, code, code, fc.nat(100)), { maxLength: 30 });
    fc.assert(
      fc.property(products, (made) => {
        const rows = summaryRows({ orderCode: 'SO-1', products: made.map((of) => product(...of)) });
        expect(rows.reduce((sum, { pieces }) => sum + pieces, 0)).toBe(made.reduce((sum, of) => sum + of[3], 0));
        expect(new Set(rows.map(rowKey)).size).toBe(rows.length);
      }),
    );
  });

  it('ORD-02 of several documents of one order names them all', () => {
    const rows = ['D-1', 'D-2'].flatMap((documentID) =>
      summaryRows({ documentID, orderCode: 'SO-1', products: [product('M', 'T', 'W', 1)] }),
    );
    expect(mergedRows(rows)).toMatchObject({ documentIDs: ['D-1', 'D-2'], workOrders: ['W'], pieces: 2 });
  });
});

describe('D-20 the names of an order', () => {
  it.each([
    [{ documentID: 'X', orderCode: 'Y' }, 'documentID X'],
    [{ documentID: 'X' }, 'documentID X'],
    [{ orderCode: 'X' }, 'orderCode X'],
    [{ documentID: null, orderCode: 'X' }, 'orderCode X'],
  ])('ORD-01 %j', (order, orderKey) => {
    expect(orderIdentity(order).orderKey).toBe(orderKey);
  });
});
