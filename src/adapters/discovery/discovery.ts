import type { Worker } from 'node:worker_threads';
import { errorMessage } from '../../domain/error-text.ts';
import type { Incidents, Log } from '../../flows/ports.ts';
import { startThread } from '../../runtime/start-thread.ts';
import type { ResponderNews } from './responder.ts';
import type { DiscoveryThreadOptions } from './run-discovery-thread.ts';

const FIRST_BACKOFF_MS = 1_000;
/** The longest wait before discovery that failed is started again. */
const MAX_BACKOFF_MS = 60_000;
/** At the end the gateway waits at most this long to send its goodbye. */
const MAX_CLOSE_MS = 300;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 16 } as const;

export interface DiscoveryOptions extends DiscoveryThreadOptions {
  readonly threadEntry: URL | string;
  readonly incidents: Incidents;
  readonly log: Log;
}

/**
 * Lets others find the gateway by name. It works in its own thread, so that trouble on the network does not delay
 * machines. If the thread dies, diagnostics give the reason, and another one starts.
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  #worker: Worker | null = null;
  #backoffMs = FIRST_BACKOFF_MS;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const timer = setTimeout(() => void worker.terminate(), MAX_CLOSE_MS);
    worker.postMessage('close');
    await ended;
    clearTimeout(timer);
  }

  #start(): void {
    const { threadEntry, incidents: _, log: __, ...workerData } = this.#options;
    const worker = startThread(threadEntry, { workerData, resourceLimits: RESOURCE_LIMITS });
    worker.unref();
    this.#worker = worker;
    let reason = 'it ended';
    worker.on('message', (news: ResponderNews) => this.#heard(news));
    worker.on('error', (error: unknown) => {
      reason = errorMessage(error);
    });
    worker.on('exit', () => this.#ended(reason));
  }

  #heard(news: ResponderNews): void {
    if (news.kind === 'trouble') {
      this.#report(news.detail);
      return;
    }
    this.#backoffMs = FIRST_BACKOFF_MS;
    this.#options.log.info({ name: news.name }, 'found on the network by this name');
  }

  #ended(reason: string): void {
    this.#worker = null;
    if (this.#isClosed) return;
    this.#report(reason);
    this.#timer = setTimeout(() => this.#start(), this.#backoffMs).unref();
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
  }

  #report(detail: string): void {
    this.#options.incidents.report({ kind: 'discovery', subject: `${this.#options.name}.local`, detail });
  }
}
