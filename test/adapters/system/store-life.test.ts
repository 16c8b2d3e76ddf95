import { expect, it } from 'vitest';
import { Beat, isStoreAlive } from '../../../src/adapters/system/watch/beat.ts';
import { WATCH_TIMING } from '../../../src/adapters/system/watch/watch.ts';

const MINUTE_MS = 60_000;
const LOOK_MS = 250;
const OLD_THREAD = 1;
const NEW_THREAD = 2;

/** A store thread that last beat at 0 ms, after much work, and the threads that take its place without a beat. */
function oldThread() {
  const thread = { id: OLD_THREAD, processorMs: 1_000 * MINUTE_MS, isGone: false, isOpening: false };
  const beat = new Beat(
    () => 7,
    () => thread.id,
    () => (thread.isGone ? null : { state: 'R', processorMs: thread.processorMs }),
  );
  const isAlive = (atMs: number) => isStoreAlive(beat, thread.isOpening, atMs, WATCH_TIMING);
  isAlive(0);
  return { thread, isAlive };
}

it.each([
  ['runs in circles', { isOpening: false, share: 0.9 }, [true, false, false, false]],
  ['waits for a disk', { isOpening: false, share: 0.1 }, [true, true, true, true]],
  ['opens a large database', { isOpening: true, share: 0.9 }, [true, true, true, false]],
  ['waits for a disk while it opens', { isOpening: true, share: 0.1 }, [true, true, true, true]],
])('a new store thread that %s is judged by its own processor time', (_, { isOpening, share }, lives) => {
  const { thread, isAlive } = oldThread();
  Object.assign(thread, { id: NEW_THREAD, processorMs: 0, isOpening });
  isAlive(LOOK_MS);
  const livesAfter = [0.9, 1.1, 59, 61].map((minutes) => {
    thread.processorMs = minutes * MINUTE_MS * share;
    return isAlive(minutes * MINUTE_MS);
  });
  expect(livesAfter).toEqual(lives);
});

it('store threads that die one after the other count as dead, also if they die while they open', () => {
  const { thread, isAlive } = oldThread();
  Object.assign(thread, { isGone: true, isOpening: true });
  for (let atMs = 0; atMs < MINUTE_MS; atMs += 5_000) {
    thread.id += 1;
    expect(isAlive(atMs)).toBe(true);
  }
  expect(isAlive(MINUTE_MS)).toBe(false);
});
