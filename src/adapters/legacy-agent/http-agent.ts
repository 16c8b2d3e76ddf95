import { Pool } from 'undici';
import type { LegacyAgent, LegacyLocation, LegacyOutcome } from '../../flows/warehouse-ports.ts';
import { Exchange, type ExchangeResult } from './exchange.ts';
import { LIMITS } from './limits.ts';

export interface HttpAgentOptions {
  readonly url: string;
  /** For a whole exchange, from asking for a connection to the last byte of the answer. */
  readonly timeoutMs: number;
}

/** A legacy agent behind HTTP (contract.md, Legacy agent). Redirects are not followed, nothing is sent twice. */
export class HttpAgent implements LegacyAgent {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #timeoutMs: number;

  constructor({ url, timeoutMs }: HttpAgentOptions) {
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

  async move({ coilId, location, operationId }: Parameters<LegacyAgent['move']>[0]): Promise<LegacyOutcome> {
    const body = JSON.stringify({ location, operationId });
    const result = await this.#ask('PUT', `${coilPath(coilId)}/location`, body);
    if (result.kind === 'unsent') return { kind: 'offline', detail: result.detail };
    if (result.kind === 'unanswered') return { kind: 'inDoubt', detail: result.detail };
    const { status, text } = result;
    if (status === 200) return { kind: 'applied' };
    if (status >= 400 && status < 500) return { kind: 'rejected', message: messageOf(status, text) };
    return { kind: 'inDoubt', detail: `HTTP status ${status}` };
  }

  async locate(coilId: string): Promise<LegacyLocation> {
    const result = await this.#ask('GET', coilPath(coilId), null);
    if (result.kind !== 'answered') return { kind: 'unreachable', detail: result.detail };
    const { status, text } = result;
    if (status === 404) return { kind: 'absent' };
    const coil = status === 200 ? fieldsOf(text) : null;
    if (coil?.coilId === coilId && typeof coil.location === 'string') return { kind: 'at', location: coil.location };
    return { kind: 'unreachable', detail: `HTTP status ${status} without the coil and its location` };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #ask(method: 'GET' | 'PUT', path: string, body: string | null): Promise<ExchangeResult> {
    const exchange = new Exchange(this.#timeoutMs);
    const headers = { accept: 'application/json', ...(body !== null && { 'content-type': 'application/json' }) };
    this.#pool.dispatch({ method, path: `${this.#basePath}${path}`, headers, body, idempotent: false }, exchange);
    return exchange.result;
  }
}

function coilPath(coilId: string): string {
  return `/coils/${encodeURIComponent(coilId.toWellFormed())}`;
}

/** The agent's own words, on one line. */
function messageOf(status: number, text: string): string {
  const message = fieldsOf(text)?.message;
  const words = typeof message === 'string' ? message.replace(/\p{Cc}+/gu, ' ').trim() : '';
  if (words === '') return `the legacy system refused it with HTTP status ${status}`;
  return words.length > LIMITS.messageLength ? `${words.slice(0, LIMITS.messageLength)}…` : words;
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
