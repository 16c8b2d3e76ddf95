import { expect, it } from 'vitest';
import { tlsFaultText } from '../../src/domain/tls-fault.ts';

it.each([
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'give the client the CA file'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN', 'give the client the CA file'],
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'give the client the CA file'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'set the clock of the client'],
  ['ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', 'showed no certificate of its own'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'turn TLS on'],
  ['ERR_SSL_HTTP_REQUEST', 'write https://'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'choose TLS 1.2 or 1.3'],
  ['ERR_SSL_NO_SHARED_CIPHER', 'plantgate cert DIR --rsa'],
  ['ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM', 'plantgate cert DIR --rsa'],
  ['ERR_SSL_TLSV1_ALERT_UNSUPPORTED_CERTIFICATE', 'plantgate cert DIR --rsa'],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', 'in time'],
  ['ECONNRESET', 'broke the handshake off'],
  ['ERR_OTHER', 'TLS: as OpenSSL says it'],
])('D-36 %s is reported with its remedy', (code, words) => {
  expect(tlsFaultText({ code, message: 'as OpenSSL says it' })).toContain(words);
});

it.each([
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_NOT_YET_VALID', 'not valid yet'],
  ['INVALID_PURPOSE', 'not for clients'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'not signed by an authority in mqtt.tls.ca'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not signed by an authority in mqtt.tls.ca'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'not signed by an authority in mqtt.tls.ca'],
  ['CERT_REVOKED', 'is refused (CERT_REVOKED)'],
])(
  'D-36 a client certificate with %s is reported as the cause, not the end of the connection',
  (certificateFault, words) => {
    const text = tlsFaultText({ code: 'ECONNRESET', message: 'socket hang up', certificateFault });
    expect(text).toContain(words);
  },
);

it('D-36 a failure without a code keeps its own words', () => {
  expect(tlsFaultText({ message: 'something else' })).toBe('TLS: something else');
});
