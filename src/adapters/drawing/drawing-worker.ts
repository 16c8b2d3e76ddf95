import type { Worker } from 'node:worker_threads';
import { CodedError, tooMany } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Drawn } from '../../domain/profile/drawing.ts';
import type { ThumbnailArtist } from '../../flows/library/profile-ports.ts';
import { startThread } from '../../runtime/start-thread.ts';
import type { DrawAnswer, DrawingThreadData, DrawRequest } from './protocol.ts';

/** Profiles that may wait to be drawn. */
const MAX_WAITING = 256;
/** Heap of the thread in megabytes; a profile takes a fraction of it. */
const MAX_HEAP_MB = 64;
/**
 * Threads that may die one after the other until a drawing counts as one that kills them. Until then the fault may be a
 * passing one, such as a lack of memory.
 */
const MAX_DEATHS_IN_A_ROW = 3;
/** The thread holds tens of megabytes, so it is ended after this time without work. */
const IDLE_MS = 60_000;

export interface DrawingWorkerOptions {
  /** The file (src/threads.ts) that a drawing thread starts from. */
  readonly threadEntry: URL | string;
  readonly wasmFile: string;
  readonly idleMs?: number;
}

interface Waiting {
  readonly resolve: (dataUrl: string) => void;
  readonly reject: (error: Error) => void;
}

/** Draws profiles in its own thread. The thread starts with the first drawing and ends when no drawing waits. */
export class DrawingWorker implements ThumbnailArtist {
  readonly #options: DrawingWorkerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #idleTimer: NodeJS.Timeout | null = null;
  #lastId = 0;
  #deathsInARow = 0;

  constructor(options: DrawingWorkerOptions) {
    this.#options = options;
  }

  draw({ features, paintedSide }: Drawn): Promise<string> {
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(tooMany('profiles to draw', MAX_WAITING));
    }
    const worker = this.#start();
    this.#lastId += 1;
    const request: DrawRequest = { id: this.#lastId, drawn: { features, paintedSide } };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#gone('the drawing thread is ended', 'store-unavailable');
    await worker?.terminate();
  }

  #start(): Worker {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
    if (this.#worker !== null) return this.#worker;
    const { threadEntry, wasmFile } = this.#options;
    const workerData: DrawingThreadData = { wasmFile };
    const worker = startThread(threadEntry, { workerData, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
    worker.on('message', (answer: DrawAnswer) => this.#answered(answer));
    worker.on('error', (error: unknown) => {
      if (this.#worker === worker) this.#died(errorMessage(error));
    });
    worker.on('exit', (code) => {
      if (this.#worker === worker) this.#died(`exit code ${code}`);
    });
    // An idle thread does not keep the process alive.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #answered(answer: DrawAnswer): void {
    this.#deathsInARow = 0;
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('dataUrl' in answer) waiting?.resolve(answer.dataUrl);
    else waiting?.reject(new CodedError('internal', `a profile could not be drawn: ${answer.fault}`));
    if (this.#waiting.size > 0) return;
    this.#idleTimer = setTimeout(() => void this.close(), this.#options.idleMs ?? IDLE_MS);
    this.#idleTimer.unref();
  }

  #died(why: string): void {
    this.#deathsInARow += 1;
    this.#gone(why, this.#deathsInARow < MAX_DEATHS_IN_A_ROW ? 'store-unavailable' : 'internal');
  }

  /** Refuses the drawings that wait. With `store-unavailable` they may be asked for again. */
  #gone(why: string, code: 'store-unavailable' | 'internal'): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new CodedError(code, `a profile could not be drawn: ${why}`));
  }
}
