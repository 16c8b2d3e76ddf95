import type { Role } from '../domain/plant/plant.ts';
import type { Now } from '../domain/time.ts';

export interface Clock {
  now(): Now;
}

/** Something wrong that a person should be able to read in diagnostics; the newest of a kind and subject stands for all. */
export interface Incident {
  readonly kind:
    | 'malformed'
    /** A payload was read without what stood around it (D-34). */
    | 'tolerated'
    | 'unknownDevice'
    | 'rateLimited'
    | 'forbiddenPublish'
    | 'protocolViolation'
    | 'packetTooLarge'
    | 'duplicateClientId'
    | 'accessRefused'
    | 'slowReader'
    | 'limitReached'
    | 'clockJump'
    | 'heldUp'
    | 'plantFile'
    | 'store'
    | 'legacyAgent'
    | 'sendingGateway'
    | 'upstream'
    | 'internal';
  /** Whom it is about: a machine id, a client id, an address. */
  readonly subject: string;
  readonly detail: string;
}

export interface Incidents {
  report(incident: Incident): void;
}

/** Compares a secret with the hash kept of it, off the main thread, in constant time (AUTH-02). */
export type SecretVerifier = (hash: string, secret: string) => Promise<boolean>;

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The principal of an API key, or a user's name. */
export interface Actor {
  readonly principal: string;
  readonly role: Role;
}
