import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * Where a TLS connection comes from, also once its client has broken the handshake off: by then only the socket below it
 * remembers, if somebody asked it while it was open. Where tls is not built as expected, it is `undefined` then.
 */
export function tlsPeerAddress(secured: TLSSocket): string | undefined {
  const { _parent: below } = secured as TLSSocket & { readonly _parent?: Socket | null };
  return secured.remoteAddress ?? below?.remoteAddress;
}
