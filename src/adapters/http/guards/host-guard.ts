import type { IncomingMessage } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import type { Context, Next } from 'koa';
import { HttpError } from '../answers/error-answer.ts';

/** Network interfaces come and go; a look-up takes a system call. */
const ADDRESSES_KEPT_MS = 10_000;

/**
 * Answers only to the machine's own names and addresses, localhost and `http.allowedHosts`; any other Host gets 421
 * (contract.md, Configuration). This stops DNS rebinding: a page of another site whose name was made to point here.
 */
export class HostGuard {
  readonly #names: ReadonlySet<string>;
  #addresses: ReadonlySet<string> = new Set();
  #addressesAtMs = Number.NEGATIVE_INFINITY;

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
    const { host } = context.req.headers;
    if (this.isOwn(context.req)) return next();
    if (host === undefined && context.req.httpVersion === '1.1') {
      throw new HttpError(400, 'Host: found nothing, expected the name of this gateway (RFC 9110, 7.2)');
    }
    throw new HttpError(421, `Host: found ${JSON.stringify(host ?? '')}, expected a name in http.allowedHosts`);
  };

  /** Whether the Host of a request is a name or an address of this gateway. */
  isOwn({ headers, socket: { localAddress = '' } }: IncomingMessage): boolean {
    const name = nameOf(headers.host ?? '');
    if (this.#names.has(name) || name === unmapped(localAddress)) return true;
    const nowMs = performance.now();
    if (nowMs - this.#addressesAtMs > ADDRESSES_KEPT_MS) {
      this.#addressesAtMs = nowMs;
      this.#addresses = new Set(
        Object.values(networkInterfaces()).flatMap((entries) => entries?.map(({ address }) => address) ?? []),
      );
    }
    return this.#addresses.has(name);
  }
}

/** The name or address in a Host header, without port and brackets. */
function nameOf(host: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(host);
  const name = bracketed?.[1] ?? host.replace(/:\d+$/, '');
  return name.toLowerCase().replace(/\.$/, '');
}

function unmapped(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
