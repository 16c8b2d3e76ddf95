import type { BrokerRow } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';
import { decodePacket, deleteRow, encodePacket, type Journal, KEY_SEPARATOR, putRow } from './journal.ts';
import { copyOf, queuedPacket, type StoredPacket } from './stored-packet.ts';

interface Queue {
  readonly packets: Map<string, StoredPacket>;
  readonly keyByMessageId: Map<number, string>;
  bytes: number;
}

/**
 * Messages under way to persistent sessions. Bounded per session and in all; the oldest gives way. A command topic is
 * conflated: only the newest waits (D-06).
 */
export class MessageQueues {
  readonly #journal: Journal;
  readonly #isConflated: (topic: string) => boolean;
  readonly #onDropped: (clientId: string) => void;
  readonly #queues = new Map<string, Queue>();
  #bytes = 0;

  constructor(
    journal: Journal,
    rows: readonly BrokerRow[],
    isConflated: (topic: string) => boolean,
    onDropped: (clientId: string) => void,
  ) {
    this.#journal = journal;
    this.#isConflated = isConflated;
    this.#onDropped = onDropped;
    for (const row of rows) this.#restore(row);
  }

  /** Queues a message once: the same message again (one broker id and counter) changes nothing. */
  enqueue(clientId: string, handed: StoredPacket): void {
    const queue = this.#queue(clientId);
    const key = keyOf(handed);
    if (queue.packets.has(key)) return;
    const kept = queuedPacket(handed);
    if (kept.topic !== undefined && this.#isConflated(kept.topic)) this.#dropOlder(clientId, queue, kept.topic);
    this.#keep(queue, key, kept);
    putRow(this.#journal, 'outgoing', rowKey(clientId, key), encodePacket(kept));
    this.#bound(clientId, queue);
  }

  /**
   * Notes the packet id a message went out with, or the PUBREL that took its place. A message that gave way meanwhile
   * is no error: it is already on its way.
   */
  update(clientId: string, packet: StoredPacket): void {
    const queue = this.#queue(clientId);
    const key = keyOf(packet);
    const queued = queue.packets.get(key);
    if (queued !== undefined) {
      this.#assign(clientId, queue, key, { ...queued, messageId: packet.messageId });
      return;
    }
    if (packet.cmd === 'publish') return;
    const sentKey = packet.messageId === undefined ? undefined : queue.keyByMessageId.get(packet.messageId);
    if (sentKey !== undefined) this.#assign(clientId, queue, sentKey, copyOf(packet));
  }

  /** Ends a message; gives it, or undefined where the packet id is unknown. */
  clear(clientId: string, messageId: number): StoredPacket | undefined {
    const queue = this.#queues.get(clientId);
    const key = queue?.keyByMessageId.get(messageId);
    if (queue === undefined || key === undefined) return undefined;
    return this.#drop(clientId, queue, key);
  }

  /** Whether a message still waits: it may have been acknowledged, or given way to a newer one. */
  holds(clientId: string, packet: StoredPacket): boolean {
    return this.#queues.get(clientId)?.packets.has(keyOf(packet)) === true;
  }

  /** What waits for a client, in order. */
  waiting(clientId: string): readonly StoredPacket[] {
    return [...(this.#queues.get(clientId)?.packets.values() ?? [])];
  }

  /** The client is gone: what it was sent and did not acknowledge goes out again as a duplicate (MQTT-3.3.1-1). */
  interrupted(clientId: string): void {
    const queue = this.#queues.get(clientId);
    if (queue === undefined) return;
    for (const key of queue.keyByMessageId.values()) {
      const packet = queue.packets.get(key);
      if (packet !== undefined) queue.packets.set(key, resendOf(packet));
    }
  }

  forget(clientId: string): void {
    const queue = this.#queues.get(clientId);
    if (queue === undefined) return;
    this.#bytes -= queue.bytes;
    this.#queues.delete(clientId);
    this.#journal.record([{ kind: 'brokerDeletePrefix', table: 'outgoing', prefix: clientId + KEY_SEPARATOR }]);
  }

  #queue(clientId: string): Queue {
    const known = this.#queues.get(clientId);
    if (known !== undefined) return known;
    const queue: Queue = { packets: new Map(), keyByMessageId: new Map(), bytes: 0 };
    this.#queues.set(clientId, queue);
    return queue;
  }

  #keep(queue: Queue, key: string, packet: StoredPacket): void {
    this.#count(queue, payloadLength(packet) - payloadLength(queue.packets.get(key)));
    queue.packets.set(key, packet);
  }

  #count(queue: Queue, bytes: number): void {
    queue.bytes += bytes;
    this.#bytes += bytes;
  }

  #assign(clientId: string, queue: Queue, key: string, packet: StoredPacket): void {
    const previous = queue.packets.get(key);
    if (previous?.messageId !== undefined) queue.keyByMessageId.delete(previous.messageId);
    this.#keep(queue, key, packet);
    if (packet.messageId !== undefined) queue.keyByMessageId.set(packet.messageId, key);
    putRow(this.#journal, 'outgoing', rowKey(clientId, key), encodePacket(packet));
  }

  #drop(clientId: string, queue: Queue, key: string): StoredPacket | undefined {
    const packet = queue.packets.get(key);
    if (packet === undefined) return undefined;
    queue.packets.delete(key);
    if (packet.messageId !== undefined) queue.keyByMessageId.delete(packet.messageId);
    this.#count(queue, -payloadLength(packet));
    deleteRow(this.#journal, 'outgoing', rowKey(clientId, key));
    return packet;
  }

  #dropOlder(clientId: string, queue: Queue, topic: string): void {
    for (const [key, packet] of [...queue.packets]) if (packet.topic === topic) this.#drop(clientId, queue, key);
  }

  #bound(clientId: string, queue: Queue): void {
    let dropped = false;
    while (
      queue.packets.size > LIMITS.queuedMessagesPerSession ||
      queue.bytes > LIMITS.queuedBytesPerSession ||
      (this.#bytes > LIMITS.queuedBytes && queue.packets.size > 1)
    ) {
      const oldest = queue.packets.keys().next();
      if (oldest.done === true) break;
      this.#drop(clientId, queue, oldest.value);
      dropped = true;
    }
    if (dropped) this.#onDropped(clientId);
  }

  #restore(row: BrokerRow): void {
    const at = row.key.indexOf(KEY_SEPARATOR);
    const key = row.key.slice(at + 1);
    const queue = this.#queue(row.key.slice(0, at));
    const packet = resendOf(decodePacket(row.value));
    this.#keep(queue, key, packet);
    if (packet.messageId !== undefined) queue.keyByMessageId.set(packet.messageId, key);
  }
}

function resendOf(packet: StoredPacket): StoredPacket {
  return packet.messageId !== undefined && packet.cmd === 'publish' ? { ...packet, dup: true } : packet;
}

function payloadLength(packet: StoredPacket | undefined): number {
  return packet?.payload?.length ?? 0;
}

/** Counters are padded so that rows come back in the order in which they were queued. */
function keyOf(packet: StoredPacket): string {
  return `${packet.brokerId}:${String(packet.brokerCounter).padStart(16, '0')}`;
}

function rowKey(clientId: string, key: string): string {
  return clientId + KEY_SEPARATOR + key;
}
