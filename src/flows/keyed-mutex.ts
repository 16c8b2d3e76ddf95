import { foundText, tooMany } from '../domain/error.ts';
import { WorkQueue } from '../domain/work-queue.ts';
import type { GatewayTurns } from './receive/receive-ports.ts';

/** Runs operations on one key one after the other, and operations on different keys side by side. */
export class KeyedMutex implements GatewayTurns {
  readonly #kind: string;
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, WorkQueue>();

  /** `kind` names the key in errors. At most `maxWaiting` operations wait for one key. */
  constructor(kind: string, maxWaiting: number) {
    this.#kind = kind;
    this.#maxWaiting = maxWaiting;
  }

  /** Rejects with the error of `operation`, or with `rate-limited` if too many operations wait already. */
  async runExclusive<T>(key: string, operation: () => Promise<T>): Promise<T> {
    const refuse = () => tooMany(`operations on ${this.#kind} ${foundText(key)}`, this.#maxWaiting);
    const queue = this.#queues.get(key) ?? new WorkQueue(1, this.#maxWaiting, refuse);
    this.#queues.set(key, queue);
    try {
      return await queue.run(operation);
    } finally {
      if (queue.isIdle) this.#queues.delete(key);
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
}
