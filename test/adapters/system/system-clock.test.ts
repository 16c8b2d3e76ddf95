import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type ClockJump, SystemClock } from '../../../src/adapters/system/system-clock.ts';

const STARTED_AT = Date.parse('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const BOOTED_BEFORE_MS = 600_000;

describe('the clock of the computer', () => {
  it('counts whole milliseconds, never backwards', () => {
    const clock = new SystemClock();
    let before = clock.now();
    const end = performance.now() + 20;
    while (performance.now() < end) {
      const now = clock.now();
      expect(Number.isSafeInteger(now.monotonicMs) && Number.isSafeInteger(now.wallMs)).toBe(true);
      expect(now.monotonicMs).toBeGreaterThanOrEqual(before.monotonicMs);
      expect(Math.abs(now.wallMs - Date.now())).toBeLessThan(1_000);
      before = now;
    }
  });

  it('gives one object for all reads within one millisecond', () => {
    const clock = new SystemClock();
    const moments = new Set<object>();
    const texts = new Set<string>();
    const end = performance.now() + 20;
    while (performance.now() < end) {
      const now = clock.now();
      moments.add(now);
      texts.add(`${now.monotonicMs} ${now.wallMs}`);
    }
    expect(moments.size).toBe(texts.size);
  });
});

/** A computer that has been up for ten minutes, with clocks that the test sets. */
function machine() {
  const state = { monotonicMs: 5_000, wallMs: STARTED_AT, sleptMs: 0 };
  const clock = new SystemClock({
    monotonicMs: () => state.monotonicMs,
    wallMs: () => state.wallMs,
    sinceBootMs: () => BOOTED_BEFORE_MS + state.monotonicMs + state.sleptMs,
  });
  const jumps: ClockJump[] = [];
  const leave = clock.onJump((jump) => jumps.push(jump));
  const pass = (forMs: number) => {
    state.monotonicMs += forMs;
    state.wallMs += forMs;
  };
  const sleep = (forMs: number) => {
    state.wallMs += forMs;
    state.sleptMs += forMs;
  };
  const setWall = (byMs: number) => {
    state.wallMs += byMs;
  };
  return { clock, jumps, leave, pass, sleep, setWall, state };
}

describe('D-04 a wall clock that is set', () => {
  it('is told to every listener, and no longer to one that left', async () => {
    const { clock, jumps, leave, setWall } = machine();
    const others: ClockJump[] = [];
    clock.onJump((jump) => others.push(jump));
    setWall(HOUR_MS);
    clock.now();
    await turn();
    expect([jumps.length, others.length]).toEqual([1, 1]);
    leave();
    setWall(HOUR_MS);
    clock.now();
    await turn();
    expect([jumps.length, others.length]).toEqual([1, 2]);
  });

  it.each([HOUR_MS, -HOUR_MS, 1_001, -1_001])(
    'by %d ms goes on as before until all listeners know it',
    async (byMs) => {
      const { clock, jumps, pass, setWall, state } = machine();
      clock.now();
      setWall(byMs);
      pass(40);
      expect(clock.now().wallMs).toBe(STARTED_AT + 40);
      pass(2);
      expect(clock.now().wallMs).toBe(STARTED_AT + 42);
      expect(jumps).toEqual([]);
      await turn();
      expect(jumps).toHaveLength(1);
      expect(Math.abs((jumps[0]?.deltaMs ?? 0) - byMs)).toBeLessThan(1);
      const bootedAt = STARTED_AT + 42 - (BOOTED_BEFORE_MS + state.monotonicMs);
      expect(Math.abs((jumps[0]?.bootedAt ?? 0) - bootedAt)).toBeLessThan(2);
      expect(clock.now().wallMs).toBe(STARTED_AT + 42 + byMs);
      await turn();
      expect(jumps).toHaveLength(1);
    },
  );

  it('and set back in the same turn counts as not set', async () => {
    const { clock, jumps, setWall } = machine();
    clock.now();
    setWall(HOUR_MS);
    expect(clock.now().wallMs).toBe(STARTED_AT);
    setWall(-HOUR_MS);
    await turn();
    expect([jumps, clock.now().wallMs]).toEqual([[], STARTED_AT]);
  });

  it('by a little now and then is followed, and is no jump', async () => {
    const { clock, jumps, setWall } = machine();
    for (let step = 1; step <= 5; step += 1) {
      setWall(999);
      expect(clock.now().wallMs).toBe(STARTED_AT + step * 999);
    }
    await turn();
    expect(jumps).toEqual([]);
  });

  it('without a listener is followed at once', async () => {
    const { clock, jumps, leave, setWall } = machine();
    clock.now();
    leave();
    setWall(HOUR_MS);
    expect(clock.now().wallMs).toBe(STARTED_AT + HOUR_MS);
    await turn();
    expect(jumps).toEqual([]);
  });
});

it('D-04 after a sleep of the computer the wall clock is followed at once, and that is no jump', async () => {
  const { clock, jumps, pass, sleep } = machine();
  clock.now();
  sleep(HOUR_MS);
  pass(3);
  expect(clock.now().wallMs).toBe(STARTED_AT + HOUR_MS + 3);
  await turn();
  expect(jumps).toEqual([]);
});

it('D-04 after a sleep of the computer in which its clock was set, the jump is the difference it was set by', async () => {
  const { clock, jumps, setWall, sleep } = machine();
  clock.now();
  sleep(HOUR_MS);
  setWall(-2 * HOUR_MS);
  expect(clock.now().wallMs).toBe(STARTED_AT + HOUR_MS);
  await turn();
  expect(jumps.map(({ deltaMs }) => Math.round(deltaMs))).toEqual([-2 * HOUR_MS]);
  expect(clock.now().wallMs).toBe(STARTED_AT - HOUR_MS);
});
