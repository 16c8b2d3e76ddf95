import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { CodedError } from '../../../domain/error.ts';
import { errorCode } from '../../../domain/error-code.ts';
import { RELEASE_KEYS } from './release-keys.ts';

const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;
const OTHERS_MAY_WRITE = 0o022;

/**
 * The keys whose updates are installed: those of the makers, and those that root has put into `file`, for a plant that
 * builds its own. Throws `not-permitted` if another user may write that file, or if this user may not read it.
 */
export function trustedKeys(file: string): readonly KeyObject[] {
  const releaseKeys = RELEASE_KEYS.map((body) => `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----`);
  const ownKeys = readOwnKeys(file).match(PEM) ?? [];
  return [...releaseKeys.map((pem) => publicKey(pem, 'the program')), ...ownKeys.map((pem) => publicKey(pem, file))];
}

/** The text of the file in which root keeps its own trusted keys; empty if the file does not exist. */
function readOwnKeys(file: string): string {
  try {
    const own = statSync(file, { throwIfNoEntry: false });
    if (own === undefined) return '';
    refuseWritable(file, own);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    throw new CodedError('not-permitted', `${file} may not be read by this user: run it with sudo`);
  }
}

function refuseWritable(file: string, { uid, mode }: Stats): void {
  if ([0, process.getuid?.()].includes(uid) && (mode & OTHERS_MAY_WRITE) === 0) return;
  const remedy = `"chown root ${file}" and "chmod 0644 ${file}"`;
  throw new CodedError('not-permitted', `${file} may be written by others than root: close it by ${remedy}`);
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
