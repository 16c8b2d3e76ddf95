import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBuckets } from '../../src/domain/token-buckets.ts';

const NAMES = ['a', 'b', 'c'] as const;

describe('token buckets', () => {
  it('no name takes more than its capacity and its refills, and a name that waits long enough has a token', () => {
    const options = fc.record({
      capacity: fc.integer({ min: 1, max: 20 }),
      refillMs: fc.integer({ min: 1, max: 500 }),
    });
    const requests = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.nat(300)), { maxLength: 200 });
    fc.assert(
      fc.property(options, requests, ({ capacity, refillMs }, asked) => {
        const buckets = new TokenBuckets({ capacity, refillMs, mostNames: NAMES.length });
        const taken = new Map<string, number>();
        let nowMs = 0;
        for (const [name, pauseMs] of asked) {
          nowMs += pauseMs;
          if (!buckets.has(name, nowMs)) continue;
          buckets.take(name, nowMs);
          taken.set(name, (taken.get(name) ?? 0) + 1);
        }
        for (const count of taken.values()) expect(count).toBeLessThanOrEqual(capacity + nowMs / refillMs + 1e-6);
        for (const name of NAMES) expect(buckets.has(name, nowMs + refillMs + 1e-6)).toBe(true);
      }),
    );
  });

  it('a full memory forgets the name that took none for the longest; a forgotten name has all its tokens', () => {
    const buckets = new TokenBuckets({ capacity: 1, refillMs: 1_000, mostNames: 2 });
    for (const name of ['a', 'b', 'a', 'c']) buckets.take(name, 0);
    expect(['a', 'b', 'c'].map((name) => buckets.remembers(name))).toEqual([true, false, true]);
    buckets.forget('c');
    expect(['a', 'b', 'c'].map((name) => buckets.has(name, 0))).toEqual([false, true, true]);
  });
});
