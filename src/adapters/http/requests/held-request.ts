import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../limits.ts';

/** About how much memory a request takes until it is answered. */
export function heldBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, LIMITS.requestBytes + url.length);
}
