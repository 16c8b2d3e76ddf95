import { expect, it } from 'vitest';
import type { StoreHealth } from '../../../src/flows/store-health-ports.ts';
import {
  eventually,
  machine,
  machineState,
  openTestStore,
  point,
  RF1,
  START_AT,
  variables,
} from './open-test-store.ts';

const NO_LIMIT = 1_000_000_000;
const LARGE = 'x'.repeat(20_000);

it('the store waits on a full disk, reports it, and goes on by itself when there is room', async () => {
  const { store, testing } = await openTestStore();
  await store.write([variables([point(1)])]);
  const health: StoreHealth[] = [];
  store.onHealth((state) => health.push(state));
  testing.limitPages(1);
  const waiting = store.write([machineState(LARGE.repeat(10)), variables([point(2, START_AT + 1)])]);
  await eventually(() => store.counters().health.state === 'full');
  const committed = await store.variablePoints(RF1, 'lineSpeed', { from: 0, to: START_AT + 10 });
  expect(committed.points).toEqual([{ at: START_AT, value: 1 }]);
  testing.limitPages(NO_LIMIT);
  await waiting;
  const { points } = await store.variablePoints(RF1, 'lineSpeed', { from: 0, to: START_AT + 10 });
  expect(points.map(({ value }) => value)).toEqual([1, 2]);
  expect(health.map(({ state }) => state)).toEqual(['full', 'ok']);
});

it('VAR-04 while the disk takes nothing, single requests are refused at once, and publishers over MQTT wait', async () => {
  const { store, testing } = await openTestStore();
  await store.write([variables([point(1)])]);
  testing.limitPages(1);
  store.record([machineState(LARGE.repeat(10))]);
  await eventually(() => store.counters().health.state === 'full');
  await expect(store.write([variables([point(2, START_AT + 1)])])).rejects.toMatchObject({ code: 'store-unavailable' });
  const part = { kind: 'part', machineId: RF1, part: null, at: START_AT } as const;
  await expect(store.write([part])).rejects.toMatchObject({ code: 'store-unavailable' });
  const receipt = { clientId: 'RF-1', messageId: 7, payloadHash: 1, duplicate: false };
  const published = store.write([{ kind: 'variables', points: [point(3, START_AT + 2)], receipt }]);
  testing.limitPages(NO_LIMIT);
  await published;
  const { points } = await store.variablePoints(RF1, 'lineSpeed', { from: 0, to: START_AT + 10 });
  expect(points.map(({ value }) => value)).toEqual([1, 3]);
});

it('beyond its bound the store sheds the records that may be shed, oldest first, and refuses the others', async () => {
  const { store, testing } = await openTestStore({ maxPendingBytes: 400_000 });
  testing.limitPages(1);
  const written = Array.from({ length: 12 }, (_, index) =>
    store.write([machineState(LARGE, machine(`W-${index}`))]).then(
      () => 'stored',
      (error: { code: string }) => error.code,
    ),
  );
  await eventually(() => store.counters().health.state === 'full');
  for (let index = 0; index < 40; index += 1) store.record([machineState(LARGE, machine(`R-${index}`))]);
  const { pendingBytes, shedRecords } = store.counters();
  expect(pendingBytes).toBeLessThanOrEqual(400_000);
  expect(shedRecords).toBeGreaterThan(0);
  const tooMuch = Array.from({ length: 20 }, () =>
    store.write([machineState(LARGE)]).then(
      () => null,
      (error) => error,
    ),
  );
  testing.limitPages(NO_LIMIT);
  const refused = (await Promise.all(tooMuch)).filter((error) => error !== null);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ code: 'store-unavailable' });
  expect(await Promise.all(written)).toEqual(written.map(() => 'stored'));
});

it('one record that can never be stored does not hold up the others', async () => {
  const { store } = await openTestStore();
  const impossible = { kind: 'plant', row: { kind: 'machines', id: null as unknown as string, json: '{}' } } as const;
  const results = await Promise.allSettled([
    store.write([variables([point(1)])]),
    store.write([variables([point(2)]), impossible]),
    store.write([variables([point(3, START_AT + 1)])]),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const { points } = await store.variablePoints(RF1, 'lineSpeed', { from: 0, to: START_AT + 10 });
  expect(points.map(({ value }) => value)).toEqual([1, 3]);
});

it('UP-05 a question that the disk leaves unanswered is refused for the moment, any other fault for good', async () => {
  const { store, testing } = await openTestStore();
  const rows = Array.from(
    { length: 2_000 },
    (_, row) => `- { orderCode: O-${row}, materialCode: M, toolingCode: T }\n`,
  );
  const summaries = new TextEncoder().encode(rows.join(''));
  await store.mirrorBegin('orders', 'all');
  testing.limitPages(1);
  await expect(store.mirrorOrders(summaries, START_AT)).rejects.toMatchObject({ code: 'store-unavailable' });
  testing.limitPages(NO_LIMIT);
  expect(await store.mirrorOrders(summaries, START_AT)).toBeNull();
  const unknown = store.mirrorApply('coils', START_AT, true);
  await expect(unknown).rejects.toMatchObject({ code: 'internal' });
});
