import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Context, Next } from 'koa';
import { HttpError } from '../answers/error-answer.ts';
import { hostOf, originOf, proxyAdvice } from '../requests/client.ts';

/**
 * Answers only to the machine's own names, localhost, `http.allowedHosts` and every address; any other Host gets 421
 * (contract.md, Configuration). This stops DNS rebinding: a page of another site whose name was made to point here.
 * A page that was asked for at an address has no name that could be made to point elsewhere.
 */
export class HostGuard {
  readonly #names: ReadonlySet<string>;

  constructor(allowedHosts: readonly string[]) {
    const own = hostname().toLowerCase();
    const short = own.split('.')[0] ?? own;
    this.#names = new Set([
      'localhost',
      own,
      short,
      `${short}.local`,
      ...allowedHosts.map((name) => name.toLowerCase()),
    ]);
  }

  readonly middleware = (context: Context, next: Next): Promise<unknown> => {
    const host = hostOf(context.req);
    if (this.isOwn(context.req)) return next();
    if (host === undefined && context.req.httpVersion === '1.1') {
      throw new HttpError(400, 'Host: found nothing, expected the name of this gateway (RFC 9110, 7.2)');
    }
    throw new HttpError(
      421,
      `Host: found ${JSON.stringify(host ?? '')}, expected an address or a name in http.allowedHosts${proxyAdvice(context.req)}`,
    );
  };

  /** Whether the Host of a request is a name of this gateway, or an address. */
  isOwn(request: IncomingMessage): boolean {
    const name = nameOf(hostOf(request) ?? '');
    return this.#names.has(name) || isIP(name) !== 0;
  }
}

/** The name or address in a Host header, without port and brackets. */
function nameOf(host: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(host);
  const name = bracketed?.[1] ?? host.replace(/:\d+$/, '');
  return name.toLowerCase().replace(/\.$/, '');
}

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
