import type { AedesPublishPacket, Client, Subscription } from 'aedes';
import { LIMITS } from './limits.ts';
import { topicMatches } from './topic-filter.ts';

type Qos = 0 | 1 | 2;
type Deliver = (packet: AedesPublishPacket, done: () => void) => void;

/** What aedes has on a client but does not declare. */
interface ClientInternals {
  readonly subscriptions: Readonly<Record<string, unknown>>;
  deliverQoS: Deliver;
}

const HIGHEST_QOS = 2;
/** As many as a client may have, and as many again that it is just asking for. */
const MAX_NOTED = 2 * LIMITS.subscriptionsPerClient;

/**
 * The QoS that clients of aedes were granted. Where several of a client's filters take a topic, the highest counts
 * (MQTT-3.3.5-1); aedes would let the one it comes by first decide, and one without wildcards over all others.
 */
export class Grants {
  readonly #granted = new WeakMap<Client, Map<string, Qos>>();

  /** Notes a subscription; gives it as aedes must have it, so as to leave the QoS to us. */
  note(client: Client, { topic, qos }: Subscription): Subscription {
    const granted = this.#granted.get(client) ?? this.#takeOver(client);
    granted.delete(topic);
    granted.set(topic, qos);
    this.#tidy(client, granted);
    return { topic, qos: HIGHEST_QOS };
  }

  /** How many filters a client has. */
  count(client: Client): number {
    return Object.keys(internals(client).subscriptions).length;
  }

  has(client: Client, filter: string): boolean {
    return internals(client).subscriptions[filter] !== undefined;
  }

  /** The QoS a message goes out with: its own, lowered to the one asked for (MQTT-3.8.4-6). */
  lowered(client: Client, { topic, qos }: AedesPublishPacket): Qos {
    const { subscriptions } = internals(client);
    let highest = -1;
    for (const [filter, granted] of this.#granted.get(client) ?? []) {
      if (granted <= highest || subscriptions[filter] === undefined) continue;
      if (filter === topic || topicMatches(filter, topic)) highest = granted;
    }
    return highest === -1 ? qos : (Math.min(qos, highest) as Qos);
  }

  /** Filters given up are forgotten, the oldest first: those that aedes is about to take up stand last. */
  #tidy(client: Client, granted: Map<string, Qos>): void {
    const { subscriptions } = internals(client);
    for (const filter of granted.keys()) {
      if (granted.size <= MAX_NOTED) return;
      if (subscriptions[filter] === undefined) granted.delete(filter);
    }
  }

  #takeOver(client: Client): Map<string, Qos> {
    const granted = new Map<string, Qos>();
    this.#granted.set(client, granted);
    const { deliverQoS } = internals(client);
    internals(client).deliverQoS = (packet, done) => {
      packet.qos = this.lowered(client, packet);
      deliverQoS(packet, done);
    };
    return granted;
  }
}

function internals(client: Client): ClientInternals {
  return client as Client & ClientInternals;
}
