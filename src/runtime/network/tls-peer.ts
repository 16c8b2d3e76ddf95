import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * The address of a TLS connection, also after its client has broken off the handshake. By then only the socket below it
 * remembers the address, if it was read while the socket was open. If tls is not built as expected, the address is
 * `undefined` then.
 */
export function tlsPeerAddress(secured: TLSSocket): string | undefined {
  const { _parent: below } = secured as TLSSocket & { readonly _parent?: Socket | null };
  return secured.remoteAddress ?? below?.remoteAddress;
}
