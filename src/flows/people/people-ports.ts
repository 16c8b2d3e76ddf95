import type { CodedError } from '../../domain/error.ts';
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

/** The first administrator (contract.md, Local API). */
export interface SetUpApi {
  readonly isNeeded: boolean;
  /** Makes the administrator and signs in. Rejects with `invalid-input` for an unsuitable name or password. */
  begin(attempt: SetUpAttempt): Promise<SignedIn | CodedError>;
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
  readonly hasBadge: boolean;
  readonly hasPin: boolean;
  /** The last time since the gateway started; null if not since then. */
  readonly lastSeenAt: number | null;
  readonly sessions: number;
}

/** People at the page (contract.md, Local API). */
export interface PeopleApi {
  /** The session that a token opens at this origin, or null. An act prolongs it; except at a panel, a read does too. */
  session(token: string, origin: string, isAct: boolean): PersonSession | null;
  /** The sessions of a person, the last used one first. */
  sessionsOf(name: string): readonly SessionView[];
  people(): readonly PersonView[];
  signOut(sessionId: string): void;
  /** Ends every session of a person. */
  signOutEverywhere(name: string): void;
}

export interface SignInApi {
  /** A wrong name and a wrong password are refused in the same words and after the same time. */
  byPassword(attempt: SignInAttempt): Promise<SignedIn | CodedError>;
  /** For technicians only. `rate-limited` after too many wrong tries of this person at this panel. */
  atPanel(proof: PanelProof, place: PanelPlace): Promise<SignedIn | CodedError>;
  /** The owner of a badge, who is not signed in by this; null if it has none. */
  holderOf(badge: string, panel: Panel): Promise<string | null | CodedError>;
  /** The names of people who may sign in at a panel by a PIN. */
  namesAtPanels(): readonly string[];
}

export interface PanelApi {
  /** The panel of a browser's token, or null. */
  find(token: string): Promise<Panel | null>;
  /** Makes a browser a panel. The browser shows the token from now on. */
  enrol(name: string): Promise<Panel & { readonly token: string }>;
  isEnrolled(panelId: string): boolean;
}

/** The last use of each API key since the gateway started. */
export interface KeyUseApi {
  note(keyId: string): void;
  list(): readonly { readonly id: string; readonly lastUsedAt: number }[];
}
