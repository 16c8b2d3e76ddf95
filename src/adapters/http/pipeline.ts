import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LIMITS } from './limits.ts';

interface Newest {
  readonly response: ServerResponse;
  /** How many requests of the connection have come without a pause in between. */
  readonly depth: number;
}

/**
 * Answers the requests of a connection one after the other. Node hands over every request that it finds in what it has
 * read: hundreds of answers would be made for a client that reads none of them.
 */
export class Pipeline {
  readonly #listener: RequestListener;
  readonly #onTooDeep: (request: IncomingMessage) => void;
  readonly #newest = new WeakMap<Duplex, Newest>();

  constructor(listener: RequestListener, onTooDeep: (request: IncomingMessage) => void) {
    this.#listener = listener;
    this.#onTooDeep = onTooDeep;
  }

  newestResponse(socket: Duplex): ServerResponse | undefined {
    return this.#newest.get(socket)?.response;
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const previous = this.#newest.get(socket);
    const isFirst = previous === undefined || previous.response.writableFinished || previous.response.destroyed;
    const depth = isFirst ? 1 : previous.depth + 1;
    this.#newest.set(socket, { response, depth });
    if (isFirst) {
      this.#listener(request, response);
      return;
    }
    if (depth > LIMITS.pipelinedRequests) {
      if (!socket.destroyed) this.#onTooDeep(request);
      socket.destroy();
      return;
    }
    previous.response.once('finish', () => this.#listener(request, response));
  };
}
