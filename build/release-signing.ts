import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { RELEASE_KEYS } from '../src/cli/commands/update/release-keys.ts';

/** The environment names the file of the private key: it is never in the sources. */
const VARIABLE = 'PLANTGATE_RELEASE_KEY';

/** The private key for signing releases. Throws if it is missing, or no Ed25519 key. */
export function releaseKey(): KeyObject {
  const file = process.env[VARIABLE];
  if (file === undefined) throw new Error(`${VARIABLE} must name the file of the private key that signs releases`);
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${file} has a key of type ${key.asymmetricKeyType}, expected ed25519`);
  return key;
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
export function isTrusted(key: KeyObject): boolean {
  return RELEASE_KEYS.includes(publicBody(key));
}
