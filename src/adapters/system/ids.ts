import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

const POOL_BYTES = 4_096;

/**
 * Random numbers from 0 to below 1 out of a pool, because asking the system for each costs more than the rest of an id.
 */
function pooledRandom(): () => number {
  const pool = new Uint32Array(POOL_BYTES / Uint32Array.BYTES_PER_ELEMENT);
  let next = pool.length;
  return () => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    return (pool[next++] ?? 0) / 2 ** 32;
  };
}

/** A new id (ULID): ids sort by the time they were made, also within a millisecond and when the clock is put back. */
export const newUlid: () => string = (() => {
  const next = monotonicFactory(pooledRandom());
  return () => next();
})();
