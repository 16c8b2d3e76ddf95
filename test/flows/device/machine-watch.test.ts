import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Activity, Span } from '../../../src/domain/machine/records.ts';
import { FloorUnderTest, knownMachine, machine, NO_STORED_STATE } from '../floor-under-test.ts';

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** Shorter than a hold-up. */
const STEP_MS = 250;

let floor: FloorUnderTest;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate'] });
  floor = new FloorUnderTest([machine('RF-01'), machine('RF-02')]);
  floor.watch.start();
  await floor.status('RF-01');
});

afterEach(() => vi.useRealTimers());

function pass(milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
    floor.pass(STEP_MS);
    vi.advanceTimersByTime(STEP_MS);
  }
}

/** A gateway that starts with the records that this one has stored. */
function nextLife(): FloorUnderTest {
  const states = floor.records.flatMap((record) => (record.kind === 'machineState' ? [record] : []));
  const stored = {
    ...NO_STORED_STATE,
    machineStates: [...new Map(states.map((state) => [state.machineId, state])).values()],
  };
  return new FloorUnderTest([machine('RF-01'), machine('RF-02')], stored, 'next', floor.now);
}

function offlineMs({ registry }: FloorUnderTest): number | undefined {
  return registry.get(knownMachine('RF-01'))?.state.shift?.totals.offlineMs;
}

function lastSpan(of: FloorUnderTest, activity: Activity): Span | undefined {
  const spans = of.records.flatMap((record) => (record.kind === 'span' ? [record.span] : []));
  return spans.findLast((span) => span.activity === activity);
}

describe('a machine that is silent', () => {
  it.each([1, 30, 59, 61, 3_600])('D-03 for %d s when the gateway ends keeps all its time', (seconds) => {
    pass(TIMEOUT_MS + seconds * 1_000);
    floor.watch.stop();
    const next = nextLife();
    expect(offlineMs(next)).toBeGreaterThanOrEqual(seconds * 1_000 - STEP_MS);
    expect(lastSpan(next, 'offline')?.endedAt).toBe(floor.now.wallMs);
  });

  it('D-03 for an hour when the gateway is killed keeps its time, except the last minute', () => {
    pass(60 * MINUTE_MS);
    const next = nextLife();
    expect(offlineMs(next)).toBeGreaterThanOrEqual(58.5 * MINUTE_MS);
    const lost = floor.now.wallMs - (lastSpan(next, 'offline')?.endedAt ?? 0);
    expect(lost).toBeLessThanOrEqual(MINUTE_MS + STEP_MS);
  });

  it('writes its state and totals once a minute; one that was never heard writes nothing', () => {
    pass(2 * MINUTE_MS);
    const before = floor.handedOver.length;
    pass(10 * MINUTE_MS);
    const written = floor.handedOver.slice(before).map((records) => records.map(({ kind }) => kind));
    expect(written).toEqual(Array.from({ length: 10 }, () => ['machineState', 'shift']));
  });
});

describe('a gateway that was held up for 13 s', () => {
  beforeEach(() => floor.status('RF-01', { partId: 'P-1', mSecSinceBoot: 1_500 }));
  const holdUp = () => floor.pass(13_000);
  const catchUp = () => vi.advanceTimersByTime(STEP_MS);

  it('D-04 counts no silence for a machine whose message came meanwhile, in any order of reading', async () => {
    holdUp();
    await floor.status('RF-01', { partId: 'P-1', mSecSinceBoot: 14_500 });
    catchUp();
    expect(offlineMs(floor)).toBe(0);
    expect(lastSpan(floor, 'offline')).toBeUndefined();
    expect(floor.sent).toEqual([]);
  });

  it('D-04 counts the silence of a machine without a message, once the sockets are empty, from its tenth second', () => {
    holdUp();
    catchUp();
    expect(offlineMs(floor)).toBe(13_000 - TIMEOUT_MS);
    expect(lastSpan(floor, 'offline')?.startedAt).toBe(floor.now.wallMs - 3_000);
    expect(floor.sent.map(({ machineId }) => machineId)).toEqual(['RF-01']);
  });

  it('D-04 does not call a machine silent, or count time for it, because a person acts while messages are still read', () => {
    holdUp();
    const live = floor.live('RF-01');
    const act = { type: 'selectPart', partId: 'P-2', partName: null, at: floor.now.wallMs, by: 'person' } as const;
    floor.registry.apply(live, act, floor.now, 'all');
    expect(live.state.silent).toBe(false);
    catchUp();
    expect(live.state.silent).toBe(true);
    expect(offlineMs(floor)).toBe(13_000 - TIMEOUT_MS);
    expect(lastSpan(floor, 'offline')?.startedAt).toBe(floor.now.wallMs - 3_000);
  });

  it('D-04 goes on reading if it is held up again during the reading', async () => {
    holdUp();
    vi.advanceTimersToNextTimer();
    holdUp();
    vi.advanceTimersToNextTimer();
    await floor.status('RF-01', { partId: 'P-1', mSecSinceBoot: 27_500 });
    catchUp();
    expect(offlineMs(floor)).toBe(0);
    expect(floor.sent).toEqual([]);
  });

  it('D-04 counts the unseen time as offline after 8 hours, also for the machine that sends first', async () => {
    floor.pass(8 * 60 * MINUTE_MS);
    await floor.status('RF-01', { partId: 'P-1', mSecSinceBoot: 500 });
    catchUp();
    expect(offlineMs(floor)).toBe(8 * 60 * MINUTE_MS - TIMEOUT_MS);
    expect(floor.sent).toEqual([]);
  });
});
