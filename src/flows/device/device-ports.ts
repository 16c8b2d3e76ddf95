import type { CodedError } from '../../domain/error.ts';
import type { Sender } from '../../domain/machine/counters/sender.ts';
import type { Decision } from '../../domain/machine/decision.ts';
import type { DecisionCause } from '../../domain/machine/decision-cause.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import type { PublicationReceipt } from '../store-ports.ts';

/** The wishes of a sender of MQTT 5 for the command that answers its status. */
export interface Reply {
  readonly correlationData: Buffer | null;
  /** A topic below the machine's own root that gets the command too. */
  readonly responseTopic: string | null;
}

/** The origin of a device's message. `duplicate` is MQTT's DUP flag: an older message may be sent again. */
export interface MessageOrigin extends Sender {
  readonly duplicate: boolean;
  readonly reply?: Reply | undefined;
  /** The bytes from `rawAt` on, if they are at hand. They are only valid during the call. */
  readonly raw?: Buffer;
  readonly rawAt?: number;
  readonly qos?: number;
  readonly retain?: boolean;
  /** It came over MQTT 5. */
  readonly isMqtt5?: boolean;
}

/**
 * The answer to a status: `command` is answered at once; `held` came faster than the device may send and is answered
 * when its turn comes (D-12); `failed` is a fault of the gateway (DEV-17).
 */
export type StatusAnswer =
  | { readonly kind: 'command'; readonly decision: Decision }
  | { readonly kind: 'held'; readonly decision: Decision }
  | { readonly kind: 'failed'; readonly decision: Decision };

/** A fault of the sender, which changes nothing. */
export interface RefusedMessage {
  readonly kind: 'refused';
  readonly error: CodedError;
}

/** The sentence of diagnostics about a message, for its sender: it was refused, or it had no effect. */
export interface MessageReport {
  readonly kind: 'refused' | 'ignored';
  readonly detail: string;
}

/** Variables that were handed in. `stored` resolves when every tracked value is on disk (VAR-04). */
export interface TakenVariables {
  readonly stored: Promise<void>;
  readonly report: MessageReport | null;
}

/** A presence that was handed in. */
export interface TakenPresence {
  readonly stored: Promise<void> | null;
  readonly report: MessageReport | null;
}

/**
 * The messages of devices, as the adapters hand them in. Texts are unchanged payloads. A fault of the sender is
 * returned; a fault of the gateway rejects.
 */
export interface DeviceInbox {
  status(machineId: MachineId, text: string, origin: MessageOrigin): StatusAnswer | RefusedMessage;
  /** A status that names its machine itself (HTTP-01, HTTP-02). */
  namedStatus(text: string, origin: MessageOrigin): (StatusAnswer & { readonly machineId: MachineId }) | RefusedMessage;
  /** Variables whose body names their machine (HTTP-03). */
  namedVariables(text: string, origin: MessageOrigin): Promise<CodedError | null>;
  /** Notes a refused body that is no text, under the machine that its bytes name. */
  undecoded(topic: 'status' | 'vars', bytes: Buffer, refusal: CodedError, origin: MessageOrigin): void;
  statusField(machineId: MachineId, fieldName: string, text: string, origin: MessageOrigin): MessageReport | null;
  /** A value that is not stored is no error (VAR-01, VAR-02). */
  variables(
    machineId: MachineId,
    text: string,
    origin: MessageOrigin,
    receipt: PublicationReceipt | null,
  ): TakenVariables;
  variable(
    machineId: MachineId,
    name: string,
    text: string,
    origin: MessageOrigin,
    receipt: PublicationReceipt | null,
  ): TakenVariables;
  /**
   * `online` and `lwt` of the topic table: `true` or `false` (MQTT-06, MQTT-07). `stored` resolves when the new
   * connection state is on disk; null if nothing changes.
   */
  presence(machineId: MachineId, topic: 'online' | 'lwt', text: string, origin: MessageOrigin): TakenPresence;
  /**
   * A message of `clientId` on a topic that no machine has (D-36), or on which a machine may not publish (MQTT-13).
   * Gives null where the topic is like none that plantgate uses.
   */
  unmatched(clientId: string, topic: string, text: string, origin: MessageOrigin): MessageReport | null;
  /** The present decision, for a device that comes back and may have missed some. */
  decision(machineId: MachineId): Decision | null;
  /** The kind of the present decision's cause (D-35); null if the machine may run. */
  cause(machineId: MachineId): DecisionCause['kind'] | null;
}

/** One machine as the broker needs to know it. */
export interface DeviceRoute {
  readonly machineId: MachineId;
  readonly topicRoot: string;
  readonly mqttPasswordHash: string | null;
}

/**
 * A retained message of the topics `online` and `lwt`. `arrival` grows with each message since the start; 0 for those
 * from before.
 */
export interface RetainedPresence {
  readonly text: string;
  readonly arrival: number;
}

/**
 * Tells a device the decision. `all`: every command topic; `bits`: the 0/1 topics alone (D-05). `reply` belongs to the
 * status that is answered late (D-12).
 */
export type SendCommand = (machineId: MachineId, decision: Decision, topics: 'all' | 'bits', reply?: Reply) => void;
