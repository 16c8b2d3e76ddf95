import type { Worker } from 'node:worker_threads';
import { errorMessage } from '../../../domain/error-text.ts';
import { startThread } from '../../../runtime/start-thread.ts';
import type { FromThread, StoreThreadData, ToThread } from '../protocol.ts';
import type { EarlyThread } from './early-thread.ts';

const FIRST_BACKOFF_MS = 100;
/** The longest wait before a store thread that died is started again. */
const MAX_BACKOFF_MS = 5_000;

export interface StoreWorkerEvents {
  message(message: FromThread): void;
  /** The thread is gone; a new one starts after `retryInMs`. */
  died(reason: string, retryInMs: number): void;
}

/**
 * The life of the store thread as seen from the main thread: started, restarted with back-off when it dies, and ended.
 */
export class StoreWorker {
  readonly #threadEntry: URL | string;
  readonly #threadData: () => StoreThreadData;
  readonly #events: StoreWorkerEvents;
  #worker: Worker | null = null;
  #backoffMs = FIRST_BACKOFF_MS;
  #restartTimer: NodeJS.Timeout | null = null;
  #ended = false;

  constructor(
    threadEntry: URL | string,
    threadData: () => StoreThreadData,
    events: StoreWorkerEvents,
    early?: EarlyThread,
  ) {
    this.#threadEntry = threadEntry;
    this.#threadData = threadData;
    this.#events = events;
    this.#use(early?.take() ?? startThread(threadEntry));
  }

  /** Sends to the thread; false while it is not running. */
  post(message: ToThread): boolean {
    if (this.#worker === null) return false;
    this.#worker.postMessage(message);
    return true;
  }

  /** The thread does its work: the next death counts as the first. */
  resetBackoff(): void {
    this.#backoffMs = FIRST_BACKOFF_MS;
  }

  /** Starts no more threads and ends the present one: by itself within `graceMs`, else by force. */
  async end(graceMs: number): Promise<void> {
    this.#ended = true;
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
    const worker = this.#worker;
    if (worker === null) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const timer = setTimeout(() => void worker.terminate(), graceMs);
    worker.postMessage({ kind: 'close' } satisfies ToThread);
    await exited;
    clearTimeout(timer);
  }

  #use(worker: Worker): void {
    this.#worker = worker;
    worker.postMessage({ kind: 'open', data: this.#threadData() } satisfies ToThread);
    let reason = '';
    worker.on('message', (message: FromThread) => this.#events.message(message));
    worker.on('error', (error: unknown) => {
      reason = errorMessage(error);
    });
    worker.on('exit', (code) => this.#exited(reason === '' ? `exit code ${code}` : reason));
  }

  #exited(reason: string): void {
    this.#worker = null;
    if (this.#ended) return;
    const retryInMs = this.#backoffMs;
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    this.#restartTimer = setTimeout(() => this.#use(startThread(this.#threadEntry)), retryInMs);
    this.#events.died(reason, retryInMs);
  }
}
