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
});
