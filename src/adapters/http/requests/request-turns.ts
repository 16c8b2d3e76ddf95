import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { LIMITS } from '../limits.ts';

/**
 * Rations the requests of clients other than devices: in one turn of the event loop all of them together have a slice
 * of its time. The sockets of machines get their turn in between.
 */
export class RequestTurns {
  readonly #listener: RequestListener;
  readonly #waiting: [IncomingMessage, ServerResponse][] = [];
  #untilMs = 0;
  #isServing = false;

  constructor(listener: RequestListener) {
    this.#listener = listener;
  }

  /** Answers the request in its turn, in the order of arrival. */
  readonly handle: RequestListener = (request, response) => {
    this.#waiting.push([request, response]);
    if (this.#isServing) return;
    this.#isServing = true;
    setImmediate(this.#begin);
  };

  readonly #begin = (): void => {
    this.#untilMs = performance.now() + LIMITS.requestSliceMs;
    this.#next();
  };

  readonly #next = (): void => {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#isServing = false;
      return;
    }
    if (performance.now() >= this.#untilMs) {
      this.#waiting.unshift(next);
      setImmediate(this.#begin);
      return;
    }
    const [request, response] = next;
    if (!response.destroyed) this.#listener(request, response);
    // Most of the work is done in promise callbacks; a tick that one of them asks for comes after all of them.
    queueMicrotask(() => process.nextTick(this.#next));
  };
}
