import { CodedError, foundText } from '../domain/error.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import type { NamedRequest, NamedRequests, RequestOperations, RequestQueries } from './request-ports.ts';

export interface DoOnceOptions {
  readonly store: RequestQueries;
  /** Resolves when it is on disk what became of writes that the request began; rejects while one is unconfirmed. */
  readonly requireSettledRequest: (request: Pick<NamedRequest, 'principal' | 'key'>) => Promise<void>;
}

/** Copies of one request that may wait for the first. */
const MAX_WAITING_COPIES = 10;

/**
 * Does what a named request asks for once: a copy that comes while it is done waits for it, a late one is answered as it
 * was, after a restart too. A refused request did nothing, and is judged anew when it comes again: a client that has mended the
 * cause may send it under its old name.
 */
export class DoOnceFlow implements NamedRequests {
  readonly #options: DoOnceOptions;
  readonly #turns = new KeyedMutex('Idempotency-Key', MAX_WAITING_COPIES);

  constructor(options: DoOnceOptions) {
    this.#options = options;
  }

  once<T>(request: NamedRequest, { act, repeat }: RequestOperations<T>): Promise<T> {
    const { principal, key } = request;
    return this.#turns.runExclusive(`${key} of ${principal}`, async () => {
      await this.#options.requireSettledRequest(request);
      const memory = await this.#options.store.requestMemory(request);
      if (memory.kind === 'done') return repeat(memory.answer);
      if (memory.kind === 'another') throw keyReused(key);
      return act({ kind: 'requestDone', principal, key, digest: memory.digest, answer: null });
    });
  }
}

function keyReused(key: string): CodedError {
  const message = `Idempotency-Key: ${foundText(key)} was used for another request already: use a new key`;
  return new CodedError('key-reused', message);
}
