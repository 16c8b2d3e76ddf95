import type { CodedError } from '../../domain/error.ts';
import type { Role } from '../../domain/plant/plant.ts';
import type { Actor } from '../ports.ts';

/** A person who tries to sign in, and from where. */
export interface SignInAttempt {
  readonly name: string;
  readonly password: string;
  /** The scheme and host that the browser asked; the session holds there alone. */
  readonly origin: string;
  readonly address: string;
}

/** Somebody who read the set-up code, and the name and password that they choose. */
export interface SetUpAttempt extends SignInAttempt {
  readonly code: string;
}

/** The first administrator (contract.md, Local API). */
export interface SetUpApi {
  readonly isNeeded: boolean;
  /** Makes the administrator and signs in. Rejects with `invalid-input` for a name or password that is not fit. */
  begin(attempt: SetUpAttempt): Promise<SignedIn | CodedError>;
}

/** A person's session, for as long as `isCurrent`. */
export interface PersonSession extends Actor {
  readonly sessionId: string;
  readonly isCurrent: () => boolean;
}

export interface SignedIn {
  /** What the browser shows from now on; it is not kept here. */
  readonly token: string;
  readonly name: string;
  readonly role: Role;
}

/** People at the page (contract.md, Local API). */
export interface PeopleApi {
  /** A wrong name and a wrong password are refused in the same words and after the same time. */
  signIn(attempt: SignInAttempt): Promise<SignedIn | CodedError>;
  /** The session that a token opens at this origin, which is used by that; null: none. */
  session(token: string, origin: string): PersonSession | null;
  signOut(sessionId: string): void;
  /** Ends every session of a person. */
  signOutEverywhere(name: string): void;
}
