import type { SlicedWork } from '../domain/sliced-work.ts';
import type { Clock } from './ports.ts';

/** How long work on many records may keep the loop before everybody else gets a turn. */
const SLICE_MS = 4;

/** Does work that may take long, a few milliseconds at a time. */
export async function inSlices<T>(work: SlicedWork<T>, clock: Clock): Promise<T> {
  let sinceMs = clock.now().monotonicMs;
  let step = work.next();
  while (step.done !== true) {
    if (clock.now().monotonicMs - sinceMs >= SLICE_MS) {
      await nextTurn();
      sinceMs = clock.now().monotonicMs;
    }
    step = work.next();
  }
  return step.value;
}

function nextTurn(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}
