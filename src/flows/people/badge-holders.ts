import { BoundedCache } from '../../domain/bounded-cache.ts';
import type { User } from '../../domain/plant/plant.ts';
import type { SecretVerifier } from '../ports.ts';

export interface BadgeHoldersOptions {
  readonly users: () => readonly User[];
  readonly verifySecret: SecretVerifier;
  readonly digestOf: (text: string) => string;
}

/** The number of badges that are remembered. */
const MAX_REMEMBERED = 1_000;

/**
 * Finds the owner of a badge. The badge is compared with those of all people once; then it is known until people
 * change.
 */
export class BadgeHolders {
  readonly #options: BadgeHoldersOptions;
  #known = new BoundedCache<string, User>(MAX_REMEMBERED);
  #knownOf: readonly User[] = [];

  constructor(options: BadgeHoldersOptions) {
    this.#options = options;
  }

  /** `several` means that more than one person has it, so it names no person. */
  async find(badge: string): Promise<User | null | 'several'> {
    const users = this.#options.users();
    if (users !== this.#knownOf) this.#known = new BoundedCache(MAX_REMEMBERED);
    this.#knownOf = users;
    const digest = this.#options.digestOf(badge);
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    const holders: User[] = [];
    for (const user of users) {
      if (user.badgeHash !== null && (await this.#options.verifySecret(user.badgeHash, badge))) holders.push(user);
    }
    const [holder = null, ...others] = holders;
    if (others.length > 0) return 'several';
    if (holder !== null && this.#knownOf === users) this.#known.set(digest, holder);
    return holder;
  }
}
