import type { Worker } from 'node:worker_threads';
import { CodedError } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { SupportApi } from '../../flows/local-api/system-ports.ts';
import { startThread } from '../../runtime/start-thread.ts';

/** The log of the service and other servers are waited for up to half a minute. */
const MADE_WITHIN_MS = 120_000;
/** Heap of the thread in megabytes; the log is the largest part of a bundle. */
const MAX_HEAP_MB = 512;

export interface SupportBundlesOptions {
  /** The file (src/threads.ts) that a thread which makes a bundle starts from. */
  readonly threadEntry: URL | string;
  /** The request with which the command line started the program. */
  readonly request: object;
}

/** Makes support bundles, one at a time, each in a thread of its own that ends with it. */
export class SupportBundles implements SupportApi {
  readonly #options: SupportBundlesOptions;
  #worker: Worker | null = null;

  constructor(options: SupportBundlesOptions) {
    this.#options = options;
  }

  async bundle(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#worker !== null)
      throw new CodedError('conflict', 'a support bundle is being made: wait until it is done');
    const { threadEntry, request } = this.#options;
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
    const worker = startThread(threadEntry, { workerData: request, resourceLimits });
    this.#worker = worker;
    try {
      return await bundleOf(worker);
    } catch (error) {
      throw new CodedError('store-unavailable', `the support bundle was not made: ${errorMessage(error)}`);
    } finally {
      this.#worker = null;
      await worker.terminate();
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}

function bundleOf(worker: Worker): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const lateBy = () => reject(new Error(`it took more than ${MADE_WITHIN_MS / 1_000} s`));
    const timer = setTimeout(lateBy, MADE_WITHIN_MS);
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`its thread ended with ${code}`));
    });
  });
}
