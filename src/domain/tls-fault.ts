/** The error of a failed handshake, as `tlsClientError` gives it. */
export interface TlsFailure {
  readonly code?: string | undefined;
  readonly message: string;
}

/** The commonest cause. */
export const DISTRUST =
  "the client does not trust the gateway's certificate: give the client the CA file of the gateway, and let it connect to a name in the certificate";

/** OpenSSL names the reason in the code, mostly by the alert that the client sent. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|DECRYPT_ERROR/, DISTRUST],
  [
    /CERTIFICATE_EXPIRED/,
    "the client takes the gateway's certificate for expired: renew it, or set the clock of the client",
  ],
  [
    /DID_NOT_RETURN_A_CERTIFICATE/,
    'the client showed no certificate of its own: give it one, or set mqtt.tls.requireClientCertificate to false',
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNEXPECTED_MESSAGE/,
    'the client does not speak TLS: turn TLS on in the client, or let it use the port without TLS',
  ],
  [/HTTP_REQUEST/, 'the client speaks HTTP without TLS, and this port takes TLS alone: write https:// in its address'],
  [
    /UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW/,
    "the client's version of TLS is too old: choose TLS 1.2 or 1.3 in the client",
  ],
  [
    /NO_SHARED_CIPHER|HANDSHAKE_FAILURE|NO_SUITABLE|NO_SHARED_GROUP/,
    'client and gateway have no cipher in common: choose TLS 1.2 or 1.3 in the client, with AES-GCM',
  ],
  [/TIMEOUT/, 'the client did not finish the handshake in time'],
  [/ECONNRESET/, `the client broke the handshake off. Perhaps ${DISTRUST}`],
];

/** Explains in words the failure of a TLS handshake and its cure. */
export function tlsFaultText({ code = '', message }: TlsFailure): string {
  const cause = CAUSES.find(([pattern]) => pattern.test(code))?.[1];
  return `TLS: ${cause ?? message}`;
}
