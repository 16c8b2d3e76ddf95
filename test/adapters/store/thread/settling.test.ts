import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settling } from '../../../../src/adapters/store/thread/forwarding/settling.ts';
import { rowYaml } from '../../../../src/adapters/store/thread/orders/order-yaml.ts';
import { summaryRows } from '../../../../src/domain/order/order-summary.ts';

type By = 'documentID' | 'orderCode';

function isThere(summary: string, by: By, id: string): Promise<boolean | null> {
  return settling({ ownOf: () => null }).isIn(Buffer.from(summary), { of: 'order', order: { by, id } });
}

/** Few different texts, so that they often coincide, and texts that YAML writes in odd ways. */
const word = fc.constantFrom(
  '1200',
  '12',
  '0012',
  'D-1',
  'a, b',
  "it's",
  'say "D-1"',
  'true',
  'documentID: D-1',
  'é\n',
);
const order = fc.record(
  {
    documentID: word,
    orderCode: word,
    salesOrder: word,
    purchaseOrder: word,
    customer: fc.record({ name: word }),
    products: fc.array(
      fc.record({
        workOrder: word,
        materialDetail: fc.record({ materialCode: word }),
        bundles: fc.constant([{ items: [{ quantity: 1200, partLengthIn: 12 }] }]),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['products'] },
);

describe('an order in a summary of orders', () => {
  it('D-30 UP-02 is there exactly if one of the orders has its documentID, whatever their other fields are', () =>
    fc.assert(
      fc.asyncProperty(fc.array(order, { maxLength: 4 }), word, async (orders, id) => {
        const summary = orders.flatMap(summaryRows).map(rowYaml).join('');
        expect(await isThere(summary, 'documentID', id)).toBe(orders.some(({ documentID }) => documentID === id));
      }),
      { numRuns: 500 },
    ));

  it('D-30 D-20 is there by its order code only if the row is not of orders that have a documentID', () =>
    fc.assert(
      fc.asyncProperty(fc.array(order, { maxLength: 4 }), word, async (orders, id) => {
        const summary = orders.flatMap(summaryRows).map(rowYaml).join('');
        const alike = orders.filter(({ orderCode }) => orderCode === id);
        const isCertain = alike.length === 0 || alike.some(({ documentID }) => documentID === undefined);
        expect(await isThere(summary, 'orderCode', id)).toBe(isCertain ? alike.length > 0 : null);
      }),
      { numRuns: 500 },
    ));

  it.each<readonly [string, By, boolean | null]>([
    ['', 'documentID', false],
    ['[]\n', 'documentID', false],
    ['null', 'documentID', false],
    ['- documentID: 0012\n', 'documentID', true],
    ['- documentID: 12\n', 'documentID', false],
    ['- documentID: 00120\n- documentid: "0012"\r\n', 'documentID', true],
    ['- pieces: 1\n  document_ids: [ 7, 0012 ]\n', 'documentID', true],
    ['- documentIDs:\n    - 7\n    - "0012" # the second\n', 'documentID', true],
    ['- documentIDs:\n  - 7\n  pieces: 0012\n', 'documentID', false],
    ['- documentIDs:\n  - 7\n  parts:\n  - 0012\n', 'documentID', false],
    ['- documentID: 7\n  parent:\n    documentID: 0012\n', 'documentID', false],
    ['- documentID: "7\\n  documentID: 0012"\n', 'documentID', false],
    ['- documentID: 7\n- documentID: "\\u00300\\x312"\n', 'documentID', true],
    ['[{"documentID":"7"},{"documentID":"0012"}]', 'documentID', true],
    ['- orderCode: 0012\n', 'documentID', null],
    ['- id: 0012\n', 'documentID', null],
    ['orders: []\n', 'documentID', null],
    ['{"documentID":"0012"}', 'documentID', true],
    ['- [ 0012 ]\n', 'documentID', null],
    ['- documentID: [', 'documentID', null],
    ['- &one 7\n- documentID: *one\n', 'documentID', null],
    ['- orderCode: 0012\n', 'orderCode', true],
    ['- orderCode: 0012\n  documentIDs: []\n', 'orderCode', true],
    ['- orderCode: 0012\n  documentID: null\n', 'orderCode', true],
    ['- orderCode: 0012\n  documentID: D-1\n', 'orderCode', null],
    ['- orderCode: 7\n  salesOrder: 0012\n', 'orderCode', false],
    ['- salesOrder: 0012\n', 'orderCode', null],
  ])('D-30 is judged by the form %j, by %s', async (summary, by, expected) => {
    expect(await isThere(summary, by, '0012')).toBe(expected);
  });
});
