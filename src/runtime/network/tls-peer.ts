import type { Socket } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import type { TlsFailure } from '../../domain/tls-fault.ts';

/**
 * The error of a failed handshake and, if the client's certificate was the cause, why: Node keeps that at the socket.
 * Its types call it an error, and it is the name of one.
 */
export function tlsFailure(error: NodeJS.ErrnoException, secured: TLSSocket): TlsFailure {
  const { authorizationError: fault } = secured;
  return { code: error.code, message: error.message, ...(fault && { certificateFault: String(fault) }) };
}

/** The common name of the certificate that a client has proved to own; null without a verified one. */
export function verifiedCommonName(socket: Socket): string | null {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
  // A session that was resumed without its certificate gives an empty object; several common names come as a list.
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  const names: readonly string[] = [subject?.CN ?? []].flat();
  return names.length === 0 ? null : names.join(', ');
}

/**
 * The address of a TLS connection, also after its client has broken off the handshake. By then only the socket below it
 * remembers the address, if it was read while the socket was open. If tls is not built as expected, the address is
 * `undefined` then.
 */
export function tlsPeerAddress(secured: TLSSocket): string | undefined {
  const { _parent: below } = secured as TLSSocket & { readonly _parent?: Socket | null };
  return secured.remoteAddress ?? below?.remoteAddress;
}
