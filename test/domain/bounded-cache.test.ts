import { describe, expect, it } from 'vitest';
import { BoundedCache } from '../../src/domain/bounded-cache.ts';

describe('a bounded cache', () => {
  it('DEV-03 never holds more than its limit, and always keeps the newest', () => {
    const cache = new BoundedCache<number, string>(10);
    for (let key = 0; key < 1_000; key++) {
      cache.set(key, `value ${key}`);
      expect(cache.size).toBeLessThanOrEqual(10);
      expect(cache.get(key)).toBe(`value ${key}`);
    }
  });

  it('forgets the value that was set longest ago', () => {
    const cache = new BoundedCache<string, number>(2);
    for (const key of ['a', 'b', 'a', 'c']) cache.set(key, 1);
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 1]);
  });
});
