import { foundText } from '../../../domain/error.ts';
import type { Decision } from '../../../domain/machine/decision.ts';
import type { DeviceInbox, MessageReport, Reply } from '../../../flows/device/device-ports.ts';
import type { Incident, Incidents } from '../../../flows/ports.ts';
import type { PublicationReceipt } from '../../../flows/store-ports.ts';
import type { PublishView } from '../mqtt/publish-packet.ts';
import { NO_REASON, REASON, type Reason } from '../mqtt/reason-codes.ts';
import { meantFilter, type TopicMeaning } from '../topics.ts';
import type { CommandPublisher } from './command-publisher.ts';

/** One message on a machine's topic, taken out of its packet. */
export interface DeviceMessage {
  readonly meaning: TopicMeaning;
  readonly text: string;
  readonly clientId: string;
  readonly qos: 0 | 1 | 2;
  readonly packetId: number;
  readonly duplicate: boolean;
  readonly retain: boolean;
  readonly transport: 'mqtt';
  readonly address: string;
  /** The payload's bytes, from `rawAt` on. */
  readonly raw: Buffer;
  readonly rawAt: number;
  /** The whole topic, if the interface does not name it. */
  readonly topic: string;
  readonly reply?: Reply | undefined;
  readonly isMqtt5: boolean;
}

/**
 * The outcome of a message: the decision to answer with, work that must be on disk before the PUBACK, work for which the
 * PUBACK waits as long as the disk is well, or none of these. `reason` is told to a client of MQTT 5.
 */
export type InputOutcome = { readonly reason: Reason } & (
  | { readonly kind: 'answer'; readonly decision: Decision }
  | { readonly kind: 'storing'; readonly stored: Promise<void> }
  | { readonly kind: 'announced'; readonly stored: Promise<void> | null }
  | { readonly kind: 'taken' }
  | { readonly kind: 'notForDevices' }
);

/** A refused payload has the reason whose name libraries show: Payload_format_invalid (D-68). */
function reasonOf(report: MessageReport | null): Reason {
  if (report === null) return NO_REASON;
  const code = report.kind === 'refused' ? REASON.payloadFormatInvalid : REASON.success;
  return { code, text: report.detail };
}

function taken(report: MessageReport | null): InputOutcome {
  return { kind: 'taken', reason: reasonOf(report) };
}

/** FNV-1a, 32 bits: distinguishes a message sent again from a new one under a reused packet id. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** `variable` names the variable, or is empty for several at once: a client may use a packet id again for another topic. */
function receiptOf(message: DeviceMessage, machineId: string, variable: string): PublicationReceipt | null {
  if (message.qos === 0) return null;
  const { clientId, packetId, duplicate, text } = message;
  return { clientId, messageId: packetId, payloadHash: hashOf(`${machineId}/${variable}/${text}`), duplicate };
}

/** Hands the messages of a device to the inbox, topic by topic (interface.md, MQTT). */
export function takeDeviceMessage(
  inbox: DeviceInbox,
  commandPublisher: CommandPublisher,
  message: DeviceMessage,
): InputOutcome {
  const { machineId } = commandPublisher.route;
  const { meaning, text } = message;
  switch (meaning.kind) {
    case 'status': {
      const answer = inbox.status(machineId, text, message);
      if (answer.kind === 'refused') return taken({ kind: 'refused', detail: answer.error.message });
      if (answer.kind === 'held') return taken(null);
      return { kind: 'answer', decision: answer.decision, reason: NO_REASON };
    }
    case 'statusField':
      return taken(inbox.statusField(machineId, meaning.name, text, message));
    case 'vars': {
      const { stored, report } = inbox.variables(machineId, text, message, receiptOf(message, machineId, ''));
      return { kind: 'storing', stored, reason: reasonOf(report) };
    }
    case 'variable': {
      const receipt = receiptOf(message, machineId, meaning.name);
      const { stored, report } = inbox.variable(machineId, meaning.name, text, message, receipt);
      return { kind: 'storing', stored, reason: reasonOf(report) };
    }
    case 'presence': {
      const { stored, report } = inbox.presence(machineId, meaning.topic, text, message);
      return { kind: 'announced', stored, reason: reasonOf(report) };
    }
    case 'other':
      return {
        kind: 'notForDevices',
        reason: reasonOf(inbox.unmatched(message.clientId, message.topic, text, message)),
      };
    case 'command':
      return { kind: 'notForDevices', reason: NO_REASON };
  }
}

/** Whether the answer to a message does not wait for the disk. */
export function isAnsweredAtOnce({ kind }: TopicMeaning, isRetained: boolean): boolean {
  return kind === 'status' || kind === 'presence' || (kind === 'statusField' && !isRetained);
}

const OWN_TOPICS = 'a machine publishes below its own topic root, and commands are published by the gateway alone';

/** A message on a topic that the client may not publish on: it is acknowledged, goes nowhere, and is reported (MQTT-13). */
export function forbidden(topic: string): Omit<Incident, 'subject'> {
  return { kind: 'forbiddenPublish', detail: `publishes on ${topic}, which is not its own: ${OWN_TOPICS}` };
}

export function reportForbidden(incidents: Incidents, clientId: string, topic: string): void {
  incidents.report({ ...forbidden(topic), subject: clientId });
}

/**
 * A machine that subscribes beside its commands hears none: it is told what it most likely meant (D-65). Gives the
 * sentence about the first such filter; empty without one.
 */
export function reportUnmatched(
  incidents: Incidents,
  { clientId, address, topicRoot }: { readonly clientId: string; readonly address: string; readonly topicRoot: string },
  filters: readonly { readonly topic: string; readonly commands: readonly number[] }[],
): string {
  const details = filters.flatMap(({ topic, commands }) => {
    const meant = commands.length > 0 ? null : meantFilter(topic, topicRoot);
    return meant === null
      ? []
      : [`subscribes to ${foundText(topic)}, which matches none of its commands; did you mean ${meant}?`];
  });
  for (const detail of details) {
    incidents.report({ kind: 'unmatchedSubscription', subject: clientId, detail, address });
  }
  return details[0] ?? '';
}

/** A copy, because the packet lies in memory that the socket reads into again. */
export function replyOf({ properties: { correlationData, responseTopic } }: PublishView): Reply | undefined {
  if (correlationData === undefined && responseTopic === undefined) return undefined;
  return {
    correlationData: correlationData === undefined ? null : Buffer.from(correlationData),
    responseTopic: responseTopic ?? null,
  };
}
