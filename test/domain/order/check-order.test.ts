import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOrder } from '../../../src/domain/order/check-order.ts';
import { ORDER_FIELDS, type OrderField, type OrderFields } from '../../../src/domain/order/order-fields.ts';

function faultsOf(order: unknown): readonly string[] {
  const checked = checkOrder(JSON.stringify(order));
  return checked.ok ? [] : checked.faults.map(({ path }) => path);
}

const LEAST = { documentID: 'D-1', products: [] };

describe('D-20 an order', () => {
  const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['a documentID', LEAST, []],
    ['an orderCode instead', { orderCode: 'SO-1', products: [] }, []],
    ['neither', { products: [] }, ['documentID']],
    ['both null', { documentID: null, orderCode: null, products: [] }, ['documentID']],
    ['an empty code', { documentID: ' ', products: [] }, ['documentID']],
    ['a code without end', { documentID: 'D'.repeat(201), products: [] }, ['documentID']],
    ['a code that no path can hold', { ...LEAST, orderCode: 'SO\n1' }, ['orderCode']],
    ['an overlong text', { ...LEAST, customer: { name: 'x'.repeat(2_001) } }, ['customer.name']],
    ['the longest text', { ...LEAST, customer: { name: 'x'.repeat(2_000) } }, []],
    [
      'a number beyond all measure',
      { ...LEAST, products: [{ maxBundleWeightLbs: 1e13 }] },
      ['products[0].maxBundleWeightLbs'],
    ],
    ['no products', { documentID: 'D-1' }, ['products']],
    ['products null', { documentID: 'D-1', products: null }, ['products']],
    ['products no list', { documentID: 'D-1', products: {} }, ['products']],
    ['too many products', { ...LEAST, products: Array.from({ length: 1_001 }, () => ({})) }, ['products']],
    ['the action Put', { ...LEAST, action: 'Put' }, []],
    ['no action', { ...LEAST, action: null }, []],
    ['another action', { ...LEAST, action: 'Delete' }, ['action']],
    ['an action in another case', { ...LEAST, action: 'put' }, ['action']],
    ['a list', [LEAST], ['body']],
    ['a text', 'order', ['body']],
    ['unknown fields everywhere', { ...LEAST, colour: 1, customer: { fax: [1] }, products: [{ extra: {} }] }, []],
    ['a name of Object itself', JSON.parse('{"documentID":"D-1","products":[],"__proto__":{"products":1}}'), []],
    [
      'two faults in one product',
      { ...LEAST, products: [{ workOrder: 7, bundles: {} }] },
      ['products[0].bundles', 'products[0].workOrder'],
    ],
    ['a product that is not an object', { ...LEAST, products: [null, 5] }, ['products[0]', 'products[1]']],
    [
      'an item deep down',
      { ...LEAST, products: [{ bundles: [{ items: [{ quantity: '5' }] }] }] },
      ['products[0].bundles[0].items[0].quantity'],
    ],
    ['a day that no calendar has', { ...LEAST, schedule: { shipDate: '2026-02-30' } }, ['schedule.shipDate']],
    ['a day in the year 0', { ...LEAST, schedule: { shipDate: '0000-01-01' } }, ['schedule.shipDate']],
    ['a time with a zone', { ...LEAST, schedule: { shipDate: '2026-02-28T10:00:00+01:00' } }, []],
    ['a time without a zone', { ...LEAST, schedule: { requiredDateTime: '2026-02-28T10:00:00' } }, []],
    ['a day alone', { ...LEAST, schedule: { requiredDateTime: '2026-02-28' } }, []],
    ['a time in words', { ...LEAST, schedule: { requiredDateTime: 'tomorrow' } }, ['schedule.requiredDateTime']],
  ];

  it.each(cases)('ORD-01 with %s', (_, order, faults) => {
    expect(faultsOf(order)).toEqual(faults);
  });

  it.each([
    ['no JSON', '{"documentID":'],
    ['a key twice', '{"documentID":"D-1","documentID":"D-2","products":[]}'],
    ['65 levels', `{"documentID":"D-1","products":[],"deep":${'['.repeat(65)}${']'.repeat(65)}}`],
  ])('D-13, ORD-01 is refused as a whole: %s', (_, text) => {
    expect(checkOrder(text)).toMatchObject({ ok: false, faults: [{ path: 'body' }] });
  });
});

describe('D-20 each field of an order', () => {
  const paths = (fields: OrderFields, at: readonly string[] = []): (readonly [readonly string[], OrderField])[] =>
    Object.entries(fields).flatMap(([name, field]) => {
      const path = [...at, name];
      return 'fields' in field ? [[path, field] as const, ...paths(field.fields, path)] : [[path, field] as const];
    });
  const all = paths(ORDER_FIELDS).filter(([path]) => path[0] !== 'action' && path.join() !== 'products');
  const WRONG = { text: 5, number: '5', flag: 'true', time: 20_260_101, object: [], list: {} } as const;

  function orderWith(path: readonly string[], value: unknown): unknown {
    const listNames = new Set(['products', 'bundles', 'items']);
    const nested = path.reduceRight<unknown>((inner, name, index) => {
      const isInside = index < path.length - 1;
      return { [name]: isInside && listNames.has(name) ? [inner] : inner };
    }, value);
    return { orderCode: 'SO-1', ...LEAST, ...(nested as object) };
  }

  it.each(all.map(([path, field]) => [path.join('.'), path, field] as const))('ORD-01 %s', (name, path, field) => {
    const faults = faultsOf(orderWith(path, WRONG[field.kind]));
    expect(faults.map((fault) => fault.replaceAll('[0]', ''))).toEqual([name]);
    expect(faultsOf(orderWith(path, null))).toEqual([]);
  });

  it('ORD-01 is checked without an exception in any JSON', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'large' }), (text) => {
        const checked = checkOrder(text);
        if (!checked.ok) expect(checked.faults.length).toBeGreaterThan(0);
      }),
    );
  });
});
