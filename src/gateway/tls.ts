import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server, TlsOptions } from 'node:tls';
import { Handshakes } from '../adapters/system/handshakes.ts';
import type { Config } from '../config/config-schema.ts';
import { CodedError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-text.ts';
import type { Certificate as ReadCertificate } from '../flows/local-api/system-status.ts';

interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Is given the server before anything listens to its connections. */
  readonly pace: (server: Server) => void;
}

export interface Tls {
  readonly mqtt: (Certificate & TlsOptions & { readonly port: number }) | null;
  readonly http: Certificate | null;
  readonly certificates: readonly ReadCertificate[];
}

/**
 * Reads the certificates of the servers that speak TLS, which share one pace of handshakes. Rejects with CodedError
 * `invalid-input` naming the setting whose file cannot be read.
 */
export async function openTls(config: Config): Promise<Tls> {
  const { pace } = new Handshakes();
  const [mqtt, http] = await Promise.all([mqttTls(config, pace), httpTls(config, pace)]);
  const certificates = [...certificate('mqtt.tls.cert', mqtt), ...certificate('http.tls.cert', http)];
  return { mqtt, http, certificates };
}

async function mqttTls({ mqtt: { tls } }: Config, pace: Certificate['pace']): Promise<Tls['mqtt']> {
  if (tls === undefined) return null;
  const [cert, key, ca] = await Promise.all([
    readPem('mqtt.tls.cert', tls.cert),
    readPem('mqtt.tls.key', tls.key),
    tls.ca === undefined ? undefined : readPem('mqtt.tls.ca', tls.ca),
  ]);
  const { port, requireClientCertificate } = tls;
  const asks = requireClientCertificate || ca !== undefined;
  return { port, cert, key, pace, ...(ca && { ca }), requestCert: asks, rejectUnauthorized: requireClientCertificate };
}

async function httpTls({ http: { tls } }: Config, pace: Certificate['pace']): Promise<Tls['http']> {
  if (tls === undefined) return null;
  const [cert, key] = await Promise.all([readPem('http.tls.cert', tls.cert), readPem('http.tls.key', tls.key)]);
  return { cert, key, pace };
}

function certificate(setting: string, files: Pick<Certificate, 'cert'> | null): readonly ReadCertificate[] {
  if (files === null) return [];
  try {
    const { subject, validTo } = new X509Certificate(files.cert);
    return [{ setting, subject: subject.replaceAll('\n', ', '), validUntilMs: Date.parse(validTo) }];
  } catch (error) {
    throw new CodedError('invalid-input', `${setting}: found no certificate in PEM: ${errorMessage(error)}`);
  }
}

async function readPem(setting: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CodedError('invalid-input', `${setting}: ${file} cannot be read: ${errorMessage(error)}`);
  }
}
