import { setImmediate as nextTurn } from 'node:timers/promises';

/** One slice of work on what was received: the longest that it holds up a commit. */
export const RECEIVING_SLICE_MS = 5;

/** Takes the steps of a long work, other work of the thread passing between slices of them. */
export async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  let until = performance.now() + RECEIVING_SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + RECEIVING_SLICE_MS;
  }
}
