import { readFile } from 'node:fs/promises';
import { createSecureContext, type Server, type TlsOptions } from 'node:tls';
import { Handshakes } from '../adapters/system/handshakes.ts';
import type { Config } from '../config/config-schema.ts';
import { firstToExpire } from '../config/first-to-expire.ts';
import { CodedError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-text.ts';
import type { Certificate as ReadCertificate } from '../flows/local-api/system-ports.ts';

interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Gets the server before any listener for its connections is added. */
  readonly pace: (server: Server) => void;
}

export interface Tls {
  readonly mqtt:
    | (Certificate &
        Omit<TlsOptions, 'ca'> & { readonly port: number; readonly ca?: Buffer; readonly identity: 'none' | 'cn' })
    | null;
  readonly http: Certificate | null;
  readonly certificates: () => readonly ReadCertificate[];
  /** Reads the files of `config` again; open connections stay. Rejects like openTls, with nothing changed. */
  reload(config: Config): Promise<void>;
}

/**
 * Reads the certificates of the servers that speak TLS, which share one pace of handshakes. Rejects with CodedError
 * `invalid-input` that names the setting whose file cannot be read.
 */
export async function openTls(config: Config): Promise<Tls> {
  const { pace } = new Handshakes();
  const servers: Record<'mqtt' | 'http', Server[]> = { mqtt: [], http: [] };
  const noting = (name: keyof typeof servers) => (server: Server) => {
    servers[name].push(server);
    pace(server);
  };
  const read = async (from: Config) => {
    const [mqtt, http] = await Promise.all([mqttTls(from, noting('mqtt')), httpTls(from, noting('http'))]);
    const certificates = [
      ...certificate('mqtt.tls.cert', mqtt?.cert),
      ...certificate('mqtt.tls.ca', mqtt?.ca),
      ...certificate('http.tls.cert', http?.cert),
    ];
    return { mqtt, http, certificates };
  };
  let current = await read(config);
  return {
    mqtt: current.mqtt,
    http: current.http,
    certificates: () => current.certificates,
    reload: async (from) => {
      const fresh = withAuthority(await read(from), current.mqtt?.ca);
      // A key of another certificate throws here, before anything is changed.
      for (const files of [fresh.mqtt, fresh.http]) if (files !== null) createSecureContext(files);
      for (const name of ['mqtt', 'http'] as const) {
        const files = fresh[name];
        if (files !== null) for (const server of servers[name]) server.setSecureContext(files);
      }
      current = fresh;
    },
  };
}

/**
 * Keeps the authority of client certificates if the new configuration has none: whether clients need a certificate
 * counts from the next start, and without an authority Node would trust its own list.
 */
function withAuthority<Files extends { readonly mqtt: Tls['mqtt'] }>(fresh: Files, ca: Buffer | undefined): Files {
  const { mqtt } = fresh;
  return mqtt === null || mqtt.ca !== undefined || ca === undefined ? fresh : { ...fresh, mqtt: { ...mqtt, ca } };
}

async function mqttTls({ mqtt: { tls } }: Config, pace: Certificate['pace']): Promise<Tls['mqtt']> {
  if (tls === undefined) return null;
  const [cert, key, ca] = await Promise.all([
    readPem('mqtt.tls.cert', tls.cert),
    readPem('mqtt.tls.key', tls.key),
    tls.ca === undefined ? undefined : readPem('mqtt.tls.ca', tls.ca),
  ]);
  const { port, requireClientCertificate, identity } = tls;
  const asks = requireClientCertificate || ca !== undefined;
  return {
    port,
    cert,
    key,
    pace,
    identity,
    ...(ca && { ca }),
    requestCert: asks,
    rejectUnauthorized: requireClientCertificate,
  };
}

async function httpTls({ http: { tls } }: Config, pace: Certificate['pace']): Promise<Tls['http']> {
  if (tls === undefined) return null;
  const [cert, key] = await Promise.all([readPem('http.tls.cert', tls.cert), readPem('http.tls.key', tls.key)]);
  return { cert, key, pace };
}

function certificate(setting: string, pem: Buffer | undefined): readonly ReadCertificate[] {
  if (pem === undefined) return [];
  try {
    const { subject, validTo } = firstToExpire(pem);
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
