import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LIMITS } from '../limits.ts';
import { heldBytes } from './request-bodies.ts';

interface Newest {
  readonly response: ServerResponse;
  /** The number of requests of the connection that came without a pause in between. */
  readonly depth: number;
}

/**
 * Answers the requests of a connection one after the other. Node hands over every request that it finds in what it has
 * read: hundreds of answers would be made for a client that reads none of them. Requests that wait are few on each
 * connection, and take little memory over all connections.
 */
export class Pipeline {
  readonly #listener: RequestListener;
  readonly #onTooMuch: (request: IncomingMessage, detail: string) => void;
  readonly #newest = new WeakMap<Duplex, Newest>();
  /** Memory of requests that wait, by connection. */
  readonly #waiting = new Map<Duplex, number>();
  #waitingBytes = 0;

  constructor(listener: RequestListener, onTooMuch: (request: IncomingMessage, detail: string) => void) {
    this.#listener = listener;
    this.#onTooMuch = onTooMuch;
  }

  newestResponse(socket: Duplex): ServerResponse | undefined {
    return this.#newest.get(socket)?.response;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    if (socket.destroyed) return;
    const previous = this.#newest.get(socket);
    const isFirst = previous === undefined || previous.response.writableFinished || previous.response.destroyed;
    const depth = isFirst ? 1 : previous.depth + 1;
    this.#newest.set(socket, { response, depth });
    if (isFirst) {
      this.#listener(request, response);
      return;
    }
    const bytes = heldBytes(request);
    const refusal = this.#refusalOf(depth, bytes);
    if (refusal !== null) {
      this.#onTooMuch(request, refusal);
      socket.destroy();
      return;
    }
    this.#hold(socket, bytes);
    previous.response.once('finish', () => {
      this.#release(socket, bytes);
      this.#listener(request, response);
    });
  };

  #refusalOf(depth: number, bytes: number): string | null {
    const { pipelinedRequests, waitingRequestBytes } = LIMITS;
    if (depth > pipelinedRequests) return `more than ${pipelinedRequests} requests before the first was answered`;
    if (this.#waitingBytes + bytes <= waitingRequestBytes) return null;
    return `a request before the one before it was answered, while ${waitingRequestBytes} bytes of such wait`;
  }

  #hold(socket: Duplex, bytes: number): void {
    if (!this.#waiting.has(socket)) socket.once('close', () => this.#forget(socket));
    this.#waiting.set(socket, (this.#waiting.get(socket) ?? 0) + bytes);
    this.#waitingBytes += bytes;
  }

  #release(socket: Duplex, bytes: number): void {
    const held = this.#waiting.get(socket);
    if (held === undefined) return;
    this.#waiting.set(socket, held - bytes);
    this.#waitingBytes -= bytes;
  }

  #forget(socket: Duplex): void {
    this.#waitingBytes -= this.#waiting.get(socket) ?? 0;
    this.#waiting.delete(socket);
  }
}

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
