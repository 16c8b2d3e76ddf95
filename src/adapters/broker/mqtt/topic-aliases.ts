import { LIMITS } from '../limits.ts';
import type { HeldBytes } from './held-bytes.ts';
import { PacketFault } from './packet-fault.ts';
import type { PublishView } from './publish-packet.ts';
import { REASON } from './reason-codes.ts';

/** The topics for which a client of MQTT 5 has set numbers on this connection (MQTT 5, 3.3.2.3.4). */
export class TopicAliases {
  readonly #topics = new Map<number, Buffer>();
  /** The bytes of the aliased topics of all clients. */
  readonly #held: HeldBytes;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** Gives a publication with its topic. The topic is checked each time, however it was named. */
  resolve(view: PublishView): PublishView | PacketFault {
    const alias = view.properties.topicAlias;
    const hasTopic = view.topicEnd > view.topicAt;
    if (alias === undefined) {
      return hasTopic ? view : new PacketFault('a PUBLISH without topic and alias', REASON.protocolError);
    }
    if (alias === 0 || alias > LIMITS.topicAliases) {
      const detail = `topicAlias: found ${alias}, expected 1 to ${LIMITS.topicAliases}`;
      return new PacketFault(detail, REASON.topicAliasInvalid);
    }
    if (hasTopic) return this.#set(alias, view);
    const topic = this.#topics.get(alias);
    return topic === undefined
      ? new PacketFault(`topic alias ${alias}, which was not set on this connection`, REASON.protocolError)
      : { ...view, topicIn: topic, topicAt: 0, topicEnd: topic.length };
  }

  clear(): void {
    for (const topic of this.#topics.values()) this.#held.change(topic.length, 0);
    this.#topics.clear();
  }

  #set(alias: number, view: PublishView): PublishView | PacketFault {
    const topic = Buffer.from(view.topicIn.subarray(view.topicAt, view.topicEnd));
    const hasRoom = this.#held.change(this.#topics.get(alias)?.length ?? 0, topic.length);
    this.#topics.set(alias, topic);
    if (hasRoom) return view;
    const detail = `the topic aliases of all clients hold ${LIMITS.topicAliasBytes} bytes already`;
    return new PacketFault(detail, REASON.quotaExceeded, 'limitReached');
  }
}
