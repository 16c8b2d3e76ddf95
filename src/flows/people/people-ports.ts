import type { Role } from '../../domain/plant/plant.ts';
import type { Actor } from '../ports.ts';

/** A browser that an administrator has enrolled: it may always read, and technicians sign in there by badge or PIN. */
export interface Panel {
  readonly id: string;
  readonly name: string;
}

/** The place at which a person signs in. */
export interface Place {
  /** The scheme and host that the browser asked; the session is valid only there. */
  readonly origin: string;
  readonly address: string;
  /** Null for a browser that is not enrolled. */
  readonly panel: Panel | null;
}

/** A person who tries to sign in, and the address. */
export interface SignInAttempt extends Place {
  readonly name: string;
  readonly password: string;
}

/** At an enrolled panel: a badge says who it is, a PIN belongs to a name. */
export type PanelProof = { readonly badge: string } | { readonly name: string; readonly pin: string };
export type PanelPlace = Place & { readonly panel: Panel };

/** The set-up code that a person has read, and the chosen name and password. */
export interface SetUpAttempt extends SignInAttempt {
  readonly code: string;
}

/** A person's session, for as long as `isCurrent`. */
export interface PersonSession extends Actor {
  readonly sessionId: string;
  readonly isCurrent: () => boolean;
}

export interface SignedIn {
  /** The browser shows this token from now on; it is not kept here. */
  readonly token: string;
  readonly name: string;
  readonly role: Role;
}

/** A session on disk, from which it goes on after a restart (D-96). Times are wall-clock milliseconds. */
export interface StoredSession {
  /** The digest of the token, which itself is kept nowhere. */
  readonly sessionId: string;
  readonly person: string;
  /** The digest of everything about the person whose change ends the session. */
  readonly personDigest: string;
  readonly origin: string;
  readonly address: string;
  readonly panelId: string | null;
  readonly panelName: string | null;
  readonly since: number;
  readonly lastUsedAt: number;
}

export type SessionRecord =
  | { readonly kind: 'personSession'; readonly session: StoredSession }
  | { readonly kind: 'personSessionEnded'; readonly sessionId: string };

/** The view of a session for people; times are wall-clock milliseconds. */
export interface SessionView {
  readonly sessionId: string;
  readonly address: string;
  /** The name of the panel; null: another browser. */
  readonly panel: string | null;
  readonly since: number;
  readonly lastUsedAt: number;
}

/** A person as administrators see one. */
export interface PersonView {
  readonly name: string;
  readonly role: Role;
  /** Without a list the role decides (D-108). */
  readonly plants?: readonly string[];
  readonly hasBadge: boolean;
  readonly hasPin: boolean;
  /** The last time since the gateway started, or in a session that is not over; null: neither. */
  readonly lastSeenAt: number | null;
  readonly sessions: number;
}
