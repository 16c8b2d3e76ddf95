import type { User } from '../../domain/plant/plant.ts';
import { isSameScope, plantScope } from '../../domain/plant/plant-scope.ts';
import type { Clock } from '../ports.ts';
import type {
  PersonSession,
  PersonView,
  Place,
  SessionRecord,
  SessionView,
  SignedIn,
  StoredSession,
} from './people-ports.ts';

export interface SessionsOptions {
  readonly users: () => readonly User[];
  readonly isEnrolled: (panelId: string) => boolean;
  readonly newToken: () => string;
  /** The digest that is kept of a token. */
  readonly digestOf: (token: string) => string;
  readonly clock: Clock;
  /** The sessions of the run before. */
  readonly stored: readonly StoredSession[];
  /** Hands records over to the store, which commits them within a moment. */
  readonly record: (records: readonly SessionRecord[]) => void;
  /** Resolves once the records are on disk. */
  readonly write: (records: readonly SessionRecord[]) => Promise<void>;
}

/** A shift with overtime: a person who was away for that long has to sign in again. */
export const SESSION_IDLE_MS = 12 * 60 * 60_000;
/** A panel without a touch for this time can only read. */
export const PANEL_IDLE_MS = 5 * 60_000;
/** The number of sessions of a person: enough for panels, a desk and a telephone. */
const MAX_SESSIONS_OF_PERSON = 20;
/** Sessions of all persons. Beyond it the oldest ends. */
const MAX_SESSIONS = 1_000;
/** The last use on disk may be this much older: a restart ends a session that much sooner, and never later. */
export const SESSION_KEPT_EVERY_MS = 60_000;

interface Session {
  readonly user: User;
  readonly place: Place;
  readonly sinceWallMs: number;
  usedAtMs: number;
  usedAtWallMs: number;
  /** The last use that is on disk, or on its way there. */
  keptAtMs: number;
}

/**
 * The people signed in at the page. A session slides: each use prolongs it, at a panel each touch. It outlives a restart
 * of the gateway (D-96).
 */
export class Sessions {
  readonly #options: SessionsOptions;
  /** The sessions by the digest of their token; the last used one stands last. */
  readonly #sessions = new Map<string, Session>();
  /** The map has only people who may sign in, so their number bounds it. */
  readonly #seenAt = new Map<string, number>();

  constructor(options: SessionsOptions) {
    this.#options = options;
    for (const stored of options.stored) this.#restore(stored);
  }

  /** Begins a session of a person who has proved who it is. */
  open(user: User, place: Place): SignedIn {
    const token = this.#options.newToken();
    const { monotonicMs, wallMs } = this.#options.clock.now();
    this.#makeRoom(user.name);
    const used = { usedAtMs: monotonicMs, usedAtWallMs: wallMs, keptAtMs: monotonicMs };
    const session = { user, place, sinceWallMs: wallMs, ...used };
    const sessionId = this.#options.digestOf(token);
    this.#sessions.set(sessionId, session);
    this.#keep(sessionId, session);
    this.#seenAt.set(user.name, wallMs);
    return { token, name: user.name, role: user.role };
  }

  /** The session that a token opens at this origin, or null. An act prolongs it; except at a panel, a read does too. */
  session(token: string, origin: string, isAct: boolean): PersonSession | null {
    const sessionId = this.#options.digestOf(token);
    const session = this.#sessions.get(sessionId);
    if (session === undefined || session.place.origin !== origin || !this.#isCurrent(sessionId)) return null;
    if (isAct || session.place.panel === null) this.#use(sessionId, session);
    const { name: principal, role } = session.user;
    return {
      sessionId,
      principal,
      role,
      plants: plantScope(session.user),
      isCurrent: () => this.#isCurrent(sessionId),
    };
  }

  /** The sessions of a person, the last used one first. */
  sessionsOf(name: string): readonly SessionView[] {
    return this.#current()
      .filter(([, { user }]) => user.name === name)
      .map(([sessionId, { place, sinceWallMs, usedAtWallMs }]) => ({
        sessionId,
        address: place.address,
        panel: place.panel?.name ?? null,
        since: Math.round(sinceWallMs),
        lastUsedAt: Math.round(usedAtWallMs),
      }))
      .reverse();
  }

  people(): readonly PersonView[] {
    const current = this.#current();
    return this.#options.users().map(({ name, role, plants, badgeHash, pinHash }) => ({
      name,
      role,
      ...(plants !== undefined && { plants }),
      hasBadge: badgeHash !== null,
      hasPin: pinHash !== null,
      lastSeenAt: Math.round(this.#seenAt.get(name) ?? 0) || null,
      sessions: current.filter(([, { user }]) => user.name === name).length,
    }));
  }

  signOut(sessionId: string): void {
    if (this.#sessions.delete(sessionId)) this.#options.record([ended(sessionId)]);
  }

  /**
   * Ends every session of a person at once. Resolves when that is on disk as well: it is how people close a session that
   * somebody else has got.
   */
  async signOutEverywhere(name: string): Promise<void> {
    const own = [...this.#sessions].filter(([, { user }]) => user.name === name);
    if (own.length === 0) return;
    for (const [sessionId] of own) this.#sessions.delete(sessionId);
    await this.#options.write(own.map(([sessionId]) => ended(sessionId)));
  }

  /** Takes up what another node of a central server has written. */
  follow(record: SessionRecord): void {
    if (record.kind === 'personSessionEnded') {
      this.#sessions.delete(record.sessionId);
      return;
    }
    const { sessionId, lastUsedAt } = record.session;
    const known = this.#sessions.get(sessionId);
    if (known === undefined || known.usedAtWallMs < lastUsedAt) this.#restore(record.session);
  }

  /** Takes up a session of the run before, unless it is over. */
  #restore({ sessionId, person, personDigest, ...stored }: StoredSession): void {
    const { users, clock, record } = this.#options;
    const user = users().find(({ name }) => name === person);
    if (user === undefined || this.#digestOfPerson(user) !== personDigest) {
      record([ended(sessionId)]);
      return;
    }
    const { monotonicMs, wallMs } = clock.now();
    const { origin, address, panelId, panelName } = stored;
    const panel = panelId === null || panelName === null ? null : { id: panelId, name: panelName };
    // The clock may have been set back meanwhile: the session is then as good as used now.
    const usedAtMs = monotonicMs - Math.max(0, wallMs - stored.lastUsedAt);
    this.#sessions.set(sessionId, {
      user,
      place: { origin, address, panel },
      sinceWallMs: stored.since,
      usedAtMs,
      usedAtWallMs: stored.lastUsedAt,
      keptAtMs: usedAtMs,
    });
    if (this.#isCurrent(sessionId)) this.#seenAt.set(person, stored.lastUsedAt);
  }

  #keep(sessionId: string, session: Session): void {
    const { user, place, sinceWallMs, usedAtMs, usedAtWallMs } = session;
    const { origin, address, panel } = place;
    session.keptAtMs = usedAtMs;
    const stored = {
      sessionId,
      person: user.name,
      personDigest: this.#digestOfPerson(user),
      origin,
      address,
      panelId: panel?.id ?? null,
      panelName: panel?.name ?? null,
      since: sinceWallMs,
      lastUsedAt: usedAtWallMs,
    };
    this.#options.record([{ kind: 'personSession', session: stored }]);
  }

  #digestOfPerson(user: User): string {
    return this.#options.digestOf(JSON.stringify(SAME.map((field) => user[field])));
  }

  #use(sessionId: string, session: Session): void {
    const { monotonicMs, wallMs } = this.#options.clock.now();
    session.usedAtMs = monotonicMs;
    session.usedAtWallMs = wallMs;
    this.#seenAt.set(session.user.name, wallMs);
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, session);
    if (monotonicMs - session.keptAtMs >= SESSION_KEPT_EVERY_MS) this.#keep(sessionId, session);
  }

  #current(): readonly (readonly [string, Session])[] {
    return [...this.#sessions].filter(([sessionId]) => this.#isCurrent(sessionId));
  }

  /** The sessions of a person end with a new secret, with another role or other plants, and when the person or the panel is removed. */
  #isCurrent(sessionId: string): boolean {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return false;
    const { user, place, usedAtMs } = session;
    const { users, isEnrolled, clock } = this.#options;
    const isKnown = users().some((other) => isSame(other, user));
    const idleMs = place.panel === null ? SESSION_IDLE_MS : PANEL_IDLE_MS;
    const isThere = place.panel === null || isEnrolled(place.panel.id);
    if (isKnown && isThere && clock.now().monotonicMs - usedAtMs < idleMs) return true;
    this.signOut(sessionId);
    return false;
  }

  /** Removes the session that was not used for the longest time. */
  #makeRoom(name: string): void {
    const own = [...this.#sessions].filter(([, { user }]) => user.name === name);
    const [oldestOwn] = own;
    if (own.length >= MAX_SESSIONS_OF_PERSON && oldestOwn !== undefined) this.signOut(oldestOwn[0]);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= MAX_SESSIONS && oldest !== undefined) this.signOut(oldest);
    for (const known of this.#seenAt.keys())
      if (!this.#options.users().some((user) => user.name === known)) this.#seenAt.delete(known);
  }
}

function ended(sessionId: string): SessionRecord {
  return { kind: 'personSessionEnded', sessionId };
}

const SAME: readonly (keyof User)[] = ['name', 'role', 'passwordHash', 'badgeHash', 'pinHash'];

function isSame(one: User, other: User): boolean {
  return SAME.every((field) => one[field] === other[field]) && isSameScope(plantScope(one), plantScope(other));
}
