import type { AedesOptions, AedesPublishPacket, Client, PublishPacket, Subscription } from 'aedes';
import type { DeviceInbox, Incidents } from '../../flows/ports.ts';
import { Bridge } from './bridge.ts';
import { reportForbidden, takeDeviceMessage } from './device-input.ts';
import type { DeviceOutlet } from './device-outlet.ts';
import { Grants } from './grants.ts';
import { LIMITS } from './limits.ts';
import type { BrokerPersistence } from './persistence/broker-persistence.ts';
import { filterFault, topicFault } from './topic-filter.ts';
import type { TopicTable } from './topics.ts';

/** Where refused publications go: nobody may subscribe to it. aedes would otherwise cut the client off (MQTT-12, MQTT-13). */
export const REFUSED_TOPIC = '$plantgate/refused';

export interface HookOptions {
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly persistence: BrokerPersistence;
  readonly topics: () => TopicTable;
  readonly outlet: (machineId: string) => DeviceOutlet | undefined;
}

/** Makes a packet one that nobody gets. */
const NOWHERE = { topic: REFUSED_TOPIC, retain: false, payload: Buffer.alloc(0) };

type Done = (error?: Error | null) => void;

/** aedes' hooks: what clients other than a machine's own connection may do, and what their messages mean to machines. */
export class AedesHooks {
  readonly #options: HookOptions;
  readonly #grants = new Grants();

  constructor(options: HookOptions) {
    this.#options = options;
  }

  options(): Partial<AedesOptions> {
    return {
      authorizePublish: (client, packet, done) => this.#tryPublish(client, packet, done),
      authorizeSubscribe: (client, subscription, done) => this.#authorizeSubscribe(client, subscription, done),
      authorizeForward: (client, packet) => this.#authorizeForward(client, packet),
      published: (packet, client, done) => this.#published(packet, client, done),
    };
  }

  /** A fault of ours costs the client its connection, never the process. */
  #tryPublish(client: Client | null, packet: PublishPacket, done: Done): void {
    try {
      this.#authorizePublish(client, packet, done);
    } catch (error) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
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
    const match = this.#options.topics().find(topic);
    const ownMachine = this.#options.topics().machine(clientId);
    const foreign = ownMachine !== undefined && match?.route.machineId !== ownMachine.machineId;
    if (topic.startsWith('$') || match?.meaning.kind === 'command' || foreign) {
      reportForbidden(this.#options.incidents, clientId, topic);
      Object.assign(packet, NOWHERE);
      done(null);
      return;
    }
    const outlet = match === null ? undefined : this.#options.outlet(match.route.machineId);
    if (match === null || outlet === undefined || match.meaning.kind === 'other') {
      this.#beforeAcknowledging(client, packet, done);
      return;
    }
    // Sent again, it was taken the first time; aedes only answers it.
    if (packet.qos === 2 && client !== null && this.#options.persistence.hasBegun(clientId, packet.messageId))
      done(null);
    else this.#takeDeviceMessage(clientId, packet, outlet, match.meaning, done);
  }

  #takeDeviceMessage(
    clientId: string,
    packet: PublishPacket,
    outlet: DeviceOutlet,
    meaning: Parameters<typeof takeDeviceMessage>[2]['meaning'],
    done: Done,
  ): void {
    const outcome = takeDeviceMessage(this.#options.inbox, outlet, {
      meaning,
      text: packet.payload.toString('utf8'),
      clientId,
      qos: packet.qos,
      packetId: packet.messageId ?? 0,
      duplicate: packet.dup,
    });
    if (outcome.kind === 'storing') {
      outcome.stored.then(
        () => done(null),
        (error: unknown) => this.#leaveUnacknowledged(clientId, packet, error, done),
      );
      return;
    }
    done(null);
    if (outcome.kind === 'answer') outlet.send(outcome.decision, 'all');
  }

  /** Without a PUBACK the publisher sends again; its connection and everything else on it go on (VAR-04). */
  #leaveUnacknowledged(clientId: string, packet: PublishPacket, error: unknown, done: Done): void {
    this.#options.incidents.report({ kind: 'store', subject: clientId, detail: String(error) });
    Object.assign(packet, NOWHERE, { qos: 0 });
    done(null);
  }

  /**
   * aedes acknowledges QoS 1 before it stores: what must outlive a power cut is synced here first. QoS 2 it acknowledges
   * afterwards, and nobody waits for the acknowledgement of a will.
   */
  #beforeAcknowledging(client: Client | null, packet: PublishPacket, done: Done): void {
    const { persistence } = this.#options;
    const isAwaited = client !== null && packet.qos === 1 && packet.messageId !== undefined;
    const mustLast = packet.retain || persistence.subscriptions.ofTopic(packet.topic).length > 0;
    if (!isAwaited || !mustLast) {
      done(null);
      return;
    }
    persistence.guard(packet).then(
      () => {
        // Not acknowledged any more, so not published either: the client sends it again.
        if (client.conn.destroyed) persistence.release(packet);
        else done(null);
      },
      (error: unknown) => this.#leaveUnacknowledged(client.id, packet, error, done),
    );
  }

  #published(packet: AedesPublishPacket, client: Client | null, done: Done): void {
    this.#options.persistence.release(packet);
    if (client === null || packet.qos < 2) {
      done(null);
      return;
    }
    this.#options.persistence.durable().then(() => done(null), done);
  }

  #authorizeSubscribe(
    client: Client,
    subscription: Subscription,
    done: (error: Error | null, subscription?: Subscription | null) => void,
  ): void {
    const fault = filterFault(subscription.topic);
    if (fault !== null) {
      done(new Error(`filter ${fault}`));
      return;
    }
    if (!this.#hasRoomFor(client, subscription.topic) || subscription.topic.startsWith('$plantgate/')) {
      this.#options.incidents.report({
        kind: 'limitReached',
        subject: client.id,
        detail: `subscription ${subscription.topic} refused`,
      });
      done(null, null);
      return;
    }
    done(null, this.#grants.note(client, subscription));
  }

  /** aedes keeps what a persistent client asks for before it asks here: then there was room for it. */
  #hasRoomFor(client: Client, topic: string): boolean {
    if (!client.clean) return this.#options.persistence.subscriptions.hasRoomFor(client.id, topic);
    return this.#grants.has(client, topic) || this.#grants.count(client) < LIMITS.subscriptionsPerClient;
  }

  /** Holds slow readers off, and lowers what comes out of a queue to the QoS its reader asks for now (MQTT-3.8.4-6). */
  #authorizeForward(client: Client, packet: AedesPublishPacket): AedesPublishPacket | null {
    // aedes sends a queue as it was when the client came in; meanwhile a newer command may have gone ahead (D-06).
    const isFromQueue = packet.messageId !== undefined;
    if (isFromQueue && !this.#options.persistence.queues.holds(client.id, packet)) return null;
    const backlog = client.conn instanceof Bridge ? client.conn.backlogBytes : 0;
    if (backlog > LIMITS.slowReaderBytes) {
      this.#options.incidents.report({ kind: 'slowReader', subject: client.id, detail: `${backlog} bytes behind` });
      if (packet.qos === 0) return null;
      if (backlog > 2 * LIMITS.slowReaderBytes) {
        client.conn.destroy();
        return null;
      }
    }
    if (isFromQueue) packet.qos = this.#grants.lowered(client, packet);
    return isFromQueue && packet.qos === 0 ? null : packet;
  }
}

/** A will that was left over from before a restart names its client itself. */
function willOwner(packet: PublishPacket): string {
  const { clientId } = packet as PublishPacket & { readonly clientId?: string };
  return clientId ?? '';
}
