import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateGate } from '../../../src/flows/device/live-machine.ts';

describe('RateGate', () => {
  it('DEV-18 lets at most the configured number pass within any second', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 20 }), (waits, perSecond) => {
        const gate = new RateGate(perSecond);
        let now = 0;
        const passed: number[] = [];
        for (const wait of waits) {
          now += wait;
          if (gate.pass(now)) passed.push(now);
        }
        for (const [index, at] of passed.entries()) {
          const earlier = passed[index - perSecond];
          if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(950);
        }
      }),
    );
  });

  it('D-12 sheds nothing of a device at its limit because of jitter', () => {
    const jitter = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 100, maxLength: 100 });
    fc.assert(
      fc.property(jitter, (offsets) => {
        const gate = new RateGate(10);
        expect(offsets.every((offset, index) => gate.pass(1_000 + index * 100 + offset))).toBe(true);
      }),
    );
  });

  it('D-12 lets a burst after a pause pass at once', () => {
    const gate = new RateGate(10);
    expect(Array.from({ length: 12 }, () => gate.pass(5_000)).filter(Boolean)).toHaveLength(10);
  });
});
