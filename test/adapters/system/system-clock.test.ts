import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';

describe('the clock of the machine', () => {
  it('counts whole milliseconds, never backwards', () => {
    let before = systemClock.now();
    const end = performance.now() + 20;
    while (performance.now() < end) {
      const now = systemClock.now();
      expect(Number.isSafeInteger(now.monotonicMs) && Number.isSafeInteger(now.wallMs)).toBe(true);
      expect(now.monotonicMs).toBeGreaterThanOrEqual(before.monotonicMs);
      expect(Math.abs(now.wallMs - Date.now())).toBeLessThan(1_000);
      before = now;
    }
  });

  it('gives one object for all that happens in one millisecond', () => {
    const moments = new Set<object>();
    const texts = new Set<string>();
    const end = performance.now() + 20;
    while (performance.now() < end) {
      const now = systemClock.now();
      moments.add(now);
      texts.add(`${now.monotonicMs} ${now.wallMs}`);
    }
    expect(moments.size).toBe(texts.size);
  });
});
