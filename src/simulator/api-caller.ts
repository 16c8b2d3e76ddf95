import { isJsonObject } from '../domain/json/json.ts';
export interface ApiAccess {
  readonly httpUrl: string;
  readonly key: string;
}

export type CallApi = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<unknown>;

const REQUEST_TIMEOUT_MS = 5_000;
const MAX_TOLD_CHARACTERS = 200;

/**
 * Calls of a gateway's interfaces, given up when `signal` is aborted. Rejects if the gateway refuses; text that is no
 * JSON is given unchanged.
 */
export function apiCaller({ httpUrl, key }: ApiAccess, signal: AbortSignal): CallApi {
  return async (method, path, body) => {
    const answer = await fetch(new URL(path, httpUrl), {
      method,
      headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    const text = await answer.text();
    if (!answer.ok)
      throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, MAX_TOLD_CHARACTERS)}`);
    return answer.headers.get('content-type')?.startsWith('application/json') === true ? JSON.parse(text) : text;
  };
}

/** The objects of an answered list; none for any other answer. */
export function recordsOf(answer: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(answer) ? answer.filter(isJsonObject) : [];
}

/** A field that should be text; empty if it is not. */
export function textOf(record: Readonly<Record<string, unknown>>, field: string): string {
  const value = record[field];
  return typeof value === 'string' ? value : '';
}
