import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../runtime/start-thread.ts';

/** A store thread that was started before the configuration was known. */
export class EarlyThread {
  readonly #worker: Worker;
  #isGone = false;
  readonly #onGone = () => {
    this.#isGone = true;
  };

  /** The thread loads its scripts while the main thread reads the configuration. */
  constructor(threadEntry: URL | string) {
    this.#worker = startThread(threadEntry);
    // This thread must not keep the process alive as long as it is unused.
    this.#worker.unref();
    this.#worker.once('error', this.#onGone).once('exit', this.#onGone);
  }

  /** Gives the thread away, or null if it has died; the thread that is started in its place reports the reason. */
  take(): Worker | null {
    this.#worker.off('error', this.#onGone).off('exit', this.#onGone);
    if (this.#isGone) return null;
    this.#worker.ref();
    return this.#worker;
  }

  /** Ends the thread without opening a database. */
  async discard(): Promise<void> {
    await this.#worker.terminate();
  }
}
