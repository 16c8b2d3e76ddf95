import type { CentralAnswer, CentralRequest, CentralServer } from '../../flows/forward/upstream-ports.ts';
import { HttpPool, type HttpPoolOptions } from './http-pool.ts';
import { LIMITS } from './limits.ts';

export interface HttpCentralServerOptions extends Omit<HttpPoolOptions, 'connections'> {
  readonly apiKey: string;
}

/** The central server behind HTTP (contract.md, Upstream). */
export class HttpCentralServer implements CentralServer {
  readonly #pool: HttpPool;
  readonly #authorization: string;

  constructor({ url, apiKey, timeoutMs }: HttpCentralServerOptions) {
    this.#authorization = `ApiKey ${apiKey}`;
    this.#pool = new HttpPool({ url, timeoutMs, connections: LIMITS.connections });
  }

  ask(request: CentralRequest): Promise<CentralAnswer> {
    const { method, path, body = null, maxAnswerBytes } = request;
    const answerBound = maxAnswerBytes === undefined ? {} : { maxAnswerBytes };
    return this.#pool.ask({ method, path, body, headers: this.#headersOf(request), ...answerBound });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #headersOf({
    method,
    body = null,
    isGzip = false,
    operationId = null,
    headers,
  }: CentralRequest): Record<string, string> {
    return {
      accept: 'application/json, text/plain',
      authorization: this.#authorization,
      ...(method === 'GET' && { 'accept-encoding': 'gzip' }),
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(isGzip && { 'content-encoding': 'gzip' }),
      ...(operationId !== null && { 'idempotency-key': operationId }),
      ...headers,
    };
  }
}
