import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SlicedWork } from '../domain/sliced-work.ts';

/** The time for which work on many records may keep a thread from all other work. */
export const SLICE_MS = 5;

/** Lets other work pass when the present work has lasted long enough. */
export class Slice {
  readonly #lengthMs: number;
  #sinceMs = performance.now();

  constructor(lengthMs = SLICE_MS) {
    this.#lengthMs = lengthMs;
  }

  get isOver(): boolean {
    return performance.now() - this.#sinceMs >= this.#lengthMs;
  }

  async pause(): Promise<void> {
    if (this.isOver) await this.next();
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#sinceMs = performance.now();
  }
}

/** Does work that may take long. Other work of the thread passes between slices of it. */
export async function inSlices<T>(work: SlicedWork<T>): Promise<T> {
  const slice = new Slice();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (slice.isOver) await slice.next();
  }
}
