import type { BrokerRow } from '../../../flows/store-ports.ts';
import { LIMITS } from '../limits.ts';
import { decodePacket, deleteRow, encodePacket, type Journal, KEY_SEPARATOR, putRow } from './journal.ts';
import { queuedPacket, type StoredPacket } from './stored-packet.ts';

/** The refusal of a message for which there is no room. */
export const TOO_MANY_BEGUN = 'too many messages of QoS 2 were begun and not completed';

interface Begun {
  readonly packets: Map<number, StoredPacket>;
  bytes: number;
}

/** Messages of QoS 2 that clients began to send and did not complete; bounded per client and in all. */
export class IncomingMessages {
  readonly #journal: Journal;
  readonly #byClient = new Map<string, Begun>();
  /** Messages from before the present connection of their client. */
  readonly #earlier = new WeakSet<StoredPacket>();
  #bytes = 0;

  constructor(journal: Journal, rows: readonly BrokerRow[]) {
    this.#journal = journal;
    for (const row of rows) {
      const packet = decodePacket(row.value);
      this.#earlier.add(packet);
      this.#keep(row.key.slice(0, row.key.indexOf(KEY_SEPARATOR)), packet);
    }
  }

  find(clientId: string, messageId: number): StoredPacket | undefined {
    return this.#byClient.get(clientId)?.packets.get(messageId);
  }

  /** Takes note that a client has a new connection. */
  connected(clientId: string): void {
    for (const packet of this.#byClient.get(clientId)?.packets.values() ?? []) this.#earlier.add(packet);
  }

  /**
   * Whether a message was begun before. One from an earlier connection counts only if the client says that it sends it
   * again (MQTT-3.3.1-1): otherwise its completion was lost, and the client uses the id for a new message.
   */
  hasBegun(clientId: string, messageId: number, isSentAgain: boolean): boolean {
    const packet = this.find(clientId, messageId);
    return packet !== undefined && (isSentAgain || !this.#earlier.has(packet));
  }

  /** Whether there was room for it. */
  begin(clientId: string, packet: StoredPacket & { readonly messageId: number }): boolean {
    const bytes = packetBytes(packet);
    const here = this.#byClient.get(clientId)?.bytes ?? 0;
    if (here + bytes > LIMITS.incomingBytesPerClient || this.#bytes + bytes > LIMITS.incomingBytes) return false;
    const stored = { ...queuedPacket(packet), messageId: packet.messageId };
    this.#keep(clientId, stored);
    putRow(this.#journal, 'incoming', rowKey(clientId, packet.messageId), encodePacket(stored));
    return true;
  }

  /** Whether there was such a message. */
  complete(clientId: string, messageId: number): boolean {
    const begun = this.#byClient.get(clientId);
    const packet = begun?.packets.get(messageId);
    if (begun === undefined || packet === undefined) return false;
    begun.packets.delete(messageId);
    this.#count(begun, -packetBytes(packet));
    if (begun.packets.size === 0) this.#byClient.delete(clientId);
    deleteRow(this.#journal, 'incoming', rowKey(clientId, messageId));
    return true;
  }

  forget(clientId: string): void {
    const begun = this.#byClient.get(clientId);
    if (begun === undefined) return;
    this.#bytes -= begun.bytes;
    this.#byClient.delete(clientId);
    this.#journal.record([{ kind: 'brokerDeletePrefix', table: 'incoming', prefix: clientId + KEY_SEPARATOR }]);
  }

  /** Forgets, after a restart, the messages of clients without a session: nobody releases them. */
  forgetUnless(hasSession: (clientId: string) => boolean): void {
    for (const clientId of this.#byClient.keys()) if (!hasSession(clientId)) this.forget(clientId);
  }

  #keep(clientId: string, packet: StoredPacket): void {
    const begun = this.#byClient.get(clientId) ?? { packets: new Map(), bytes: 0 };
    this.#byClient.set(clientId, begun);
    const replaced = begun.packets.get(packet.messageId ?? 0);
    if (replaced !== undefined) this.#count(begun, -packetBytes(replaced));
    begun.packets.set(packet.messageId ?? 0, packet);
    this.#count(begun, packetBytes(packet));
  }

  #count(begun: Begun, bytes: number): void {
    begun.bytes += bytes;
    this.#bytes += bytes;
  }
}

/** The memory that a message takes in addition to its text. */
const MESSAGE_BYTES = 400;

function packetBytes({ topic, payload }: StoredPacket): number {
  return MESSAGE_BYTES + 2 * (topic?.length ?? 0) + (payload?.length ?? 0);
}

function rowKey(clientId: string, messageId: number): string {
  return `${clientId}${KEY_SEPARATOR}${String(messageId).padStart(5, '0')}`;
}
