import type { Beat } from './beat.ts';
import type { WatchTiming } from './watch.ts';

/** A thread that used this much of a processor did not wait for a disk. */
const BUSY_SHARE = 0.5;

/**
 * A store thread that waits for a disk counts as alive, for any time: the gateway still decides, and a restarted thread
 * could not even open the database. A thread that opens its database may be busy for much longer than another. A thread
 * that runs in circles, or that is gone and does not come back, counts as dead.
 */
export function isStoreAlive(
  store: Beat,
  isOpening: boolean,
  nowMs: number,
  { storeDeadMs, storeOpeningMs }: Pick<WatchTiming, 'storeDeadMs' | 'storeOpeningMs'>,
): boolean {
  const lateMs = store.lateMs(nowMs);
  if (lateMs < storeDeadMs) return true;
  const activity = store.activity(nowMs);
  if (activity === null) return false;
  return activity.processorShare < BUSY_SHARE || (isOpening && lateMs < storeOpeningMs);
}
