import { expect, it, vi } from 'vitest';
import type { SampleReason } from '../../../../src/domain/sync/status-sample.ts';
import type { StoreRecord } from '../../../../src/flows/store-ports.ts';
import { newDataDir, openTestCore, point, RF1, SHIFT_DATE, START_AT, type TestCore } from '../open-test-store.ts';
import { coilMove, downtime, openForwardingStore, sample, shift } from './queued-records.ts';

const GATEWAY = { gatewayId: 'plant1-line3', server: 'central' };
const EVERYTHING = { from: 0, to: START_AT * 2 };

function openThinCore(maxBytes: number): TestCore {
  return openTestCore(newDataDir(), 'run', false, { ...GATEWAY, maxBytes });
}

function pack(core: TestCore): void {
  core.packer.begin();
  while (core.packer.isPacking) core.packer.slice();
}

function thin(core: TestCore): void {
  core.forwarding.thinning.slice();
  while (core.forwarding.thinning.isBusy) core.forwarding.thinning.slice();
}

/** The state a second later, because the budget is checked once a second. */
function thinnedLater(core: TestCore) {
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_000);
  core.forwarding.thinning.slice();
  vi.restoreAllMocks();
  thin(core);
  return core.forwarding.totals.of('batch');
}

function waitingValues(core: TestCore, name = 'lineSpeed'): number[] {
  const page = core.forwarding.points.page(SHIFT_DATE, 1_000_000);
  return page?.posts.flatMap(({ values }) => (name in values ? [values[name] ?? Number.NaN] : [])) ?? [];
}

it('UP-06 the store thins points evenly from the oldest on, counts them, and leaves the history whole', async () => {
  const core = openThinCore(40_000);
  for (let value = 0; value < 400; value += 1) {
    core.store([point(value, START_AT + value), point(-value, START_AT + value, 'motorTemp')]);
  }
  pack(core);
  const full = core.forwarding.totals.bytes();
  thin(core);
  const left = waitingValues(core);
  const totals = core.forwarding.totals.of('batch');
  expect(full).toBeGreaterThan(40_000);
  expect(totals.bytes).toBeLessThanOrEqual(40_000);
  expect(totals.depth + totals.thinned.points).toBe(800);
  expect(waitingValues(core, 'motorTemp')).toEqual(left.map((value) => -value));
  const gaps = left.slice(1).map((value, index) => value - (left[index] ?? 0));
  expect([left[0], new Set(gaps.slice(0, 10)), new Set(gaps.slice(-10))]).toEqual([0, new Set([2]), new Set([1])]);
  expect((await core.variables.points(RF1, 'lineSpeed', EVERYTHING)).at.length).toBe(400);
});

it('UP-06 the store thins newer points to the same degree before it thins older ones further', () => {
  const core = openThinCore(10_000);
  for (let round = 0; round < 4; round += 1) {
    for (let value = 0; value < 100; value += 1) {
      const at = round * 100 + value;
      core.store([point(at, START_AT + at)]);
    }
    pack(core);
    thin(core);
    while (core.forwarding.totals.bytes() > 10_000) thin(core);
  }
  const left = waitingValues(core);
  const perRound = [0, 1, 2, 3].map((round) => left.filter((value) => Math.floor(value / 100) === round).length);
  expect(Math.max(...perRound)).toBeLessThanOrEqual(2 * Math.min(...perRound) + 1);
});

it('UP-06 the store waits until points are packed instead of giving up statuses for them', () => {
  const core = openThinCore(20_000);
  core.write([sample('RF-01', START_AT, 'repeat')]);
  core.store(Array.from({ length: 2_000 }, (_, value) => point(value, START_AT + value)));
  thin(core);
  expect(core.forwarding.totals.of('batch').thinned).toEqual({ points: 0, statuses: 0, facts: 0 });
  pack(core);
  const packed = thinnedLater(core);
  expect(packed.thinned).toMatchObject({ statuses: 0, facts: 0 });
  expect(packed.bytes).toBeLessThanOrEqual(20_000);
});

/** Seven hundred rows of each class that may be given up, and of those that may not. */
function fillQueue(core: TestCore): void {
  const whys: readonly SampleReason[] = ['bootEnd', 'partChange', 'change', 'repeat'];
  const records = Array.from({ length: 700 }, (_, index): readonly StoreRecord[] => {
    const anomaly = { machineId: RF1, at: START_AT + index, counter: 'cycle', from: 2, to: 1 } as const;
    const statuses = whys.map((why) => sample('RF-01', START_AT, why));
    const needed = [coilMove(`C-${index}`, 'A'), shift(1, `Shift ${index}`), downtime(`D-${index}`, null)];
    return [...statuses, { kind: 'anomaly', anomaly }, ...needed];
  });
  core.write(records.flat());
}

function waitingOf(core: TestCore): Record<string, { depth: number; bytes: number; thinned: number }> {
  const rows = core.connection.prepare<[], [string, number, number, number]>('SELECT * FROM queue_total').raw().all();
  return Object.fromEntries(rows.map(([name, depth, bytes, thinned]) => [name, { depth, bytes, thinned }]));
}

const GIVEN_UP = ['repeat', 'change', 'anomaly', 'partChange', 'bootEnd'];

it('UP-06 the store gives up one kind of record after the other, but never acts of people or production records', () => {
  const whole = openThinCore(Number.MAX_SAFE_INTEGER);
  fillQueue(whole);
  const waiting = waitingOf(whole);
  let left = whole.forwarding.totals.bytes();
  const targets = GIVEN_UP.map((name) => {
    const bytes = waiting[name]?.bytes ?? 0;
    left -= bytes;
    return left + bytes * 0.2;
  });
  const depths = [...targets, 1].map((target) => {
    const core = openThinCore(target / 0.95);
    fillQueue(core);
    thin(core);
    const kept = waitingOf(core);
    for (const name of ['act', 'shift', 'downtime']) expect(kept[name]).toMatchObject({ depth: 700, thinned: 0 });
    return GIVEN_UP.map((name) => {
      const { depth = 0, thinned = 0 } = kept[name] ?? {};
      expect(depth + thinned).toBe(700);
      return depth;
    });
  });
  expect(depths).toEqual([
    [100, 700, 700, 700, 700],
    [0, 100, 700, 700, 700],
    [0, 0, 100, 700, 700],
    [0, 0, 0, 100, 700],
    [0, 0, 0, 0, 100],
    [0, 0, 0, 0, 0],
  ]);
});

it('UP-06 the queue stays within its budget if two devices send as one machine, and each message looks like a boot', () => {
  const core = openThinCore(100_000);
  const ofBoot = (boot: number) =>
    (['bootEnd', 'partChange'] as const).map((why) => sample('RF-01', START_AT + boot, why));
  core.write(Array.from({ length: 1_000 }, (_, boot) => ofBoot(boot)).flat());
  thin(core);
  const { bytes, depth, thinned } = core.forwarding.totals.of('batch');
  expect(bytes).toBeLessThanOrEqual(100_000);
  expect(depth + thinned.statuses).toBe(2_000);
});

it('UP-06 records that the central server refused do not count: the store gives up nothing for them', () => {
  const core = openThinCore(20_000);
  core.write(Array.from({ length: 100 }, (_, index) => coilMove(`C-${index}`, 'A'.repeat(300))));
  core.write(
    Array.from({ length: 100 }, (_, seq) => ({ kind: 'rowSetAside', seq: seq + 1, reason: 'no', at: START_AT })),
  );
  core.write([sample('RF-01', START_AT, 'repeat')]);
  expect(waitingOf(core).setAside).toMatchObject({ depth: 100 });
  expect(waitingOf(core).setAside?.bytes).toBeGreaterThan(20_000);
  thin(core);
  expect(core.forwarding.totals.of('batch')).toMatchObject({ depth: 1, thinned: { statuses: 0 } });
});

it('UP-06 thinning starts by itself while the store writes', async () => {
  const { store } = await openForwardingStore({ forwarding: { ...GATEWAY, maxBytes: 100_000 } });
  for (let at = 0; at < 1_000; at += 1) store.record([sample('RF-01', START_AT + at, 'change')]);
  await store.write([coilMove('C-1', 'A')]);
  let { bytes } = await store.queueTotals('batch');
  while (bytes > 100_000) ({ bytes } = await store.queueTotals('batch'));
  expect((await store.queueTotals('batch')).thinned.statuses).toBeGreaterThan(0);
  expect(await store.isQueued('coil:C-1')).toBe(true);
});
