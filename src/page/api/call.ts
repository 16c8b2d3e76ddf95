import { followGatewayClock } from '../show/clock.ts';

/** The outcome of a call of the gateway. A refusal has the gateway's own sentences. */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly status: number; readonly errors: readonly string[] }
  /** No answer came. Whether it was done is not known. */
  | { readonly kind: 'noAnswer' };

const TIMEOUT_MS = 10_000;

/** Calls the gateway. `onSignedOut` is told of every 401, so that the page can ask who is there. */
let onSignedOut: () => void = () => undefined;

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

export async function call<T>(
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<Outcome<T>> {
  try {
    const response = await fetch(`/api/local${path}`, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    followGatewayClock(response.headers.get('date'));
    const text = await response.text();
    const value: unknown = text === '' ? null : JSON.parse(text);
    if (response.ok) return { kind: 'done', value: value as T };
    if (response.status === 401) onSignedOut();
    return { kind: 'refused', status: response.status, errors: errorsOf(value) };
  } catch {
    return { kind: 'noAnswer' };
  }
}

function errorsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || !('errors' in value) || !Array.isArray(value.errors)) return [];
  return value.errors.map(String);
}
