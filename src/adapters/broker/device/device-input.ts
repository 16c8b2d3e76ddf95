import { foundText } from '../../../domain/error.ts';
import type { DeviceInbox } from '../../../flows/device/device-ports.ts';
import type { Incident, Incidents } from '../../../flows/ports.ts';
import type { PublicationReceipt } from '../../../flows/store-ports.ts';
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
}

/**
 * The outcome of a message: the decision to answer with, work that must be on disk before the PUBACK, work for which the
 * PUBACK waits as long as the disk is well, or none of these.
 */
export type InputOutcome =
  | { readonly kind: 'answer'; readonly decision: Parameters<CommandPublisher['send']>[0] }
  | { readonly kind: 'storing'; readonly stored: Promise<void> }
  | { readonly kind: 'announced'; readonly stored: Promise<void> | null }
  | { readonly kind: 'taken' }
  | { readonly kind: 'notForDevices' };

const TAKEN: InputOutcome = { kind: 'taken' };

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
      if (answer.kind === 'refused' || answer.kind === 'held') return TAKEN;
      return { kind: 'answer', decision: answer.decision };
    }
    case 'statusField':
      inbox.statusField(machineId, meaning.name, text, message);
      return TAKEN;
    case 'vars':
      return { kind: 'storing', stored: inbox.variables(machineId, text, message, receiptOf(message, machineId, '')) };
    case 'variable': {
      const receipt = receiptOf(message, machineId, meaning.name);
      return { kind: 'storing', stored: inbox.variable(machineId, meaning.name, text, message, receipt) };
    }
    case 'presence':
      return { kind: 'announced', stored: inbox.presence(machineId, meaning.topic, text, message) };
    case 'other':
      inbox.unmatched(senderOf(message.clientId, message.address), message.topic, text, message);
      return { kind: 'notForDevices' };
    case 'command':
      return { kind: 'notForDevices' };
  }
}

/** Whether the answer to a message does not wait for the disk. */
export function isAnsweredAtOnce({ kind }: TopicMeaning, isRetained: boolean): boolean {
  return kind === 'status' || kind === 'presence' || (kind === 'statusField' && !isRetained);
}

/** The client id that aedes gives a client without one begins so. */
const GIVEN_BY_BROKER = 'aedes_';

/** The sender in reports. Clients without an id are one sender, by their address: each connection has another given id. */
export function senderOf(clientId: string, address: string): string {
  return clientId.startsWith(GIVEN_BY_BROKER) ? address : clientId;
}

const OWN_TOPICS = 'a machine publishes below its own topic root, and commands are published by the gateway alone';

/** A message on a topic that the client may not publish on: it is acknowledged, goes nowhere, and is reported (MQTT-13). */
export function forbidden(topic: string): Omit<Incident, 'subject'> {
  return { kind: 'forbiddenPublish', detail: `publishes on ${topic}, which is not its own: ${OWN_TOPICS}` };
}

export function reportForbidden(incidents: Incidents, clientId: string, topic: string): void {
  incidents.report({ ...forbidden(topic), subject: clientId });
}

/** A machine that subscribes beside its commands hears none: it is told what it most likely meant (D-65). */
export function reportUnmatched(
  incidents: Incidents,
  { clientId, address, topicRoot }: { readonly clientId: string; readonly address: string; readonly topicRoot: string },
  filters: readonly { readonly topic: string; readonly commands: readonly number[] }[],
): void {
  for (const { topic, commands } of filters) {
    const meant = commands.length > 0 ? null : meantFilter(topic, topicRoot);
    if (meant === null) continue;
    const detail = `subscribes to ${foundText(topic)}, which matches none of its commands; did you mean ${meant}?`;
    incidents.report({ kind: 'unmatchedSubscription', subject: clientId, detail, address });
  }
}
