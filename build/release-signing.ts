import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { RELEASE_KEYS } from '../src/cli/commands/update/release-keys.ts';
import { errorMessage } from '../src/domain/error-text.ts';
import type { Environment } from './maintainer.ts';

/** The environment names the file of the private key: it is never in the sources. */
const VARIABLE = 'PLANTGATE_RELEASE_KEY';

/** The private key for signing releases. Throws if it is missing, or no Ed25519 key. */
export function releaseKey(environment: Environment): KeyObject {
  const file = environment[VARIABLE];
  if (file === undefined) throw new Error(`${VARIABLE} must name the file of the private key that signs releases`);
  const key = privateKeyIn(file);
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${VARIABLE}: ${file} has a key of type ${key.asymmetricKeyType}, expected ed25519`);
  return key;
}

function privateKeyIn(file: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(file));
  } catch (error) {
    throw new Error(`${VARIABLE}: ${file} cannot be read as a private key: ${errorMessage(error)}`, { cause: error });
  }
}

/** The public half of a key as PEM, without its first and last line. */
export function publicBody(key: KeyObject): string {
  const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  return pem
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('-----'))
    .join('\n');
}

/** Whether the programs of this release trust what the key signs. */
export function isTrusted(key: KeyObject, trusted: readonly string[] = RELEASE_KEYS): boolean {
  return trusted.includes(publicBody(key));
}
