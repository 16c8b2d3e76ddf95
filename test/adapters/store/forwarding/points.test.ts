import { expect, it } from 'vitest';
import type { VariablePoint } from '../../../../src/flows/store-ports.ts';
import { correction, openTestStore, point, SHIFT_DATE, START_AT, variables } from '../open-test-store.ts';
import { coilMove, openForwardingStore } from './queued-records.ts';

const DAY_BEFORE = '2026-03-03';

const old = (value: number): VariablePoint => ({ ...point(value, START_AT - 86_400_000), shiftDate: DAY_BEFORE });

it("D-26 the queue gives the present shift date's points as posts, values of a moment together, and names older rows", async () => {
  const { store } = await openForwardingStore();
  await store.write([variables([old(1), old(2)])]);
  await store.write([
    variables([point(3), point(4, START_AT, 'motorTemp'), point(5, START_AT + 1), point(6, START_AT)]),
  ]);
  const page = await store.pointsPage(SHIFT_DATE, 100);
  expect(page).toEqual({
    posts: [
      { row: 2, machineId: 'RF-01', at: START_AT, values: { lineSpeed: 3, motorTemp: 4 } },
      { row: 2, machineId: 'RF-01', at: START_AT + 1, values: { lineSpeed: 5 } },
      { row: 2, machineId: 'RF-01', at: START_AT, values: { lineSpeed: 6 } },
    ],
    rows: [2],
    olderRows: [1],
  });
  expect(await store.queueTotals('interface')).toMatchObject({ depth: 6, oldestAt: START_AT - 86_400_000 });
  await store.write([
    { kind: 'pointsSent', rows: page?.rows ?? [] },
    { kind: 'pointsHeld', rows: page?.olderRows ?? [] },
  ]);
  expect(await store.pointsPage(SHIFT_DATE, 100)).toBeNull();
  expect(await store.queueTotals('interface')).toMatchObject({ depth: 0, oldestAt: null, held: { depth: 2 } });
  expect(await store.queueTotals('batch')).toMatchObject({ depth: 2, oldestAt: START_AT - 86_400_000 });
});

it('D-26 the queue holds the points of the day before in a row whose other points were posted', async () => {
  const { store } = await openForwardingStore();
  await store.write([variables([old(1), point(2), old(3)])]);
  expect(await store.pointsPage(SHIFT_DATE, 100)).toMatchObject({ posts: [{ values: { lineSpeed: 2 } }], rows: [1] });
  await store.write([{ kind: 'pointsSent', rows: [1] }]);
  expect(await store.queueTotals('interface')).toMatchObject({ depth: 0, held: { depth: 2 } });
});

it('D-26 the queue gives points in pages, at their corrected times', async () => {
  const { store } = await openForwardingStore();
  for (let value = 0; value < 4; value += 1) await store.write([variables([point(value, START_AT + value)])]);
  store.clockCorrected(correction(1_000));
  await store.write([coilMove('C-1', 'A')]);
  const page = await store.pointsPage(SHIFT_DATE, 3);
  expect(page?.posts.map(({ at }) => at)).toEqual([0, 1, 2].map((value) => START_AT + value + 1_000));
  await store.write([{ kind: 'pointsSent', rows: page?.rows ?? [] }]);
  expect((await store.pointsPage(SHIFT_DATE, 3))?.rows).toEqual([4]);
});

it('UP-01 the queue forwards no point without a central server', async () => {
  const { store } = await openTestStore();
  await store.write([variables([point(1)])]);
  expect(await store.pointsPage(SHIFT_DATE, 100)).toBeNull();
});
