/** The error of a failed handshake, as `tlsClientError` gives it. */
export interface TlsFailure {
  readonly code?: string | undefined;
  readonly message: string;
  /** Why the client's own certificate is refused. Node only ends the connection then, with ECONNRESET. */
  readonly certificateFault?: string | undefined;
}

/** The commonest cause. */
export const DISTRUST =
  "the client does not trust the gateway's certificate: give the client the CA file of the gateway, and let it connect to a name in the certificate";

const NEEDS_RSA =
  'if it knows certificates with RSA alone, make one with "plantgate cert DIR --rsa", and give it the new CA file';

/** Reasons for which a client's own certificate is refused, by OpenSSL's names. */
const CERTIFICATE_CAUSES: readonly (readonly [RegExp, string])[] = [
  [/EXPIRED/, 'has expired: renew it, or set the clock of the gateway'],
  [/NOT_YET_VALID/, 'is not valid yet: set the clocks of the gateway and of the computer that made it'],
  [/INVALID_PURPOSE/, 'is not for clients: make one with extendedKeyUsage clientAuth, or without that field'],
  [
    /SELF_SIGNED|ISSUER|LEAF_SIGNATURE|SIGNATURE_FAILURE|CERT_UNTRUSTED/,
    'is not signed by an authority in mqtt.tls.ca: give the client one that is, or add its authority there',
  ],
];

/** OpenSSL names the reason in the code, mostly by the alert that the client sent. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE|DECRYPT_ERROR/, DISTRUST],
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
  [/UNSUPPORTED_CERTIFICATE|NO_SUITABLE_SIGNATURE/, `the client does not know this kind of certificate: ${NEEDS_RSA}`],
  [
    /NO_SHARED_CIPHER|HANDSHAKE_FAILURE|NO_SUITABLE|NO_SHARED_GROUP/,
    `client and gateway have no cipher in common: choose TLS 1.2 or 1.3 in the client, with AES-GCM; ${NEEDS_RSA}`,
  ],
  [/TIMEOUT/, 'the client did not finish the handshake in time'],
  [/ECONNRESET/, `the client broke the handshake off. Perhaps ${DISTRUST}`],
];

/** Explains in words the failure of a TLS handshake and its remedy. */
export function tlsFaultText({ code = '', message, certificateFault }: TlsFailure): string {
  if (certificateFault !== undefined) {
    const cause = CERTIFICATE_CAUSES.find(([pattern]) => pattern.test(certificateFault))?.[1];
    return `TLS: the client's certificate ${cause ?? 'is refused'} (${certificateFault})`;
  }
  const cause = CAUSES.find(([pattern]) => pattern.test(code))?.[1];
  return `TLS: ${cause ?? message}`;
}
