import { hash, timingSafeEqual } from 'node:crypto';
import { BoundedCache } from '../../../domain/bounded-cache.ts';
import { CodedError, tooMany } from '../../../domain/error.ts';
import { type ApiKey, isPermitted, type NeededRole } from '../../../domain/plant/plant.ts';
import { isSameScope, plantScope } from '../../../domain/plant/plant-scope.ts';
import type { KeyUse } from '../../../flows/people/key-use.ts';
import type { Actor, Clock, Incidents, SecretVerifier } from '../../../flows/ports.ts';
import type { OpenLimit } from '../../../flows/shared-limits.ts';
import { LIMITS } from '../limits.ts';
import { FAILED_ATTEMPTS, LoginThrottle, tooManyWrong } from './login-throttle.ts';

export interface AuthenticatorOptions {
  readonly apiKeys: () => readonly ApiKey[];
  /** The gateway's own key, with every right, for its command line; null without one. */
  readonly localKey: string | null;
  readonly verifySecret: SecretVerifier;
  readonly keyUse: Pick<KeyUse, 'note'>;
  readonly openLimit: OpenLimit;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

/** An authenticated client, for as long as `isCurrent`: revoking a key ends its open requests. */
export interface Identity extends Actor {
  /** The id of the shown key; a principal may have several. */
  readonly keyId: string;
  readonly isCurrent: () => boolean;
}

/** A client without a sign-in, if that is permitted. */
export const ANYONE: Identity = { keyId: 'anyone', principal: 'anyone', role: 'gateway', isCurrent: () => true };

/** A client without a sign-in that reads Andon, if Andon is open. */
export const ONLOOKER: Identity = { keyId: 'onlooker', principal: 'anyone', role: 'viewer', isCurrent: () => true };

const LOCAL_IDENTITY: Identity = { keyId: 'local', principal: 'local', role: 'admin', isCurrent: () => true };

/**
 * Identifies the sender of `Authorization: ApiKey …` (AUTH-01). Keys are kept as hashes that are slow to compare
 * (AUTH-02). A key that was right once is remembered by its digest, and an address with repeated wrong keys is slowed
 * down.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #localDigest: Buffer | null;
  readonly #known = new BoundedCache<string, Identity>(LIMITS.rememberedKeys);
  readonly #throttle: LoginThrottle;
  readonly #verifying = new Map<string, Promise<Identity>>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#throttle = new LoginThrottle(options.openLimit('wrong keys', FAILED_ATTEMPTS));
    this.#localDigest = options.localKey === null ? null : digestOf(options.localKey);
  }

  /**
   * Rejects with `unauthenticated`, always in the same words. Rejects with `rate-limited` when too many keys are
   * compared at once, or too many wrong ones came from the address.
   */
  async identify(authorization: string | undefined, address: string): Promise<Identity> {
    const key = /^ApiKey +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (key === undefined || key.length > LIMITS.keyLength) throw unauthenticated();
    const digest = digestOf(key);
    if (this.#localDigest !== null && timingSafeEqual(digest, this.#localDigest)) return LOCAL_IDENTITY;
    const name = digest.toString('base64');
    const known = this.#known.get(name);
    if (known?.isCurrent()) return this.#used(known);
    this.#known.delete(name);
    // Many requests with the same unknown key need only one comparison.
    return this.#used(await (this.#verifying.get(name) ?? this.#ask(name, key, address)));
  }

  #used(identity: Identity): Identity {
    this.#options.keyUse.note(identity.keyId);
    return identity;
  }

  async #ask(name: string, key: string, address: string): Promise<Identity> {
    if (this.#verifying.size >= LIMITS.verificationsAtOnce) {
      throw tooMany('attempts to authenticate', LIMITS.verificationsAtOnce);
    }
    const verified = this.#verify(key, address);
    this.#verifying.set(name, verified);
    try {
      const identity = await verified;
      this.#known.set(name, identity);
      return identity;
    } finally {
      this.#verifying.delete(name);
    }
  }

  async #verify(key: string, address: string): Promise<Identity> {
    const nowMs = this.#options.clock.now().monotonicMs;
    if (!(await this.#throttle.pass(address, nowMs))) throw tooManyWrong('API keys');
    const found = await this.#find(key);
    if (found !== null) return this.#identityOf(found);
    this.#throttle.wrong(address, nowMs);
    this.#options.incidents.report({ kind: 'accessRefused', subject: `http ${address}`, detail: 'an unknown API key' });
    throw unauthenticated();
  }

  async #find(key: string): Promise<ApiKey | null> {
    for (const apiKey of this.#options.apiKeys()) {
      if (await this.#options.verifySecret(apiKey.keyHash, key)) return apiKey;
    }
    return null;
  }

  #identityOf(found: ApiKey): Identity {
    const { id, principal, role, keyHash } = found;
    const plants = plantScope(found);
    const isCurrent = () =>
      this.#options
        .apiKeys()
        .some(
          (apiKey) =>
            apiKey.keyHash === keyHash &&
            apiKey.principal === principal &&
            apiKey.role === role &&
            isSameScope(plantScope(apiKey), plants),
        );
    return { keyId: id, principal, role, plants, isCurrent };
  }
}

/** Throws `not-permitted` if a role is not enough (contract.md, Plant file). */
export function requireRole(actor: Actor, needed: NeededRole, isReading: boolean): void {
  if (isPermitted(actor.role, needed, isReading)) return;
  throw new CodedError('not-permitted', `role: found ${actor.role}, expected ${needed} or more`);
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function unauthenticated(): CodedError {
  return new CodedError(
    'unauthenticated',
    'Authorization: expected "ApiKey " and a valid API key; an administrator makes one on the page under Admin, Keys',
  );
}
