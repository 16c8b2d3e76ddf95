import { describe, expect, it } from 'vitest';
import { madeItems, orderItems, summaryItems } from '../../../src/domain/order/order-items.ts';
import { isPast, orderProgress } from '../../../src/domain/order/order-progress.ts';
import { type OrderSummaryRow, summaryRows } from '../../../src/domain/order/order-summary.ts';

/** 17:40 in Chicago. */
const CLOCK = { nowAt: Date.parse('2026-11-29T23:40:00Z'), localNow: '2026-11-29T17:40:00' };

describe('D-90 a due time', () => {
  it.each([
    ['2026-11-28', true],
    ['2026-11-29', false],
    ['2026-11-29T17:39:00', true],
    ['2026-11-29T17:41', false],
    ['2026-11-29T23:39:00Z', true],
    ['2026-11-29T23:41:00Z', false],
    ['2026-11-29T18:39:00-05:00', true],
  ])('%s has passed: %s', (due, past) => {
    expect(isPast(due, CLOCK)).toBe(past);
  });
});

const item = (quantity: number, partLengthIn: number, more: object = {}) => ({ quantity, partLengthIn, ...more });
const ORDER = {
  documentID: 'D-1',
  orderCode: 'SO-1',
  schedule: { requiredDateTime: '2026-11-28' },
  products: [
    {
      toolingDetail: { toolingCode: 'PBR-36', description: 'Panel' },
      materialDetail: { materialCode: 'G26' },
      workOrder: 'WO-1',
      bundles: [
        { bundleCode: 'A-1', items: [item(10, 220, { sequence: 2 }), item(5, 120, { sequence: 1 })] },
        { bundleCode: 'A-2', items: [item(10, 220), item(2, 220)] },
        { bundleNumber: 3, items: [item(4, 220), item(1, 220, { pieceMark: 'X' })] },
      ],
    },
    { toolingDetail: { toolingCode: 'Z-8' }, bundles: [{ items: [item(8, 96)] }] },
  ],
};

describe('D-90, F11 the progress of an order', () => {
  it.each([
    ['nothing', {}, 0, false, true],
    ['a part', { 'WO-1': 12 }, 12, false, true],
    ['more than was asked of one product', { 'WO-1': 99 }, 32, false, true],
    ['all', { 'WO-1': 32, 'SO-1': 8 }, 40, true, false],
    ['another job', { 'D-1': 50 }, 0, false, true],
  ])('%s is made', (_, made: Readonly<Record<string, number>>, madePieces, isMade, isOverdue) => {
    const progress = orderProgress(summaryRows(ORDER), (job) => made[job] ?? 0, CLOCK);
    expect(progress).toEqual({ madePieces, isMade, isOverdue });
  });

  it('an order without pieces is never made', () => {
    const rows = summaryRows({ documentID: 'D-2', products: [] });
    expect(orderProgress(rows, () => 9, CLOCK)).toEqual({ madePieces: 0, isMade: false, isOverdue: false });
  });

  it('its items are the pieces of one length and mark, with their bundles, made in their sequence', () => {
    const items = madeItems(orderItems(ORDER), (job) => ({ 'WO-1': 12, 'SO-1': 3 })[job] ?? 0);
    expect(
      items.map(({ jobs, lengthIn, pieces, madePieces, bundles, bundleCodes, pieceMark }) => [
        jobs.join(),
        lengthIn,
        pieces,
        madePieces,
        bundles,
        bundleCodes.join(),
        pieceMark,
      ]),
    ).toEqual([
      ['WO-1', 120, 5, 5, 1, 'A-1', null],
      ['WO-1', 220, 26, 7, 3, 'A-1,3', null],
      ['WO-1', 220, 1, 0, 1, '3', 'X'],
      ['SO-1', 96, 8, 3, 1, '', null],
    ]);
    expect(items[0]).toMatchObject({ toolingCode: 'PBR-36', tooling: 'Panel', materialCode: 'G26' });
  });

  it('of an order that only the central server has, the sums of its products are known', () => {
    const rows: readonly OrderSummaryRow[] = summaryRows(ORDER);
    const items = summaryItems(rows);
    expect(items.map(({ jobs, pieces, lengthIn }) => [jobs.join(), pieces, lengthIn])).toEqual([
      ['WO-1', 32, null],
      ['SO-1', 8, null],
    ]);
  });
});
