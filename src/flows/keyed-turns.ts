import { CodedError, foundText } from '../domain/error.ts';

interface Line {
  readonly last: Promise<unknown>;
  readonly waiting: number;
}

/** Lets acts on one thing happen one behind the other, and acts on different things side by side. */
export class KeyedTurns {
  readonly #kind: string;
  readonly #maxWaiting: number;
  readonly #lines = new Map<string, Line>();

  /** `kind` says in a refusal what is waited for; `maxWaiting` is how many may wait for one thing. */
  constructor(kind: string, maxWaiting: number) {
    this.#kind = kind;
    this.#maxWaiting = maxWaiting;
  }

  /** Acts when its turn has come. Rejects as the act does, or with `rate-limited` where too many wait already. */
  async inTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
    const before = this.#lines.get(key) ?? { last: Promise.resolve(), waiting: 0 };
    if (before.waiting > this.#maxWaiting) {
      const message = `more than ${this.#maxWaiting} operations wait for ${this.#kind} ${foundText(key)}: try again`;
      throw new CodedError('rate-limited', message);
    }
    const own = before.last.then(act);
    this.#lines.set(key, { last: Promise.allSettled([own]), waiting: before.waiting + 1 });
    try {
      return await own;
    } finally {
      this.#leave(key);
    }
  }

  /**
   * Acts when its turn has come for all of them, each named once. All lines are joined at once, so that no two acts wait
   * for each other.
   */
  async inTurns<T>(keys: readonly string[], act: () => Promise<T>): Promise<T> {
    const done = Promise.withResolvers<void>();
    const joined = keys.map((key) => {
      const arrived = Promise.withResolvers<void>();
      const held = this.inTurn(key, () => {
        arrived.resolve();
        return done.promise;
      });
      return { held, arrived: Promise.race([arrived.promise, held]) };
    });
    try {
      await Promise.all(joined.map(({ arrived }) => arrived));
      return await act();
    } finally {
      done.resolve();
      await Promise.allSettled(joined.map(({ held }) => held));
    }
  }

  /** Whether somebody acts on it or waits to. */
  isBusy(key: string): boolean {
    return this.#lines.has(key);
  }

  #leave(key: string): void {
    const line = this.#lines.get(key);
    if (line === undefined) return;
    if (line.waiting === 1) this.#lines.delete(key);
    else this.#lines.set(key, { ...line, waiting: line.waiting - 1 });
  }
}
