import type { BrokerRow } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';
import { topicMatches } from '../topic-filter.ts';
import { decodePacket, deleteRow, encodePacket, type Journal, putRow } from './journal.ts';
import { copyOf, type StoredPacket } from './stored-packet.ts';

/** The newest retained message of each topic, bounded in number and bytes. */
export class RetainedMessages {
  readonly #journal: Journal;
  readonly #onRefused: (subject: string) => void;
  readonly #byTopic = new Map<string, StoredPacket>();
  #bytes = 0;

  constructor(journal: Journal, rows: readonly BrokerRow[], onRefused: (subject: string) => void) {
    this.#journal = journal;
    this.#onRefused = onRefused;
    for (const row of rows) this.#keep(row.key, decodePacket(row.value));
  }

  get size(): number {
    return this.#byTopic.size;
  }

  /** Replaces a topic's retained message; an empty payload removes it (MQTT-3.3.1-10). `sender` is named when it is refused. */
  store(handed: StoredPacket, sender?: string): void {
    const packet = copyOf(handed);
    const topic = packet.topic ?? '';
    const previous = this.#byTopic.get(topic);
    if ((packet.payload ?? '').length === 0) {
      if (previous !== undefined) this.#remove(topic, previous);
      return;
    }
    if (previous !== undefined && previous.qos === packet.qos && samePayload(previous, packet)) return;
    if (this.#isFull(packet, previous)) {
      this.#onRefused(sender ?? topic);
      return;
    }
    if (previous !== undefined) this.#bytes -= sizeOf(previous);
    this.#keep(topic, packet);
    putRow(this.#journal, 'retained', topic, encodePacket(packet));
  }

  *matching(filters: readonly string[]): Generator<StoredPacket> {
    for (const filter of filters) yield* this.#matchingOne(filter);
  }

  *#matchingOne(filter: string): Generator<StoredPacket> {
    if (!/[+#]/.test(filter)) {
      const exact = this.#byTopic.get(filter);
      if (exact !== undefined) yield exact;
      return;
    }
    for (const [topic, packet] of this.#byTopic) if (topicMatches(filter, topic)) yield packet;
  }

  #isFull(packet: StoredPacket, previous: StoredPacket | undefined): boolean {
    const more = sizeOf(packet) - (previous === undefined ? 0 : sizeOf(previous));
    return (
      (previous === undefined && this.#byTopic.size >= LIMITS.retainedMessages) ||
      this.#bytes + more > LIMITS.retainedBytes
    );
  }

  #keep(topic: string, packet: StoredPacket): void {
    this.#bytes += sizeOf(packet);
    this.#byTopic.set(topic, packet);
  }

  #remove(topic: string, packet: StoredPacket): void {
    this.#bytes -= sizeOf(packet);
    this.#byTopic.delete(topic);
    deleteRow(this.#journal, 'retained', topic);
  }
}

function sizeOf(packet: StoredPacket): number {
  return (packet.topic ?? '').length + (packet.payload ?? '').length;
}

function samePayload(left: StoredPacket, right: StoredPacket): boolean {
  return Buffer.from(left.payload ?? '').equals(Buffer.from(right.payload ?? ''));
}
