import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Fault } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import type { Result } from '../domain/result.ts';
import type { Config } from './config-schema.ts';
import { readFileBounded } from './read-file.ts';

/** A larger file with a certificate or key is refused. */
const MAX_PEM_BYTES = 1_048_576;

/** The faults of the files that `http.tls` and `mqtt.tls` name: unreadable, of another kind, or of another certificate. */
export function tlsFaults({ http, mqtt }: Pick<Config, 'http' | 'mqtt'>): readonly Fault[] {
  return [...faultsOf('http.tls', http.tls), ...faultsOf('mqtt.tls', mqtt.tls)];
}

interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

type Read<T> = Result<{ readonly value: T }, { readonly fault: Fault }>;

function faultsOf(section: string, files: TlsFiles | undefined): readonly Fault[] {
  if (files === undefined) return [];
  const cert = certificateIn(`${section}.cert`, files.cert);
  const key = privateKeyIn(`${section}.key`, files.key);
  const ca = files.ca === undefined ? null : certificateIn(`${section}.ca`, files.ca);
  const faults = [cert, key, ca].flatMap((read) => (read === null || read.ok ? [] : [read.fault]));
  if (!cert.ok || !key.ok || cert.value.checkPrivateKey(key.value)) return faults;
  const found = `${files.key}, the key of another certificate`;
  return [...faults, { path: `${section}.key`, found, expected: `the key of ${files.cert}` }];
}

function certificateIn(path: string, file: string): Read<X509Certificate> {
  return readAs(path, file, 'a certificate', (pem) => new X509Certificate(pem));
}

function privateKeyIn(path: string, file: string): Read<KeyObject> {
  return readAs(path, file, 'a private key without passphrase', (pem) => createPrivateKey(pem));
}

function readAs<T>(path: string, file: string, what: string, read: (pem: Buffer) => T): Read<T> {
  const refused = (found: string): Read<T> => ({
    ok: false,
    fault: { path, found, expected: `a PEM file with ${what}` },
  });
  try {
    const bytes = readFileBounded(file, MAX_PEM_BYTES);
    return bytes === null ? refused(`${file}, which does not exist`) : { ok: true, value: read(Buffer.from(bytes)) };
  } catch (error) {
    const code = errorCode(error);
    const isOfSystem = code !== null && !code.startsWith('ERR_');
    return refused(isOfSystem ? `${file}, which cannot be read (${code})` : `${file}, which holds none`);
  }
}
