import type { IncomingMessage } from 'node:http';
import type { Context, Next } from 'koa';
import { HttpError } from '../answers/error-answer.ts';
import { originOf, proxyAdvice } from '../requests/client.ts';

/** An answer repeats this many characters of an origin. */
const SHOWN_ORIGIN_LENGTH = 100;
const READING = new Set(['GET', 'HEAD']);

/** Refuses writes that a browser sends on behalf of another site. */
export function guardOrigin(context: Context, next: Next): Promise<unknown> {
  const fault = READING.has(context.method) ? null : originFault(context.req);
  if (fault !== null) throw new HttpError(403, fault);
  return next();
}

/**
 * The fault of a request that a web page of another site sent, or null. Browsers leave out Sec-Fetch-Site over plain
 * HTTP, and always send Origin with a POST. Devices and programs send neither.
 */
export function originFault(request: IncomingMessage): string | null {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return `Sec-Fetch-Site: found ${JSON.stringify(site)}, expected same-origin`;
  }
  const own = originOf(request);
  if (origin === undefined || origin.toLowerCase() === own) return null;
  const found = JSON.stringify(origin.slice(0, SHOWN_ORIGIN_LENGTH));
  return `Origin: found ${found}, expected ${own}: pages of other sites may not write here${proxyAdvice(request)}`;
}
