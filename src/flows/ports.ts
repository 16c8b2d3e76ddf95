import type { LogLevel } from '../domain/log-level.ts';
import type { Role } from '../domain/plant/plant.ts';
import type { Now } from '../domain/time.ts';

export interface Clock {
  now(): Now;
}

/** Something wrong that a person should be able to read in diagnostics. */
export interface Incident {
  readonly kind:
    | 'malformed'
    /** A payload was read without what stood around it (D-34). */
    | 'tolerated'
    | 'unknownDevice'
    /** A message on a topic that nobody takes in; subscribers get it (D-36). */
    | 'unmatchedTopic'
    | 'rateLimited'
    | 'forbiddenPublish'
    | 'protocolViolation'
    | 'packetTooLarge'
    | 'duplicateClientId'
    | 'accessRefused'
    | 'slowReader'
    | 'limitReached'
    | 'clockJump'
    /** A device's mSecSinceBoot went back without a reboot. */
    | 'deviceClock'
    | 'heldUp'
    | 'plantFile'
    /** Others may not find the gateway by name. */
    | 'discovery'
    | 'store'
    | 'legacyAgent'
    | 'sendingGateway'
    | 'upstream'
    | 'internal';
  /** The id of the machine or client, or the address, that it is about. */
  readonly subject: string;
  readonly detail: string;
  /** Where it came from, where that is known. */
  readonly address?: string;
  /** The machine that was probably meant, where the subject is another. */
  readonly meantFor?: string;
  /** The TopicRoot that the device seems to have, where it is not that of its machine. */
  readonly topicRoot?: string;
  /** The beginning of a message that shows it. */
  readonly example?: string;
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

/** A log whose level can be changed while it is written. */
export interface LeveledLog extends Log {
  level: LogLevel;
}

/** The principal of an API key, or a user's name. */
export interface Actor {
  readonly principal: string;
  readonly role: Role;
}
