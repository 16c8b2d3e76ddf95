import type { BrokerRow } from '../../../flows/store-ports.ts';
import { LIMITS } from '../limits.ts';
import { decodePacket, deleteRow, encodePacket, type Journal } from '../persistence/journal.ts';
import type { Lifetimes } from '../persistence/lifetimes.ts';
import { type FeedMessage, messageBytes } from './message-feed.ts';
import { bytesOf, type Payload, payloadOf } from './payload.ts';

const SEQ_DIGITS = 16;

export interface KeptOptions {
  readonly journal: Journal;
  readonly lifetimes: Lifetimes;
  /** The oldest message was dropped to make room for a new one. */
  readonly onDropped: (dropped: FeedMessage) => void;
}

/**
 * The messages that persistent sessions with QoS 1 or 2 may still need, stored once for all sessions. For the state of
 * a machine (status, command, variables) it holds the newest message of each topic, in memory only, because the machine
 * soon sends it again. Every message on other topics is held, and on disk.
 */
export class KeptMessages {
  readonly #options: KeptOptions;
  /** In the order of their places. */
  readonly #bySeq = new Map<number, FeedMessage>();
  readonly #stateByTopic = new Map<string, number>();
  #bytes = 0;
  #onDisk = 0;

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#bySeq.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether it holds messages that outlive the process. */
  get isOnDisk(): boolean {
    return this.#onDisk > 0;
  }

  /** Whether a row belongs to a message that is held. */
  hasRow(key: string): boolean {
    return this.#bySeq.has(Number(key));
  }

  /** Takes back what an earlier process kept. */
  restore(message: FeedMessage): void {
    this.#hold(message);
  }

  /** Gives a promise that resolves when the message is on disk; null where it is held in memory only. */
  keep(message: FeedMessage): Promise<void> | null {
    this.#hold(message);
    const stored = message.kind === 'other' ? this.#options.journal.write([this.#putOf(message)]) : null;
    while (this.#bytes > LIMITS.keptBytes || this.#bySeq.size > LIMITS.keptMessages) this.#dropOldest();
    return stored;
  }

  at(seq: number): FeedMessage | undefined {
    return this.#bySeq.get(seq);
  }

  /** Whether no newer message came on the same topic. Only meaningful for state of machines. */
  isNewest({ topic, seq }: FeedMessage): boolean {
    return (this.#stateByTopic.get(topic) ?? seq) <= seq;
  }

  /** The messages from a place on, oldest first. It stays valid while messages come and go. */
  *from(seq: number): Generator<FeedMessage> {
    for (const message of this.#bySeq.values()) if (message.seq >= seq) yield message;
  }

  /** Forgets the messages that every session has received. */
  trim(belowSeq: number): void {
    for (const message of this.#bySeq.values()) {
      if (message.seq >= belowSeq) return;
      this.#drop(message);
    }
  }

  /** Removes the messages that clients may not read any more. */
  remove(isForbidden: (message: FeedMessage) => boolean): void {
    for (const message of this.#bySeq.values()) if (isForbidden(message)) this.#drop(message);
  }

  /** The wall clock was corrected: rows name the end of a lifetime by the present one. */
  correctClock(): void {
    for (const message of this.#bySeq.values()) {
      const isOnDisk = message.kind === 'other' && message.expiresAtMs !== Number.POSITIVE_INFINITY;
      if (isOnDisk) this.#options.journal.record([this.#putOf(message)]);
    }
  }

  #hold(message: FeedMessage): void {
    if (message.kind !== 'other') {
      const older = this.#bySeq.get(this.#stateByTopic.get(message.topic) ?? -1);
      if (older !== undefined) this.#drop(older);
      this.#stateByTopic.set(message.topic, message.seq);
    } else {
      this.#onDisk++;
    }
    this.#bySeq.set(message.seq, message);
    this.#bytes += messageBytes(message);
  }

  #dropOldest(): void {
    for (const oldest of this.#bySeq.values()) {
      this.#drop(oldest);
      this.#options.onDropped(oldest);
      return;
    }
  }

  #putOf({ seq, topic, payload, qos, retain, properties, expiresAtMs }: FeedMessage) {
    const packet = { cmd: 'publish', topic, payload: bytesOf(payload), qos, retain, passedOn: properties };
    const value = encodePacket({ ...packet, expiresAt: this.#options.lifetimes.toDisk(expiresAtMs) });
    return { kind: 'brokerPut', row: { table: 'outgoing', key: rowKey(seq), value } } as const;
  }

  #drop(message: FeedMessage): void {
    this.#bySeq.delete(message.seq);
    this.#bytes -= messageBytes(message);
    if (message.kind === 'other') {
      this.#onDisk--;
      deleteRow(this.#options.journal, 'outgoing', rowKey(message.seq));
    } else if (this.#stateByTopic.get(message.topic) === message.seq) {
      this.#stateByTopic.delete(message.topic);
    }
  }
}

/** Reads the rows of kept messages, in order. */
export function restoredMessages(
  rows: readonly BrokerRow[],
  lifetimes: Lifetimes,
): readonly Omit<FeedMessage, 'kind'>[] {
  const messages = rows.flatMap(({ key, value }) => {
    const { topic, payload = '', qos = 1, retain = false, passedOn = '', expiresAt } = decodePacket(value);
    if (topic === undefined) return [];
    return [
      {
        seq: Number(key),
        topic,
        levels: topic.split('/'),
        payload: payloadOf(payload),
        qos,
        sender: '',
        retain,
        properties: passedOn as Payload,
        expiresAtMs: lifetimes.fromDisk(expiresAt),
      },
    ];
  });
  return messages.sort((one, other) => one.seq - other.seq);
}

function rowKey(seq: number): string {
  return String(seq).padStart(SEQ_DIGITS, '0');
}
