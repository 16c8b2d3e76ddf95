import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { CodedError } from '../../../domain/error.ts';
import { RELEASE_KEYS } from './release-keys.ts';

const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;
const OTHERS_MAY_WRITE = 0o022;

/**
 * The keys whose updates are installed: those of the makers, and those that root has put into `file`, for a plant that
 * builds its own. Throws `not-permitted` if another user may write that file.
 */
export function trustedKeys(file: string): readonly KeyObject[] {
  const own = statSync(file, { throwIfNoEntry: false });
  const releaseKeys = RELEASE_KEYS.map((body) => `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----`);
  if (own === undefined) return releaseKeys.map((pem) => publicKey(pem, 'the program'));
  if (![0, process.getuid?.()].includes(own.uid) || (own.mode & OTHERS_MAY_WRITE) !== 0) {
    const remedy = `"chown root ${file}" and "chmod 0644 ${file}"`;
    throw new CodedError('not-permitted', `${file} may be written by others than root: close it by ${remedy}`);
  }
  const found = readFileSync(file, 'utf8').match(PEM) ?? [];
  return [...releaseKeys, ...found].map((pem) => publicKey(pem, file));
}

function publicKey(pem: string, source: string): KeyObject {
  const key = readKey(pem, source);
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new CodedError('invalid-input', `${source} has a key of type ${key.asymmetricKeyType}, expected ed25519`);
}

function readKey(pem: string, source: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch {
    throw new CodedError('invalid-input', `${source} has a public key that cannot be read: make a new one`);
  }
}
