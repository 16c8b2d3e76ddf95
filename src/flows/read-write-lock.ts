/** Readers run side by side, a writer runs alone. They start in the order of their calls, so none waits for ever. */
export class ReadWriteLock {
  readonly #readers = new Set<Promise<unknown>>();
  /** The newest writer. Never rejects. */
  #writer: Promise<unknown> = Promise.resolve();

  /** Rejects with the error of `operation`. */
  async read<T>(operation: () => Promise<T>): Promise<T> {
    const own = this.#writer.then(operation);
    this.#readers.add(own);
    try {
      return await own;
    } finally {
      this.#readers.delete(own);
    }
  }

  /** Rejects with the error of `operation`. */
  write<T>(operation: () => Promise<T>): Promise<T> {
    const own = Promise.allSettled([this.#writer, ...this.#readers]).then(operation);
    this.#writer = Promise.allSettled([own]);
    return own;
  }
}
