import { createHmac, randomBytes } from 'node:crypto';
import { TokenBuckets } from '../../../domain/token-buckets.ts';
import { LIMITS } from '../limits.ts';

const KEY_BYTES = 32;
/** The first groups of an IPv6 address name its network. An attacker may use all addresses of one network. */
const IPV6_NETWORK_GROUPS = 4;

/** The name of the guesses that all addresses share. */
const ALL = 'all';

/**
 * Slows guessing of passwords down: some 10,000 guesses take an hour, from one address or from many. An address without a
 * wrong password always passes, and so does a password that was right before, from any address.
 */
export class PasswordThrottle {
  readonly #nowMs: () => number;
  readonly #byNetwork = guesses(LIMITS.wrongPasswordsPerAddress, LIMITS.guessingAddresses);
  readonly #inAll = guesses(LIMITS.wrongPasswords, 1);
  readonly #key = randomBytes(KEY_BYTES);
  readonly #right = new Set<string>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether a password from this address may be compared. */
  mayTry(address: string, hash: string, password: string): boolean {
    if (this.#right.has(this.#mark(hash, password))) return true;
    const network = networkOf(address);
    if (!this.#byNetwork.remembers(network)) return true;
    const nowMs = this.#nowMs();
    return this.#byNetwork.has(network, nowMs) && this.#inAll.has(ALL, nowMs);
  }

  wrong(address: string): void {
    const nowMs = this.#nowMs();
    this.#byNetwork.take(networkOf(address), nowMs);
    this.#inAll.take(ALL, nowMs);
  }

  right(hash: string, password: string): void {
    const mark = this.#mark(hash, password);
    this.#right.delete(mark);
    this.#right.add(mark);
    const oldest = this.#right.keys().next();
    if (this.#right.size > LIMITS.rememberedPasswords && oldest.done === false) this.#right.delete(oldest.value);
  }

  /** Neither the hash nor the password is kept. */
  #mark(hash: string, password: string): string {
    return createHmac('sha256', this.#key).update(hash).update('\0').update(password).digest('base64url');
  }
}

function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  return address.split(':').slice(0, IPV6_NETWORK_GROUPS).join(':');
}

function guesses(capacity: number, mostNames: number): TokenBuckets {
  return new TokenBuckets({ capacity, refillMs: LIMITS.wrongPasswordRefillMs, mostNames });
}
