import type { IncomingMessage } from 'node:http';
import { foundText, invalidInput } from '../../../domain/error.ts';

/** The header by which a sender names a request, so that its repetitions are recognised (contract.md, Upstream). */
export const REQUEST_KEY_HEADER = 'Idempotency-Key';
/** A longer Idempotency-Key is refused with 400. */
export const MAX_REQUEST_KEY_LENGTH = 200;
const REQUEST_KEY = new RegExp(`^[!-~]{1,${MAX_REQUEST_KEY_LENGTH}}$`);

/** The idempotency key of a request; null if it has none. Throws `invalid-input`. */
export function requestKey({ headers: { 'idempotency-key': key } }: IncomingMessage): string | null {
  if (key === undefined) return null;
  if (typeof key === 'string' && REQUEST_KEY.test(key)) return key;
  const expected = `1 to ${MAX_REQUEST_KEY_LENGTH} visible ASCII characters`;
  throw invalidInput([{ path: REQUEST_KEY_HEADER, found: foundText(String(key)), expected }]);
}

/** Method, path and query of a request: `POST /api/v1/profiles`. */
export function requestTarget({ method, url }: IncomingMessage): string {
  return `${method} ${url}`;
}
