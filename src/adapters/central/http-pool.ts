import { Pool } from 'undici';
import { basePathOf } from '../../domain/sync/server-address.ts';
import { uploadMs } from '../../domain/sync/slowest-uplink.ts';
import type { CentralAnswer } from '../../flows/forward/upstream-ports.ts';
import { Exchange } from './exchange.ts';
import { LIMITS } from './limits.ts';

export interface HttpPoolOptions {
  /** The address below which the paths of requests stand. */
  readonly url: string;
  /**
   * The time limit of a whole exchange, from the request for a connection to the last byte of the answer. A long body
   * gets more time (slowest-uplink.ts).
   */
  readonly timeoutMs: number;
  readonly connections: number;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly maxAnswerBytes?: number;
}

/** Connections to another server. Redirects are not followed, nothing is sent twice. */
export class HttpPool {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #timeoutMs: number;

  constructor({ url, timeoutMs, connections }: HttpPoolOptions) {
    const address = new URL(url);
    this.#basePath = basePathOf(address);
    this.#timeoutMs = timeoutMs;
    this.#pool = new Pool(address.origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: LIMITS.keepAliveMs,
      keepAliveMaxTimeout: LIMITS.keepAliveMs,
      connect: { timeout: timeoutMs },
      // The exchange has its own deadline for the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  ask({ path, maxAnswerBytes = LIMITS.answerBytes, ...request }: HttpRequest): Promise<CentralAnswer> {
    const exchange = new Exchange(this.#timeoutMs + uploadMs(Buffer.byteLength(request.body ?? '')), maxAnswerBytes);
    this.#pool.dispatch({ ...request, path: `${this.#basePath}${path}`, idempotent: false }, exchange);
    return exchange.answer;
  }

  /** Ends all requests under way. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** An id as a part of a path. */
export function pathPart(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
