import { describe, expect, it } from 'vitest';
import { orderWarnings } from '../../src/domain/order/order-warnings.ts';

describe('unknown fields of an order', () => {
  const item = { quantity: 3, partLengthIn: 120 };

  it.each([
    [{ orderCode: 'A', products: [{ bundles: [{ items: [item] }] }] }, []],
    [{ orderCode: 'A', products: [] }, []],
    [
      { orderCode: 'A', custmer: {}, products: [{ bundles: [{ items: [{ qty: 3 }] }] }] },
      [
        'custmer: kept, not understood; did you mean customer?',
        'products[].bundles[].items[].qty: kept, not understood',
        'products: no bundles[].items[].quantity was found: the summary counts 0 pieces',
      ],
    ],
    [
      { orderCode: 'A', products: [1, 2].map(() => ({ pieces: 4, bundles: [{ items: [item] }] })) },
      ['products[].pieces: kept, not understood'],
    ],
  ])('D-37 in %j are %j', (order, warnings) => {
    expect(orderWarnings(order)).toEqual(warnings);
  });

  it('D-37 are listed up to a bound', () => {
    const order = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`unknown${index}`, 1]));
    expect(orderWarnings(order).length).toBe(20);
  });
});
