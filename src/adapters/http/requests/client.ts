import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { AddressBlocks } from '../../../runtime/network/address-blocks.ts';

/** The client of a request as a trusted proxy names it; null for each part that the proxy does not name. */
interface Forwarded {
  readonly address: string | null;
  readonly scheme: 'http' | 'https' | null;
  readonly host: string | null;
}

const FORWARDED = new WeakMap<IncomingMessage, Forwarded>();

/**
 * Takes `X-Forwarded-For`, `-Proto` and `-Host` of a request into account if its sender is a trusted proxy
 * (`http.trustedProxies`). Anyone else could write there what he likes, so his are ignored.
 */
export function readForwarded(request: IncomingMessage, proxies: AddressBlocks): void {
  const { headers, socket } = request;
  const sender = socket.remoteAddress ?? '';
  if (!proxies.contains(sender)) return;
  const scheme = lastOf(headers['x-forwarded-proto'])?.toLowerCase();
  FORWARDED.set(request, {
    address: originalSender(sender, valuesOf(headers['x-forwarded-for']), proxies),
    scheme: scheme === 'http' || scheme === 'https' ? scheme : null,
    host: lastOf(headers['x-forwarded-host']) ?? null,
  });
}

/** The address of the client, as throttles, incidents and the audit name it. */
export function addressOf(request: IncomingMessage): string {
  return FORWARDED.get(request)?.address ?? request.socket.remoteAddress ?? 'unknown';
}

/** The name or address that the client asked, with the port. */
export function hostOf(request: IncomingMessage): string | undefined {
  return FORWARDED.get(request)?.host ?? request.headers.host;
}

/** Whether the client uses HTTPS. */
export function isSecure(request: IncomingMessage): boolean {
  const scheme = FORWARDED.get(request)?.scheme ?? null;
  return scheme === null ? request.socket instanceof TLSSocket : scheme === 'https';
}

/** The scheme and host that the client asked. */
export function originOf(request: IncomingMessage): string {
  return `${isSecure(request) ? 'https' : 'http'}://${hostOf(request) ?? ''}`.toLowerCase();
}

/** Advice to a refusal of a request that came through a proxy that is not trusted; empty for any other request. */
export function proxyAdvice(request: IncomingMessage): string {
  const { headers, socket } = request;
  const isPassedOn = PROXY_HEADERS.some((name) => headers[name] !== undefined);
  if (!isPassedOn || FORWARDED.has(request)) return '';
  return `. If ${socket.remoteAddress ?? 'the sender'} is your proxy, name it in http.trustedProxies`;
}

const PROXY_HEADERS = ['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-for'];

/** Each proxy adds its sender behind the others, so the last address that is no trusted proxy is the client's. */
function originalSender(sender: string, passedOn: readonly string[], proxies: AddressBlocks): string {
  let address = sender;
  for (const value of passedOn.toReversed()) {
    const next = addressIn(value);
    if (next === null) return address;
    address = next;
    if (!proxies.contains(address)) return address;
  }
  return address;
}

/** The address of `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` and `[2001:db8::1]:4711`; null for another text. */
function addressIn(value: string): string | null {
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(value)?.[1] ?? value.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(address) === 0 ? null : address;
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return valuesOf(header).at(-1);
}

/** Node joins headers of the same name with commas. */
function valuesOf(header: string | string[] | undefined): readonly string[] {
  return String(header ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
}
