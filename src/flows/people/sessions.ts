import { CodedError } from '../../domain/error.ts';
import type { User } from '../../domain/plant/plant.ts';
import type { Clock, Incidents, SecretVerifier } from '../ports.ts';
import type { PeopleApi, PersonSession, SignedIn, SignInAttempt } from './people-ports.ts';

export interface SessionsOptions {
  readonly users: () => readonly User[];
  readonly verifySecret: SecretVerifier;
  /** A hash that no password matches: it is compared where there is no such person. */
  readonly noPasswordHash: string;
  readonly newToken: () => string;
  /** What is kept of a token. */
  readonly digestOf: (token: string) => string;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

/** A shift and its overtime: who was not here for that long signs in again. */
export const SESSION_IDLE_MS = 12 * 60 * 60_000;
/** Panels, a desk and a telephone. */
const MAX_SESSIONS_OF_PERSON = 20;
const MAX_SESSIONS = 1_000;

interface Session {
  readonly user: User;
  readonly origin: string;
  usedAtMs: number;
}

/** Who is signed in at the page. A session slides: each use prolongs it. */
export class Sessions implements PeopleApi {
  readonly #options: SessionsOptions;
  /** By the digest of its token; the one that was used last stands last. */
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async signIn({ name, password, origin, address }: SignInAttempt): Promise<SignedIn | CodedError> {
    const user = this.#options.users().find((one) => one.name === name);
    const matches = await this.#options.verifySecret(user?.passwordHash ?? this.#options.noPasswordHash, password);
    if (user === undefined || !matches) {
      this.#options.incidents.report({
        kind: 'accessRefused',
        subject: `http ${address}`,
        detail: 'a wrong name or password at the page',
      });
      return new CodedError('unauthenticated', 'name, password: no person has this name and this password');
    }
    const token = this.#options.newToken();
    this.#makeRoom(name);
    this.#sessions.set(this.#options.digestOf(token), { user, origin, usedAtMs: this.#nowMs() });
    return { token, name, role: user.role };
  }

  session(token: string, origin: string): PersonSession | null {
    const sessionId = this.#options.digestOf(token);
    const session = this.#sessions.get(sessionId);
    if (session === undefined || session.origin !== origin || !this.#isCurrent(sessionId)) return null;
    session.usedAtMs = this.#nowMs();
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, session);
    const { name: principal, role } = session.user;
    return { sessionId, principal, role, isCurrent: () => this.#isCurrent(sessionId) };
  }

  signOut(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  signOutEverywhere(name: string): void {
    for (const [sessionId, { user }] of this.#sessions) if (user.name === name) this.#sessions.delete(sessionId);
  }

  /** A new password, another role or the removal of a person ends the sessions that were opened before. */
  #isCurrent(sessionId: string): boolean {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return false;
    const { user, usedAtMs } = session;
    const isKnown = this.#options
      .users()
      .some(
        ({ name, role, passwordHash }) =>
          name === user.name && role === user.role && passwordHash === user.passwordHash,
      );
    if (isKnown && this.#nowMs() - usedAtMs < SESSION_IDLE_MS) return true;
    this.#sessions.delete(sessionId);
    return false;
  }

  /** The session that was not used for the longest time gives way. */
  #makeRoom(name: string): void {
    const own = [...this.#sessions].filter(([, { user }]) => user.name === name);
    const [oldestOwn] = own;
    if (own.length >= MAX_SESSIONS_OF_PERSON && oldestOwn !== undefined) this.#sessions.delete(oldestOwn[0]);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
  }

  #nowMs(): number {
    return this.#options.clock.now().monotonicMs;
  }
}
