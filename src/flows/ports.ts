import type { LogLevel } from '../domain/log-level.ts';
import type { Role } from '../domain/plant/plant.ts';
import type { PlantScope } from '../domain/plant/plant-scope.ts';
import type { Now } from '../domain/time.ts';

export interface Clock {
  now(): Now;
}

/** An incident that a person can read in diagnostics. */
export interface Incident {
  readonly kind:
    | 'malformed'
    /** A payload was read without the bytes around it (D-34). */
    | 'tolerated'
    | 'unknownDevice'
    /** A message on a topic that no machine has; subscribers get it (D-36). */
    | 'unmatchedTopic'
    /** A machine subscribes to a filter that is nearly one of its commands, and hears nothing (D-65). */
    | 'unmatchedSubscription'
    | 'rateLimited'
    | 'forbiddenPublish'
    /** A subscription that the client's MQTT account does not allow (D-66). */
    | 'forbiddenSubscription'
    | 'protocolViolation'
    /** Bytes on an HTTP port that are no HTTP, or that came too slowly. */
    | 'brokenHttp'
    | 'packetTooLarge'
    | 'duplicateClientId'
    | 'accessRefused'
    | 'slowReader'
    | 'limitReached'
    | 'clockJump'
    /** A device's mSecSinceBoot went back without a reboot. */
    | 'deviceClock'
    /** A counter fell without a reboot (D-02). */
    | 'counterFell'
    /** Two devices send under one machineId (D-59). */
    | 'twoSenders'
    | 'heldUp'
    | 'plantFile'
    /** Others may not find the gateway by name. */
    | 'discovery'
    | 'store'
    | 'legacyAgent'
    | 'sendingGateway'
    /** A message of an alert that was given up (D-83). */
    | 'alertChannel'
    | 'upstream'
    | 'internal';
  /** The id of the machine or client, or the address, of the incident. */
  readonly subject: string;
  readonly detail: string;
  /** The address it came from, if known. */
  readonly address?: string;
  /** The gateway that sends here of which a `sendingGateway` speaks. */
  readonly gatewayId?: string;
  /** The machine that was probably meant, if the subject is another. */
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
  /** The plants that it is for; left out: all of them. */
  readonly plants?: PlantScope;
}

/** Decisions about records that several nodes of a central server share. */
export type SharedDecisions = {
  /** Runs an operation that decides about shared records while no other node does. Rejects with its error too. */
  decide<T>(operation: () => Promise<T>): Promise<T>;
  /** Resolves when all that was recorded here before is there for the others, or cannot be at present. */
  written(): Promise<void>;
  /** Resolves when this node knows all that others had written before, or cannot know it at present. */
  current(): Promise<void>;
};
