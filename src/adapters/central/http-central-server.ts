import { Pool } from 'undici';
import { basePathOf } from '../../domain/sync/server-address.ts';
import type { CentralAnswer, CentralRequest, CentralServer } from '../../flows/forward/upstream-ports.ts';
import { CentralExchange } from './central-exchange.ts';
import { LIMITS } from './limits.ts';

export interface HttpCentralServerOptions {
  readonly url: string;
  readonly apiKey: string;
  /** For a whole exchange, from asking for a connection to the last byte of the answer. */
  readonly timeoutMs: number;
}

/** The central server behind HTTP (contract.md, Upstream). Redirects are not followed, nothing is sent twice. */
export class HttpCentralServer implements CentralServer {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #authorization: string;
  readonly #timeoutMs: number;

  constructor({ url, apiKey, timeoutMs }: HttpCentralServerOptions) {
    const address = new URL(url);
    this.#basePath = basePathOf(address);
    this.#authorization = `ApiKey ${apiKey}`;
    this.#timeoutMs = timeoutMs;
    this.#pool = new Pool(address.origin, {
      connections: LIMITS.connections,
      pipelining: 1,
      keepAliveTimeout: LIMITS.keepAliveMs,
      keepAliveMaxTimeout: LIMITS.keepAliveMs,
      connect: { timeout: timeoutMs },
      // The exchange has a deadline of its own for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  ask(request: CentralRequest): Promise<CentralAnswer> {
    const { method, path, body = null, maxAnswerBytes = LIMITS.answerBytes } = request;
    const exchange = new CentralExchange(this.#timeoutMs, maxAnswerBytes);
    const options = { method, path: `${this.#basePath}${path}`, headers: this.#headersOf(request), body };
    this.#pool.dispatch({ ...options, idempotent: false }, exchange);
    return exchange.answer;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #headersOf({ body = null, isGzip = false, operationId = null, headers }: CentralRequest): Record<string, string> {
    return {
      accept: 'application/json, text/plain',
      authorization: this.#authorization,
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(isGzip && { 'content-encoding': 'gzip' }),
      ...(operationId !== null && { 'idempotency-key': operationId }),
      ...headers,
    };
  }
}
