import type { AedesOptions, Client, PublishPacket } from 'aedes';
import { errorMessage, errorStack } from '../../../domain/error-text.ts';
import type { DeviceInbox } from '../../../flows/device/device-ports.ts';
import type { Incident, Incidents } from '../../../flows/ports.ts';
import type { CommandPublisher } from '../device/command-publisher.ts';
import { bothStored } from '../device/commit-timeout.ts';
import { forbidden, senderOf, takeDeviceMessage } from '../device/device-input.ts';
import { topicFault } from '../mqtt/topic-filter.ts';
import type { BrokerPersistence } from '../persistence/broker-persistence.ts';
import type { Router } from '../readers/router.ts';
import type { TopicMeaning, TopicTable } from '../topics.ts';
import { AedesAdapter } from './aedes-adapter.ts';
import type { AedesCore } from './aedes-core.ts';

/** Refused publications go to this topic, because aedes would otherwise cut the client off (MQTT-12, MQTT-13). */
const REFUSED_TOPIC = '$plantgate/refused';

export interface HookOptions {
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly persistence: BrokerPersistence;
  readonly router: Router;
  readonly topics: () => TopicTable;
  readonly commandPublisher: (machineId: string) => CommandPublisher | undefined;
  readonly aedes: () => AedesCore;
}

/** Turns a packet into one that no reader gets. */
const NOWHERE = { topic: REFUSED_TOPIC, retain: false, payload: Buffer.alloc(0) };

type Done = (error?: Error | null) => void;

/** aedes' hooks: the publications that are allowed to clients other than machines, and their meaning for machines. */
export class AedesHooks {
  readonly #options: HookOptions;

  constructor(options: HookOptions) {
    this.#options = options;
  }

  options(): Partial<AedesOptions> {
    return {
      authorizePublish: (client, packet, done) => this.#tryPublish(client, packet, done),
    };
  }

  /** A fault of the gateway closes the client's connection, and never ends the process. */
  #tryPublish(client: Client | null, packet: PublishPacket, done: Done): void {
    try {
      this.#authorizePublish(client, packet, done);
    } catch (error) {
      const detail = errorStack(error);
      this.#options.incidents.report({ kind: 'internal', subject: client?.id ?? willOwner(packet), detail });
      done(new Error('internal fault'));
    }
  }

  #authorizePublish(client: Client | null, packet: PublishPacket, done: Done): void {
    const clientId = client?.id ?? willOwner(packet);
    const { topic } = packet;
    const fault = topicFault(topic);
    if (fault !== null) {
      done(new Error(`topic ${fault}`));
      return;
    }
    const refusal = this.#refusal(clientId, topic);
    if (refusal !== null) {
      this.#options.incidents.report({ ...refusal, subject: clientId });
      if (!topic.startsWith('$')) this.#unmatched(client, clientId, packet);
      Object.assign(packet, NOWHERE);
      done(null);
      return;
    }
    // A message of QoS 2 that is sent again was taken the first time; aedes only answers it.
    if (packet.qos === 2 && client !== null && this.#options.persistence.hasBegun(clientId, packet)) {
      this.#acknowledgeOnceStored(client, packet, this.#options.router.durable(), done);
      return;
    }
    const match = this.#options.topics().find(topic);
    if (match === null) this.#unmatched(client, clientId, packet);
    const commandPublisher = match === null ? undefined : this.#options.commandPublisher(match.route.machineId);
    if (match === null || commandPublisher === undefined) {
      this.#passOn(client, packet, done);
      return;
    }
    this.#takeDeviceMessage(client, clientId, packet, commandPublisher, match.meaning, done);
  }

  #refusal(clientId: string, topic: string): Omit<Incident, 'subject'> | null {
    const match = this.#options.topics().find(topic);
    const ownMachine = this.#options.topics().machine(clientId);
    const isForeign = ownMachine !== undefined && match?.route.machineId !== ownMachine.machineId;
    const isForbidden = topic.startsWith('$') || match?.meaning.kind === 'command' || isForeign;
    return isForbidden ? forbidden(topic) : null;
  }

  /** The message is reported: one that no machine has is still routed (D-36), a forbidden one is not (MQTT-13). */
  #unmatched(client: Client | null, clientId: string, { topic, payload, dup, qos, retain }: PublishPacket): void {
    const raw = Buffer.from(payload);
    const origin = {
      transport: 'mqtt',
      duplicate: dup,
      address: addressOf(client),
      raw,
      rawAt: 0,
      qos,
      retain,
    } as const;
    this.#options.inbox.unmatched(senderOf(clientId, origin.address), topic, raw.toString('utf8'), origin);
  }

  #takeDeviceMessage(
    client: Client | null,
    clientId: string,
    packet: PublishPacket,
    commandPublisher: CommandPublisher,
    meaning: TopicMeaning,
    done: Done,
  ): void {
    const outcome = takeDeviceMessage(this.#options.inbox, commandPublisher, {
      meaning,
      text: packet.payload.toString('utf8'),
      clientId: senderOf(clientId, addressOf(client)),
      qos: packet.qos,
      packetId: packet.messageId ?? 0,
      duplicate: packet.dup,
      retain: packet.retain,
      transport: 'mqtt',
      address: addressOf(client),
      raw: Buffer.from(packet.payload),
      rawAt: 0,
      topic: packet.topic,
    });
    this.#passOn(client, packet, done, 'stored' in outcome ? outcome.stored : null);
    if (outcome.kind === 'answer') commandPublisher.send(outcome.decision, 'all');
  }

  /** Without a PUBACK the publisher sends the message again; its connection and all other messages go on (VAR-04). */
  #leaveUnacknowledged(clientId: string, packet: PublishPacket, error: unknown, done: Done): void {
    this.#options.incidents.report({ kind: 'store', subject: clientId, detail: errorMessage(error) });
    Object.assign(packet, NOWHERE, { qos: 0 });
    done(null);
  }

  /**
   * aedes acknowledges QoS 1 before it publishes. So the message is published here first, and acknowledged when its
   * values (`valuesStored`) and its lasting records are on disk. A will is not acknowledged, and AedesCore waits for the
   * records of QoS 2.
   */
  #passOn(client: Client | null, packet: PublishPacket, done: Done, valuesStored: Promise<void> | null = null): void {
    const routed = client !== null && packet.qos < 2 ? this.#options.aedes().publishFirst(packet, client) : null;
    const stored = bothStored(valuesStored, routed);
    if (stored === null) done(null);
    else this.#acknowledgeOnceStored(client, packet, stored, done);
  }

  #acknowledgeOnceStored(client: Client | null, packet: PublishPacket, stored: Promise<void>, done: Done): void {
    if (client?.conn instanceof AedesAdapter) client.conn.waitFor(stored);
    stored.then(
      () => done(null),
      (error: unknown) => this.#leaveUnacknowledged(client?.id ?? willOwner(packet), packet, error, done),
    );
  }
}

function addressOf(client: Client | null): string {
  return client?.conn instanceof AedesAdapter ? client.conn.clientConnection.address : 'last will';
}

/** A will that was left over from before a restart names its client itself. */
function willOwner(packet: PublishPacket): string {
  const { clientId } = packet as PublishPacket & { readonly clientId?: string };
  return clientId ?? '';
}
