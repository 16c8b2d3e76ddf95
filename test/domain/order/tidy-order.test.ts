import { describe, expect, it } from 'vitest';
import { tidyOrder, tidyOrderKey } from '../../../src/domain/order/tidy-order.ts';

describe('D-53 the codes of an order', () => {
  it.each([
    [{ documentID: 'A 1', orderCode: 'B' }, { documentID: 'A 1', orderCode: 'B' }, 0],
    [{ documentID: ' A 1\u00a0' }, { documentID: 'A 1' }, 1],
    [{ orderCode: 'B\r\n' }, { orderCode: 'B' }, 1],
    [{ documentID: ' ' }, { documentID: ' ' }, 0],
    [{ documentId: 'A ' }, { documentID: 'A' }, 2],
    [{ documentID: null, DOCUMENTID: 'A' }, { documentID: 'A' }, 1],
    [{ documentID: 'A', documentId: 'B' }, { documentID: 'A', documentId: 'B' }, 0],
    [{ documentId: 'A', DocumentID: 'B' }, { documentId: 'A', DocumentID: 'B' }, 0],
    [{ documentId: 5 }, { documentID: 5 }, 1],
    [{ ordercode: 'B', products: [{ documentId: 'x ' }] }, { orderCode: 'B', products: [{ documentId: 'x ' }] }, 1],
  ])('of %j are read as %j', (order, tidy, notes) => {
    const read = tidyOrder(order);
    expect(read.order).toEqual(tidy);
    expect(read.notes).toHaveLength(notes);
  });

  it('keep the place of a renamed field, and a field that is named __proto__', () => {
    const { order } = tidyOrder(JSON.parse('{"documentId":"A ","__proto__":1,"products":[]}'));
    expect(JSON.stringify(order)).toBe('{"documentID":"A","__proto__":1,"products":[]}');
  });

  it.each([
    ['documentID 4711 ', 'documentID 4711'],
    ['orderCode  A B', 'orderCode A B'],
    ['documentID 4711', 'documentID 4711'],
  ])('are the same in the key %j as in %j', (orderKey, tidy) => {
    expect(tidyOrderKey(orderKey)).toBe(tidy);
  });
});
