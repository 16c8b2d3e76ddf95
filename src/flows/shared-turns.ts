/**
 * Lets many act side by side, or one alone. Who wants to be alone waits for all who began before, and who comes after waits
 * for it: nobody waits for ever.
 */
export class SharedTurns {
  readonly #sharers = new Set<Promise<unknown>>();
  /** Never rejects. */
  #alone: Promise<unknown> = Promise.resolve();

  /** Rejects as the act does, as `alone` does. */
  async shared<T>(act: () => Promise<T>): Promise<T> {
    const own = this.#alone.then(act);
    this.#sharers.add(own);
    try {
      return await own;
    } finally {
      this.#sharers.delete(own);
    }
  }

  alone<T>(act: () => Promise<T>): Promise<T> {
    const own = Promise.allSettled([this.#alone, ...this.#sharers]).then(act);
    this.#alone = Promise.allSettled([own]);
    return own;
  }
}
