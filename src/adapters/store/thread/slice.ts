import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long the thread may be kept from its commits by work that takes long. */
const SLICE_MS = 5;

/** Lets other work pass when this has gone on for long enough. */
export class Slice {
  #sinceMs = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#sinceMs >= SLICE_MS;
  }

  async pause(): Promise<void> {
    if (this.isOver) await this.next();
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#sinceMs = performance.now();
  }
}
