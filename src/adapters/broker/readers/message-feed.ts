import { LIMITS } from '../limits.ts';
import type { Payload } from './payload.ts';
import type { Qos } from './reader-filters.ts';

/** The content of a topic. Only the newest message of a state waits for a reader that is away (D-06). */
export type TopicKind = 'command' | 'state' | 'other';

export interface FeedMessage {
  /** Its place among all messages of this gateway, also over restarts. */
  readonly seq: number;
  readonly topic: string;
  readonly levels: readonly string[];
  readonly payload: Payload;
  readonly qos: Qos;
  readonly kind: TopicKind;
  /** The client that published it; empty for the gateway. */
  readonly sender: string;
  /** Whether it was published as a retained message. */
  readonly retain: boolean;
  /** Properties that are passed on, as bytes. */
  readonly properties: Payload;
  /** On the monotonic clock; infinite for a message that does not expire. */
  readonly expiresAtMs: number;
}

/** The memory that a message takes in addition to its text and its levels. */
const MESSAGE_BYTES = 150;
/** The memory that a level of the topic takes. */
const LEVEL_BYTES = 32;

export function messageBytes({ topic, levels, payload, properties }: FeedMessage): number {
  return MESSAGE_BYTES + 2 * topic.length + LEVEL_BYTES * levels.length + payload.length + properties.length;
}

/**
 * The newest messages for readers, stored once for all readers: each reader remembers its position. The feed is bounded
 * in number and bytes. The oldest message makes room, even if readers have not read it yet.
 */
export class MessageFeed {
  readonly #slots: (FeedMessage | undefined)[] = new Array(LIMITS.feedMessages);
  #first: number;
  #next: number;
  #bytes = 0;

  constructor(firstSeq: number) {
    this.#first = firstSeq;
    this.#next = firstSeq;
  }

  /** The oldest place that can still be read. */
  get first(): number {
    return this.#first;
  }

  /** The place of the message that comes next. */
  get next(): number {
    return this.#next;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(message: Omit<FeedMessage, 'seq'>): FeedMessage {
    const numbered = { ...message, seq: this.#next };
    while (this.#next - this.#first >= LIMITS.feedMessages) this.#dropOldest();
    this.#slots[this.#next % LIMITS.feedMessages] = numbered;
    this.#next++;
    this.#bytes += messageBytes(numbered);
    while (this.#bytes > LIMITS.feedBytes) this.#dropOldest();
    return numbered;
  }

  at(seq: number): FeedMessage | undefined {
    return seq >= this.#first && seq < this.#next ? this.#slots[seq % LIMITS.feedMessages] : undefined;
  }

  /** Removes the messages that clients may not read any more. */
  remove(isForbidden: (message: FeedMessage) => boolean): void {
    for (let seq = this.#first; seq < this.#next; seq++) {
      const message = this.at(seq);
      if (message !== undefined && isForbidden(message)) this.#empty(seq, message);
    }
  }

  clear(): void {
    while (this.#first < this.#next) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.at(this.#first);
    if (oldest !== undefined) this.#empty(this.#first, oldest);
    this.#first++;
  }

  #empty(seq: number, message: FeedMessage): void {
    this.#slots[seq % LIMITS.feedMessages] = undefined;
    this.#bytes -= messageBytes(message);
  }
}
