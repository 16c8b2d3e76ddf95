import { Pool } from 'undici';
import { Exchange, type ExchangeResult } from './exchange.ts';
import { LIMITS } from './limits.ts';

/** One request to an agent; `path` stands below the agent's URL. */
export interface AgentRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Connections to an agent over HTTP. Redirects are not followed, nothing is sent twice. */
export class AgentPool {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #timeoutMs: number;

  /** `timeoutMs`: for a whole exchange, from asking for a connection to the last byte of the answer. */
  constructor(url: string, timeoutMs: number) {
    const { origin, pathname } = new URL(url);
    this.#basePath = pathname.replace(/\/+$/, '');
    this.#timeoutMs = timeoutMs;
    this.#pool = new Pool(origin, {
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

  ask({ method, path, body, headers }: AgentRequest): Promise<ExchangeResult> {
    const exchange = new Exchange(this.#timeoutMs);
    const text = body === undefined ? null : JSON.stringify(body);
    const all = {
      accept: 'application/json',
      ...(text !== null && { 'content-type': 'application/json' }),
      ...headers,
    };
    this.#pool.dispatch(
      { method, path: `${this.#basePath}${path}`, headers: all, body: text, idempotent: false },
      exchange,
    );
    return exchange.result;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** An id as a part of a path. */
export function pathPart(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
