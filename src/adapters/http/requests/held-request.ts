import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../limits.ts';

/** The approximate memory of a request until it is answered. */
export function heldBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, LIMITS.requestBytes + url.length);
}
