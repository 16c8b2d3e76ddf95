import { X509Certificate } from 'node:crypto';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Gives the certificate of a PEM file that expires first: a file may hold a chain, or several authorities. Throws if it
 * holds none.
 */
export function firstToExpire(pem: Buffer): X509Certificate {
  const blocks = pem.toString('latin1').match(BLOCK) ?? [];
  const certificates = blocks.map((block) => new X509Certificate(block));
  const [first] = certificates.sort((one, other) => Date.parse(one.validTo) - Date.parse(other.validTo));
  return first ?? new X509Certificate(pem);
}
