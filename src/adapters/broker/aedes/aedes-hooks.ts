import type { AedesOptions, Client, PublishPacket } from 'aedes';
import { errorMessage, errorStack } from '../../../domain/error-text.ts';
import type { Incidents } from '../../../flows/ports.ts';
import { bothStored } from '../device/commit-timeout.ts';
import type { Publications } from '../general/publications.ts';
import { topicFault } from '../mqtt/topic-filter.ts';
import type { BrokerPersistence } from '../persistence/broker-persistence.ts';
import type { Router } from '../readers/router.ts';
import { AedesAdapter } from './aedes-adapter.ts';
import type { AedesCore } from './aedes-core.ts';

/** Refused publications go to this topic, because aedes would otherwise cut the client off (MQTT-12, MQTT-13). */
const REFUSED_TOPIC = '$plantgate/refused';

export interface HookOptions {
  readonly incidents: Incidents;
  readonly persistence: BrokerPersistence;
  readonly router: Router;
  readonly publications: Publications;
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
    const { topic, qos, retain, dup, messageId = 0 } = packet;
    const fault = topicFault(topic);
    if (fault !== null) {
      done(new Error(`topic ${fault}`));
      return;
    }
    // A message of QoS 2 that is sent again was taken the first time; aedes only answers it.
    if (qos === 2 && client !== null && this.#options.persistence.hasBegun(clientId, packet)) {
      this.#acknowledgeOnceStored(client, packet, this.#options.router.durable(), done);
      return;
    }
    const address = addressOf(client);
    const message = { topic, qos, retain, raw: Buffer.from(packet.payload), rawAt: 0 };
    const sender = senderOf(clientId, address);
    // Left-over wills were checked when their client came in.
    const rights = client?.conn instanceof AedesAdapter ? client.conn.rights : null;
    const verdict = this.#options.publications.take({
      ...message,
      clientId,
      rights,
      sender,
      address,
      packetId: messageId,
      duplicate: dup,
      isMqtt5: false,
    });
    if (verdict.kind === 'refused') {
      Object.assign(packet, NOWHERE);
      done(null);
      return;
    }
    this.#passOn(client, packet, done, verdict.stored);
    if (verdict.answer !== null) verdict.answer.commandPublisher.send(verdict.answer.decision, 'all');
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
  #passOn(client: Client | null, packet: PublishPacket, done: Done, valuesStored: Promise<void> | null): void {
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

/** The client id that aedes gives a client without one begins so. */
const GIVEN_BY_BROKER = 'aedes_';

/** The sender in reports. Clients without an id are one sender, by their address: each connection has another given id. */
function senderOf(clientId: string, address: string): string {
  return clientId.startsWith(GIVEN_BY_BROKER) ? address : clientId;
}

function addressOf(client: Client | null): string {
  return client?.conn instanceof AedesAdapter ? client.conn.clientConnection.address : 'last will';
}

/** A will that was left over from before a restart names its client itself. */
function willOwner(packet: PublishPacket): string {
  const { clientId } = packet as PublishPacket & { readonly clientId?: string };
  return clientId ?? '';
}
