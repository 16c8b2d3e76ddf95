import { deviceTopicRoot } from '../../domain/machine/machine-names.ts';
import { namedMachine } from '../../domain/machine/status/payload.ts';
import { MAX_TEXT_LENGTH } from '../../domain/machine/status/status.ts';
import { matchField } from '../../domain/machine/status/status-fields.ts';
import { type MeantTopic, ownTopic } from '../../domain/plant/nearest-topic.ts';
import type { Incidents } from '../ports.ts';
import type { MessageOrigin, MessageReport } from './device-ports.ts';
import type { LiveMachine } from './live-machine.ts';
import type { MachineRegistry } from './machine-registry.ts';
import type { MachineSearch } from './machine-search.ts';
import { addressOf, type MessageNotes } from './message-notes.ts';
import type { UnknownDevices } from './unknown-devices.ts';

/** A message on a topic that no machine has, or that its sender may not publish on. */
export interface UnmatchedMessage {
  readonly clientId: string;
  readonly topic: string;
  readonly text: string;
  readonly origin: MessageOrigin;
}

interface UnmatchedMessagesOptions {
  readonly registry: MachineRegistry;
  readonly incidents: Incidents;
  readonly notes: MessageNotes;
  readonly unknown: UnknownDevices;
  readonly topics: MachineSearch<MeantTopic>;
}

/** The machine of the sender, by its client id or by the machine id in its message, and the nearest topic in use. */
interface Sender {
  readonly client: LiveMachine | undefined;
  readonly own: LiveMachine | undefined;
  readonly namedId: string | null;
  readonly near: MeantTopic | null;
}

/** Reports messages on topics that plantgate does not use, each with the machine and the topic that it was meant for (D-36). */
export class UnmatchedMessages {
  readonly #options: UnmatchedMessagesOptions;

  constructor(options: UnmatchedMessagesOptions) {
    this.#options = options;
  }

  /** Gives what the sender is told; null for a topic that is like none in use. */
  take(message: UnmatchedMessage): MessageReport | null {
    const sender = this.#senderOf(message);
    return sender.near?.topic === message.topic
      ? this.#takeForbidden(message, sender, sender.near)
      : this.#takeUnknown(message, sender);
  }

  #senderOf({ clientId, topic, text }: UnmatchedMessage): Sender {
    const { registry, topics } = this.#options;
    const namedId = namedMachine(text);
    const client = registry.get(clientId);
    const own = client ?? (namedId === null ? undefined : registry.get(namedId));
    return { client, own, namedId, near: topics.find(topic) };
  }

  /**
   * A machine has this topic, but this client may not publish on it. The broker has reported the client already. The
   * machine shows the message as well.
   */
  #takeForbidden(message: UnmatchedMessage, { client, own }: Sender, { owner }: MeantTopic): MessageReport {
    const { incidents, registry } = this.#options;
    const reason = forbiddenReason(message.topic, client);
    this.#note(own, 'refused', reason, message);
    const live = registry.get(owner.machineId);
    const report = { kind: 'refused', detail: reason } as const;
    if (live === undefined || live === own) return report;
    const detail = `client ${message.clientId} ${reason}`;
    incidents.report({ kind: 'forbiddenPublish', subject: owner.machineId, detail, ...addressOf(message.origin) });
    const { topic, text, origin } = message;
    this.#options.notes.note(live, { topic: '', name: topic, text, origin }, 'refused', detail);
    registry.announce(live);
    return report;
  }

  #takeUnknown(message: UnmatchedMessage, { own, namedId, near }: Sender): MessageReport | null {
    const { topic, origin } = message;
    const topicRoot = deviceTopicRoot(topic);
    if (own !== undefined) return this.#report(message, own, near ?? ownTopic(topic, own.machine), topicRoot);
    const unknownId = namedId ?? (near === null ? nameOf(topic, topicRoot) : null);
    if (unknownId !== null) this.#options.unknown.report(unknownId, origin, { topic, topicRoot });
    const isOfNear = near !== null && unknownId === null;
    return this.#report(message, isOfNear ? this.#options.registry.get(near.owner.machineId) : undefined, near, null);
  }

  #report(
    message: UnmatchedMessage,
    live: LiveMachine | undefined,
    meant: MeantTopic | null,
    topicRoot: string | null,
  ): MessageReport | null {
    const { clientId, topic, text, origin } = message;
    const reason = unmatchedReason(topic, meant);
    this.#options.incidents.report({
      kind: 'unmatchedTopic',
      subject: clientId,
      detail: reason,
      example: text.slice(0, MAX_TEXT_LENGTH),
      ...(live !== undefined && { meantFor: live.machine.machineId }),
      ...(topicRoot !== null && topicRoot !== live?.machine.topicRoot && { topicRoot }),
      ...addressOf(origin),
    });
    this.#note(live, 'ignored', reason, message);
    return meant === null ? null : { kind: 'ignored', detail: reason };
  }

  #note(
    live: LiveMachine | undefined,
    outcome: 'refused' | 'ignored',
    reason: string,
    { topic, text, origin }: UnmatchedMessage,
  ): void {
    if (live === undefined) return;
    this.#options.notes.note(live, { topic: '', name: topic, text, origin }, outcome, reason);
    this.#options.notes.countRefused(live, reason);
  }
}

/**
 * The name for a device that sends single fields, which name no machine: the last level of its topic root. Other traffic
 * may end in `status` too, so the field has to be one of a status.
 */
function nameOf(topic: string, topicRoot: string | null): string | null {
  if (topicRoot === null) return null;
  const [end, field] = topic.slice(topicRoot.length + 1).split('/');
  if (end !== 'status' || field === undefined || matchField(field) === null) return null;
  return topicRoot.split('/').at(-1) ?? null;
}

/** The reason for which no machine has the topic, and the topic that was probably meant. */
function unmatchedReason(topic: string, meant: MeantTopic | null): string {
  const hint = meant === null ? '' : `; did you mean ${meant.topic}?`;
  return `publishes on ${topic}, a topic that plantgate does not use${hint}`;
}

/** The reason for which a client may not publish on the topic, and the permitted topics. */
function forbiddenReason(topic: string, own: LiveMachine | undefined): string {
  const remedy =
    own === undefined
      ? 'only the gateway sends commands, and an MQTT account needs the right'
      : `publish below ${own.machine.topicRoot}, commands excepted`;
  return `publishes on ${topic}, which it may not: ${remedy}`;
}
