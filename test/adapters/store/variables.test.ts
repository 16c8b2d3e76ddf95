import { expect, it } from 'vitest';
import type { OpenedStore } from '../../../src/adapters/store/client/sqlite-store.ts';
import {
  correction,
  newDataDir,
  openTestStore,
  point,
  RF1,
  SHIFT_DATE,
  START_AT,
  variables,
} from './open-test-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function times({ store }: OpenedStore, range: Parameters<OpenedStore['store']['variablePoints']>[2]) {
  return (await store.variablePoints(RF1, 'lineSpeed', range)).points.map(({ at }) => at);
}

it('VAR-03 points are read by time range and by shift date, oldest first', async () => {
  const opened = await openTestStore();
  const nextDay = { ...point(3, START_AT + 2), shiftDate: '2026-03-05' };
  await opened.store.write([variables([point(2, START_AT + 1), nextDay, point(1, START_AT)])]);
  expect(await times(opened, { from: START_AT, to: START_AT + 2 })).toEqual([START_AT, START_AT + 1]);
  expect(await times(opened, { shiftDate: SHIFT_DATE })).toEqual([START_AT, START_AT + 1]);
  expect(await times(opened, { shiftDate: '2026-03-05' })).toEqual([START_AT + 2]);
  expect((await opened.store.variablePoints(RF1, 'unknown', { from: 0, to: START_AT })).points).toEqual([]);
});

it('a range is read as min, max and mean of equal parts', async () => {
  const { store } = await openTestStore();
  await store.write([variables([point(1), point(3, START_AT + 10), point(-5, START_AT + 70)])]);
  expect(await store.variableBuckets(RF1, 'lineSpeed', { from: START_AT, to: START_AT + 100 }, 2)).toEqual([
    { at: START_AT, min: 1, max: 3, mean: 2, count: 2 },
    { at: START_AT + 50, min: -5, max: -5, mean: -5, count: 1 },
  ]);
});

it('D-04 a correction covers the times written since the machine booted, also by an earlier run, and no later ones', async () => {
  const dataDir = newDataDir();
  const wrong = START_AT - 400 * DAY_MS;
  const first = await openTestStore({ dataDir, wallMs: () => wrong });
  await first.store.write([variables([point(1, wrong)])]);
  await first.store.close();
  const second = await openTestStore({ dataDir });
  const span = { spanId: 's', machineId: RF1, activity: 'running', startedAt: wrong, endedAt: wrong + 5 } as const;
  await second.store.write([{ kind: 'span', span }, variables([point(2, wrong + 1)])]);
  second.store.clockCorrected(correction(START_AT - wrong));
  await second.store.write([variables([point(3, START_AT + 2)])]);
  expect(await times(second, { from: START_AT, to: START_AT + DAY_MS })).toEqual([
    START_AT,
    START_AT + 1,
    START_AT + 2,
  ]);
  expect(await second.store.spans(RF1, { from: START_AT, to: START_AT + DAY_MS })).toEqual([
    { ...span, startedAt: START_AT, endedAt: START_AT + 5 },
  ]);
  await second.store.close();
  const third = await openTestStore({ dataDir });
  expect(await times(third, { from: START_AT, to: START_AT + DAY_MS })).toHaveLength(3);
});

it('an hour of one variable, 36,000 points, is read within 30 ms', async () => {
  const opened = await openTestStore();
  const hour = Array.from({ length: 36_000 }, (_, index) => point(index, START_AT + index * 100));
  for (let from = 0; from < hour.length; from += 4_000) {
    await opened.store.write([variables(hour.slice(from, from + 4_000))]);
  }
  const range = { from: START_AT, to: START_AT + HOUR_MS };
  const durationMs = async () => {
    const askedAt = performance.now();
    expect((await opened.store.variablePoints(RF1, 'lineSpeed', range)).points).toHaveLength(36_000);
    return performance.now() - askedAt;
  };
  // One of many times: other tests share this machine's two cores.
  await expect.poll(durationMs, { timeout: 20_000, interval: 20 }).toBeLessThan(30);
});

it('an answer that cannot give all points says so, and gives the newest', async () => {
  const { store } = await openTestStore();
  const points = Array.from({ length: 100_500 }, (_, index) => point(index, START_AT + index));
  await store.write([variables(points)]);
  const answer = await store.variablePoints(RF1, 'lineSpeed', { from: 0, to: START_AT * 2 });
  expect(answer.truncated).toBe(true);
  expect(answer.points).toHaveLength(100_000);
  expect(answer.points.at(0)).toEqual({ at: START_AT + 500, value: 500 });
});
