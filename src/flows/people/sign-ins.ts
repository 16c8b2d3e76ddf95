import { BoundedCache } from '../../domain/bounded-cache.ts';
import { CodedError } from '../../domain/error.ts';
import type { User } from '../../domain/plant/plant.ts';
import { haveCommonPlant, type PlantScope, plantScope } from '../../domain/plant/plant-scope.ts';
import type { TokenBuckets } from '../../domain/token-buckets.ts';
import type { Clock, Incidents, SecretVerifier } from '../ports.ts';
import type { OpenLimit } from '../shared-limits.ts';
import type { Panel, PanelPlace, PanelProof, Place, SignedIn, SignInAttempt } from './people-ports.ts';

export interface SignInsOptions {
  readonly users: () => readonly User[];
  readonly sessions: { open(user: User, place: Place): SignedIn };
  readonly verifySecret: SecretVerifier;
  /** A hash that no password matches: it is compared if there is no such person. */
  readonly noPasswordHash: string;
  readonly digestOf: (text: string) => string;
  readonly openLimit: OpenLimit;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

/** Sign-in: by name and password anywhere; technicians also by badge or PIN at an enrolled panel. */
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #badges: BadgeHolders;
  readonly #throttle: PanelThrottle;

  constructor(options: SignInsOptions) {
    this.#options = options;
    this.#badges = new BadgeHolders(options);
    this.#throttle = new PanelThrottle(options.openLimit);
  }

  /** A wrong name and a wrong password are refused in the same words and after the same time. */
  async byPassword({ name, password, ...place }: SignInAttempt): Promise<SignedIn> {
    const user = this.#options.users().find((one) => one.name === name);
    const { verifySecret, noPasswordHash, sessions } = this.#options;
    const matches = await verifySecret(user?.passwordHash ?? noPasswordHash, password);
    if (user !== undefined && matches) return sessions.open(user, place);
    this.#tellRefusal(place.address, 'a wrong name or password at the page');
    throw new CodedError('unauthenticated', 'name, password: no person has this name and this password');
  }

  /** The names of people who may sign in at a panel of these plants by a PIN. */
  namesAtPanels(plants: PlantScope): readonly string[] {
    return this.#options
      .users()
      .filter((user) => mayUsePanels(user) && user.pinHash !== null && haveCommonPlant(plantScope(user), plants))
      .map(({ name }) => name)
      .sort();
  }

  /** Each person has separate tries at each panel, so that a person is not locked out at another panel. */
  async atPanel(proof: PanelProof, place: PanelPlace): Promise<SignedIn> {
    const { panel } = place;
    const whose = 'badge' in proof ? null : proof.name;
    const nowMs = this.#options.clock.now().monotonicMs;
    if (!this.#throttle.take(panel.id, whose, nowMs)) throw tooMany();
    const user = 'badge' in proof ? await this.#badges.find(proof.badge) : await this.#holderOfPin(proof);
    if (user === 'several') throw severalHaveIt();
    if (user !== null && mayUsePanels(user)) {
      this.#throttle.giveBack(panel.id, whose);
      return this.#options.sessions.open(user, place);
    }
    this.#tellRefusal(place.address, `a wrong badge or PIN at the panel ${panel.name}`);
    const fault = 'badge' in proof ? 'badge: no technician has this badge' : NO_SUCH_PIN;
    throw new CodedError('unauthenticated', fault);
  }

  /** The owner of a badge, who is not signed in by this; null if it has none. */
  async holderOf(badge: string, panel: Panel): Promise<string | null> {
    if (!this.#throttle.take(panel.id, null, this.#options.clock.now().monotonicMs)) throw tooMany();
    const user = await this.#badges.find(badge);
    if (user === 'several') throw severalHaveIt();
    if (user === null || !mayUsePanels(user)) return null;
    this.#throttle.giveBack(panel.id, null);
    return user.name;
  }

  async #holderOfPin({ name, pin }: { readonly name: string; readonly pin: string }): Promise<User | null> {
    const user = this.#options.users().find((one) => one.name === name && mayUsePanels(one));
    const { verifySecret, noPasswordHash } = this.#options;
    const matches = await verifySecret(user?.pinHash ?? noPasswordHash, pin);
    return user !== undefined && matches ? user : null;
  }

  #tellRefusal(address: string, detail: string): void {
    this.#options.incidents.report({ kind: 'accessRefused', subject: `http ${address}`, detail });
  }
}

const NO_SUCH_PIN = 'name, pin: no technician has this name and this PIN';

/** People who may do more than a technician prove it by a password. */
function mayUsePanels({ role }: User): boolean {
  return role === 'technician';
}

function tooMany(): CodedError {
  return new CodedError(
    'rate-limited',
    'too many wrong badges or PINs at this panel: wait a minute, or use the password',
  );
}

function severalHaveIt(): CodedError {
  return new CodedError('conflict', 'badge: several people have this badge; give all but one of them another');
}

interface BadgeHoldersOptions {
  readonly users: () => readonly User[];
  readonly verifySecret: SecretVerifier;
  readonly digestOf: (text: string) => string;
}

/** The number of badges that are remembered. */
const MAX_BADGES = 1_000;

/**
 * Finds the owner of a badge. The badge is compared with those of all people once; then it is known until people
 * change.
 */
class BadgeHolders {
  readonly #options: BadgeHoldersOptions;
  #known = new BoundedCache<string, User>(MAX_BADGES);
  #knownOf: readonly User[] = [];

  constructor(options: BadgeHoldersOptions) {
    this.#options = options;
  }

  /** `several` means that more than one person has it, so it names no person. */
  async find(badge: string): Promise<User | null | 'several'> {
    const users = this.#options.users();
    if (users !== this.#knownOf) this.#known = new BoundedCache(MAX_BADGES);
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

/**
 * The wrong tries that a person has at a panel at once, and the time for one more. Guessing four digits then takes a
 * week.
 */
const TRIES = 5;
const NEXT_TRY_MS = 60_000;
/** Badges are longer than PINs; scans of other labels by mistake are no guesses. */
const BADGE_TRIES = 20;
const NEXT_BADGE_MS = 6_000;
/** People at panels, and panels, whose tries are remembered. Beyond it the oldest is forgotten. */
const MAX_PANELS = 10_000;

/** Counts wrong badges and PINs by panel and person. */
class PanelThrottle {
  readonly #pins: TokenBuckets;
  readonly #badges: TokenBuckets;

  constructor(openLimit: OpenLimit) {
    this.#pins = openLimit('PINs', { capacity: TRIES, refillMs: NEXT_TRY_MS, mostNames: MAX_PANELS });
    this.#badges = openLimit('badges', { capacity: BADGE_TRIES, refillMs: NEXT_BADGE_MS, mostNames: MAX_PANELS });
  }

  /**
   * Takes a try; false if no try is left for now. `whose` is null for badges, because their owner is not known
   * beforehand.
   */
  take(panelId: string, whose: string | null, nowMs: number): boolean {
    const [tries, name] = this.#triesOf(panelId, whose);
    return tries.tryTake(name, nowMs);
  }

  /** Gives all tries back after a right one. */
  giveBack(panelId: string, whose: string | null): void {
    const [tries, name] = this.#triesOf(panelId, whose);
    tries.forget(name);
  }

  #triesOf(panelId: string, whose: string | null): readonly [TokenBuckets, string] {
    return whose === null ? [this.#badges, panelId] : [this.#pins, JSON.stringify([panelId, whose])];
  }
}
