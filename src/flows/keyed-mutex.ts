import { CodedError, foundText } from '../domain/error.ts';
import { SerialQueue } from '../domain/serial-queue.ts';

interface Queue {
  readonly operations: SerialQueue;
  readonly waiting: number;
}

/** Runs operations on one key one after the other, and operations on different keys side by side. */
export class KeyedMutex {
  readonly #kind: string;
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, Queue>();

  /** `kind` names the key in errors. At most `maxWaiting` operations wait for one key. */
  constructor(kind: string, maxWaiting: number) {
    this.#kind = kind;
    this.#maxWaiting = maxWaiting;
  }

  /** Rejects with the error of `operation`, or with `rate-limited` if too many operations wait already. */
  async runExclusive<T>(key: string, operation: () => Promise<T>): Promise<T> {
    const { operations, waiting } = this.#queues.get(key) ?? { operations: new SerialQueue(), waiting: 0 };
    if (waiting > this.#maxWaiting) {
      const message = `more than ${this.#maxWaiting} operations wait for ${this.#kind} ${foundText(key)}: try again`;
      throw new CodedError('rate-limited', message);
    }
    this.#queues.set(key, { operations, waiting: waiting + 1 });
    try {
      return await operations.run(operation);
    } finally {
      this.#release(key);
    }
  }

  /** Locks all `keys`, each named once. It queues for all of them at once, which prevents deadlocks. */
  async runExclusiveOnAll<T>(keys: readonly string[], operation: () => Promise<T>): Promise<T> {
    const done = Promise.withResolvers<void>();
    const joined = keys.map((key) => {
      const arrived = Promise.withResolvers<void>();
      const held = this.runExclusive(key, () => {
        arrived.resolve();
        return done.promise;
      });
      return { held, arrived: Promise.race([arrived.promise, held]) };
    });
    try {
      await Promise.all(joined.map(({ arrived }) => arrived));
      return await operation();
    } finally {
      done.resolve();
      await Promise.allSettled(joined.map(({ held }) => held));
    }
  }

  /** Whether an operation on the key runs or waits. */
  isBusy(key: string): boolean {
    return this.#queues.has(key);
  }

  #release(key: string): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) return;
    if (queue.waiting === 1) this.#queues.delete(key);
    else this.#queues.set(key, { ...queue, waiting: queue.waiting - 1 });
  }
}
