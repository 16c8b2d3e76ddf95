import {
  createHash,
  createHmac,
  randomBytes,
  randomInt,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { BoundedCache } from '../../domain/bounded-cache.ts';
import { tooMany } from '../../domain/error.ts';
import type { SecretStrength } from '../../domain/plant/plant-codec.ts';
import { WorkQueue } from '../../domain/work-queue.ts';
import type { SecretVerifier } from '../../flows/ports.ts';

/** Hashes secrets and compares them with their hashes, off the main thread and in constant time (AUTH-02). */
export interface Secrets {
  /** A self-describing hash with a salt of its own. */
  hash(strength: SecretStrength, secret: string): Promise<string>;
  /** False for a wrong secret, and for a hash of an unknown form: setting the secret again repairs it. */
  readonly verify: SecretVerifier;
  /** A hash as costly as a person's that no password matches. */
  readonly noPasswordHash: string;
}

/**
 * log2 of scrypt's N. A person's password costs about 80 ms and 32 MiB, a device's 1/32 of it: thousands may be checked.
 * A badge is compared with those of hundreds of people.
 */
const SCRYPT_LOG2_COST = { devicePassword: 10, badge: 11, personPassword: 15 } as const;
/** A stored hash with a higher cost is not checked. */
const MAX_SCRYPT_LOG2_COST = 17;
const SCRYPT_BLOCK_SIZE = 8;
const SCRYPT_MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const SALT_BYTES = 16;
const DIGEST_BYTES = 32;
/** Enough for every machine of the largest plant, and for people. */
const MAX_REMEMBERED = 8_192;
/** Node has four threads for such work. One more is for people, who never wait for devices, and one is for files and names. */
const MAX_CONCURRENT_DEVICES = 2;
/** Passwords of people that are checked side by side. */
const MAX_CONCURRENT_PEOPLE = 1;
/** Passwords that wait to be checked. One more is refused. */
const MAX_WAITING_SCRYPT = 16_384;

export function createSecrets(): Secrets {
  const devices = new WorkQueue(MAX_CONCURRENT_DEVICES, MAX_WAITING_SCRYPT, () =>
    tooMany('passwords to check', MAX_WAITING_SCRYPT),
  );
  const people = new WorkQueue(MAX_CONCURRENT_PEOPLE, MAX_WAITING_SCRYPT, () =>
    tooMany('passwords to check', MAX_WAITING_SCRYPT),
  );
  const remembered = new RecentMatches();

  const derive = (secret: string, salt: Buffer, log2Cost: number): Promise<Buffer> => {
    const queue = log2Cost < SCRYPT_LOG2_COST.badge ? devices : people;
    return queue.run(() => deriveKey(secret, salt, log2Cost));
  };

  const hash = async (strength: SecretStrength, secret: string): Promise<string> => {
    const salt = randomBytes(SALT_BYTES);
    if (strength === 'key') return ['sha256', encode(salt), encode(sha256(salt, secret))].join('$');
    const log2Cost = SCRYPT_LOG2_COST[strength];
    const digest = await derive(secret, salt, log2Cost);
    const made = ['scrypt', log2Cost, encode(salt), encode(digest)].join('$');
    remembered.add(made, secret);
    return made;
  };

  const verify = async (stored: string, secret: string): Promise<boolean> => {
    const parsed = parseHash(stored);
    if (parsed === null) return false;
    if (parsed.kind === 'sha256') return timingSafeEqual(sha256(parsed.salt, secret), parsed.digest);
    if (remembered.has(stored, secret)) return true;
    const digest = await derive(secret, parsed.salt, parsed.log2Cost);
    const matches = timingSafeEqual(digest, parsed.digest);
    if (matches) remembered.add(stored, secret);
    return matches;
  };

  const noPasswordHash = [
    'scrypt',
    SCRYPT_LOG2_COST.personPassword,
    encode(randomBytes(SALT_BYTES)),
    encode(randomBytes(DIGEST_BYTES)),
  ].join('$');
  return { hash, verify, noPasswordHash };
}

/** A new random key for an API principal or a machine: 256 bits as text. */
export function newKey(): string {
  return encode(randomBytes(DIGEST_BYTES));
}

/** Letters and digits that are not mistaken for others. */
const CODE_CHARACTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 8;

/** A code that a person types: `K7QM-2XRT`, 39 bits. */
export function newSetUpCode(): string {
  const code = Array.from({ length: CODE_LENGTH }, () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)]).join('');
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

/** The digest that is kept of a session's token: it is random, so a plain digest is enough. */
export function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/**
 * Secrets that matched lately, as HMACs under a key of this process: when thousands of machines reconnect at once, each
 * costs one scrypt run since the start, not one for each connection. Wrong secrets are never remembered.
 */
class RecentMatches {
  readonly #key = randomBytes(DIGEST_BYTES);
  readonly #marks = new BoundedCache<string, true>(MAX_REMEMBERED);

  has(hash: string, secret: string): boolean {
    const mark = this.#mark(hash, secret);
    if (this.#marks.get(mark) === undefined) return false;
    // It was used last.
    this.#marks.set(mark, true);
    return true;
  }

  add(hash: string, secret: string): void {
    this.#marks.set(this.#mark(hash, secret), true);
  }

  #mark(hash: string, secret: string): string {
    return createHmac('sha256', this.#key).update(hash).update('\0').update(secret).digest('base64url');
  }
}

type ParsedHash =
  | { readonly kind: 'sha256'; readonly salt: Buffer; readonly digest: Buffer }
  | { readonly kind: 'scrypt'; readonly log2Cost: number; readonly salt: Buffer; readonly digest: Buffer };

function parseHash(hash: string): ParsedHash | null {
  const [kind, ...parts] = hash.split('$');
  const [salt, digest] = parts.slice(-2).map((part) => Buffer.from(part, 'base64url'));
  if (salt?.length !== SALT_BYTES || digest?.length !== DIGEST_BYTES) return null;
  if (kind === 'sha256' && parts.length === 2) return { kind, salt, digest };
  const log2Cost = Number(parts[0]);
  const isKnownCost = Number.isInteger(log2Cost) && log2Cost >= 1 && log2Cost <= MAX_SCRYPT_LOG2_COST;
  return kind === 'scrypt' && parts.length === 3 && isKnownCost ? { kind, log2Cost, salt, digest } : null;
}

function sha256(salt: Buffer, secret: string): Buffer {
  return createHash('sha256').update(salt).update(secret).digest();
}

function deriveKey(secret: string, salt: Buffer, log2Cost: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** log2Cost, r: SCRYPT_BLOCK_SIZE, p: 1, maxmem: SCRYPT_MAX_MEMORY_BYTES };
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, DIGEST_BYTES, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64url');
}
