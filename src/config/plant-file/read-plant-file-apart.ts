import type { Worker } from 'node:worker_threads';
import { CodedError, type Fault } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { PlantFile } from '../../domain/plant/plant-entry.ts';
import { startThread } from '../../runtime/start-thread.ts';
import { ConfigError, type LocatedFault } from '../located-fault.ts';
import type { OpenPlantFile } from './apply-plant-file.ts';
import type { FromPlantFileThread, PlantFileThreadData, ToPlantFileThread } from './plant-file-messages.ts';
import { append, emptyLists } from './plant-lists.ts';

/**
 * Reads a plant file in a thread of its own: a large plant takes seconds, and its tree a gigabyte. Rejects with a
 * ConfigError that names each fault and its place. `bytes` are handed over and cannot be used afterwards. `threadEntry`
 * is the file (src/threads.ts) that the thread starts from.
 */
export async function readPlantFileApart(
  bytes: Uint8Array,
  file: string,
  threadEntry: URL | string,
): Promise<OpenPlantFile> {
  const thread = new ReadingThread(bytes, file, threadEntry);
  try {
    const plantFile = await thread.plantFile();
    return { plantFile, locate: (faults) => thread.locate(faults), close: () => thread.close() };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

class ReadingThread {
  readonly #worker: Worker;
  readonly #file: string;
  #waiting: PromiseWithResolvers<FromPlantFileThread> | null = null;
  #failure: CodedError | null = null;

  constructor(bytes: Uint8Array, file: string, threadEntry: URL | string) {
    const workerData: PlantFileThreadData = { bytes, file };
    const { buffer } = bytes;
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
    this.#file = file;
    this.#worker = startThread(threadEntry, { workerData, transferList: isWhole ? [buffer] : [] });
    this.#worker.on('message', (message: FromPlantFileThread) => this.#waiting?.resolve(message));
    this.#worker.on('error', (error: unknown) => this.#fail(errorMessage(error)));
    this.#worker.on('exit', (code) => this.#fail(`its thread ended with ${code}`));
  }

  async plantFile(): Promise<PlantFile> {
    const lists = emptyLists();
    for (;;) {
      const answer = await this.#ask({ kind: 'next' });
      if (answer.kind === 'faulty') throw new ConfigError(answer.faults);
      if (answer.kind === 'whole') return lists;
      if (answer.kind === 'piece') append(lists, answer.piece.kind, answer.piece.entries);
    }
  }

  async locate(faults: readonly Fault[]): Promise<readonly LocatedFault[]> {
    const answer = await this.#ask({ kind: 'locate', faults });
    return answer.kind === 'located' ? answer.faults : [];
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(message: ToPlantFileThread): Promise<FromPlantFileThread> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#waiting = Promise.withResolvers();
    this.#worker.postMessage(message);
    return this.#waiting.promise;
  }

  #fail(reason: string): void {
    this.#failure ??= new CodedError('internal', `${this.#file} cannot be read: ${reason}`);
    this.#waiting?.reject(this.#failure);
  }
}
