import { CodedError, foundText } from '../domain/error.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import type { NamedRequest, RequestOperations, RequestQueries } from './request-ports.ts';

export interface DoOnceOptions {
  readonly store: RequestQueries;
  /** Resolves when the outcome of the request's writes is on disk; rejects while one is unconfirmed. */
  readonly requireSettledRequest: (request: Pick<NamedRequest, 'principal' | 'key'>) => Promise<void>;
}

/** Copies of one request that may wait for the first. */
const MAX_WAITING_COPIES = 10;

/**
 * Carries out a named request once. A copy that comes meanwhile waits for it, and a late copy gets the first answer,
 * also after a restart. A refused request did nothing and is judged again when it comes again, because a client that
 * has removed the cause may send it under its old key.
 */
export class DoOnceFlow {
  readonly #options: DoOnceOptions;
  readonly #turns = new KeyedMutex('Idempotency-Key', MAX_WAITING_COPIES);

  constructor(options: DoOnceOptions) {
    this.#options = options;
  }

  /**
   * Rejects with the error of the act, with `key-reused` if another request was done under that key, with
   * `rate-limited` if too many with the same key wait, and with `outcome-unknown` while its outcome is unconfirmed.
   */
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
