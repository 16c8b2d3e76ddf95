/** Runs tasks one after the other, in the order of their calls. */
export class SerialQueue {
  /** The end of the newest task. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects with the error of `task`. The next task runs all the same. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const own = this.#last.then(task);
    this.#last = Promise.allSettled([own]);
    return own;
  }
}
