import { createHmac, randomBytes } from 'node:crypto';
import { LIMITS } from '../limits.ts';

const KEY_BYTES = 32;
/** An attacker has a whole network of this many groups of an IPv6 address. */
const IPV6_NETWORK_GROUPS = 4;

/** The guesses that are left; below zero if more were under way than allowed. */
interface Allowance {
  left: number;
  atMs: number;
}

/**
 * Slows guessing of passwords down: some 10,000 guesses take an hour, from one address or from many. An address without a
 * wrong password always passes, and so does a password that was right before, from any address.
 */
export class PasswordThrottle {
  readonly #nowMs: () => number;
  readonly #byAddress = new Map<string, Allowance>();
  readonly #inAll: Allowance;
  readonly #key = randomBytes(KEY_BYTES);
  readonly #right = new Set<string>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#inAll = { left: LIMITS.wrongPasswords, atMs: nowMs() };
  }

  /** Whether a password from this address may be compared. */
  mayTry(address: string, hash: string, password: string): boolean {
    if (this.#right.has(this.#mark(hash, password))) return true;
    const here = this.#byAddress.get(networkOf(address));
    if (here === undefined) return true;
    this.#refill(here, LIMITS.wrongPasswordsPerAddress);
    this.#refill(this.#inAll, LIMITS.wrongPasswords);
    return here.left >= 1 && this.#inAll.left >= 1;
  }

  wrong(address: string): void {
    const network = networkOf(address);
    const here = this.#byAddress.get(network) ?? { left: LIMITS.wrongPasswordsPerAddress, atMs: this.#nowMs() };
    here.left -= 1;
    this.#inAll.left -= 1;
    this.#byAddress.delete(network);
    this.#byAddress.set(network, here);
    forgetOldest(this.#byAddress, LIMITS.guessingAddresses);
  }

  right(hash: string, password: string): void {
    const mark = this.#mark(hash, password);
    this.#right.delete(mark);
    this.#right.add(mark);
    forgetOldest(this.#right, LIMITS.rememberedPasswords);
  }

  #refill(allowance: Allowance, most: number): void {
    const nowMs = this.#nowMs();
    const added = (nowMs - allowance.atMs) / LIMITS.wrongPasswordRefillMs;
    allowance.left = Math.min(most, allowance.left + added);
    allowance.atMs = nowMs;
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

function forgetOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  if (kept.size <= most) return;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
