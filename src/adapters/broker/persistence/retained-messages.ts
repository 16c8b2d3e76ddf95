import type { BrokerRow } from '../../../flows/store-ports.ts';
import { LIMITS } from '../limits.ts';
import { levelsMatch } from '../mqtt/topic-filter.ts';
import { bytesOf, type Payload, payloadOf } from '../readers/payload.ts';
import type { GatheredCommits } from './gathered-commits.ts';
import { decodePacket, deleteRow, encodePacket, type Journal } from './journal.ts';
import type { Lifetimes } from './lifetimes.ts';

export interface RetainedMessage {
  readonly topic: string;
  readonly payload: Payload;
  readonly qos: 0 | 1 | 2;
  /** Properties that are passed on, as bytes. */
  readonly properties: Payload;
  /** On the monotonic clock; infinite for a message that does not expire. */
  readonly expiresAtMs: number;
}

/** `arrival` grows with each message that came since the start; it is 0 for those from before. */
type KeptMessage = RetainedMessage & { readonly arrival: number };

/** Gives the messages that match, and null after many that do not match, so that other readers get their turn. */
export type RetainedSearch = Iterator<RetainedMessage | null>;

/** Bytes of a retained message in memory in addition to its text. */
const MESSAGE_BYTES = 300;
const LOOKED_AT_PER_STEP = 250;

/** The newest retained message of each topic, bounded in number and bytes. */
export class RetainedMessages {
  readonly #journal: Journal;
  readonly #commits: GatheredCommits;
  readonly #lifetimes: Lifetimes;
  readonly #onRefused: (subject: string) => void;
  readonly #byTopic = new Map<string, KeptMessage>();
  #arrivals = 0;
  /** Commits that are under way, by topic. */
  readonly #storing = new Map<string, Promise<void>>();
  /** Topics whose last commit failed: the same message is stored again when it comes again. */
  readonly #notStored = new Set<string>();
  #bytes = 0;

  constructor(
    {
      journal,
      commits,
      lifetimes,
    }: { readonly journal: Journal; readonly commits: GatheredCommits; readonly lifetimes: Lifetimes },
    rows: readonly BrokerRow[],
    onRefused: (subject: string) => void,
  ) {
    this.#journal = journal;
    this.#commits = commits;
    this.#lifetimes = lifetimes;
    this.#onRefused = onRefused;
    for (const { key, value } of rows) {
      const { payload = '', qos = 0, passedOn = '', expiresAt } = decodePacket(value);
      const expiresAtMs = lifetimes.fromDisk(expiresAt);
      const message = { topic: key, payload: payloadOf(payload), qos, properties: passedOn as Payload, expiresAtMs };
      this.#keep({ ...message, arrival: 0 });
    }
  }

  get size(): number {
    return this.#byTopic.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Replaces a topic's retained message; an empty payload removes it (MQTT-3.3.1-10). Gives a promise that resolves
   * when that is on disk, or null if nothing changes. `sender` is named when the message is refused.
   */
  store(message: RetainedMessage, sender: string): Promise<void> | null {
    const { topic, payload } = message;
    const previous = this.#byTopic.get(topic);
    if (isUnchanged(message, previous) && !this.#notStored.has(topic)) {
      if (previous !== undefined) this.#byTopic.set(topic, { ...previous, arrival: ++this.#arrivals });
      return this.#storing.get(topic) ?? null;
    }
    if (payload.length === 0) return this.#remove(topic, previous);
    if (this.#isFull(message, previous)) {
      this.#onRefused(sender);
      return null;
    }
    if (previous !== undefined) this.#bytes -= sizeOf(previous);
    this.#keep({ ...message, arrival: ++this.#arrivals });
    const stored = this.#commits.write(this.#putOf(message));
    this.#note(topic, stored);
    return stored;
  }

  get(topic: string): KeptMessage | undefined {
    return this.#byTopic.get(topic);
  }

  /** Removes messages whose lifetime is over. To be called about once a minute. */
  sweep(): void {
    const nowMs = this.#lifetimes.nowMs();
    for (const message of this.#byTopic.values()) {
      if (message.expiresAtMs > nowMs) continue;
      this.#forget(message);
      deleteRow(this.#journal, 'retained', message.topic);
    }
  }

  /** The wall clock was corrected: rows name the end of a lifetime by the present one. */
  correctClock(): void {
    for (const message of this.#byTopic.values()) {
      if (message.expiresAtMs !== Number.POSITIVE_INFINITY) this.#journal.record([this.#putOf(message)]);
    }
  }

  /** Forgets the messages that clients may not read any more. */
  remove(isForbidden: (topic: string) => boolean): void {
    for (const message of [...this.#byTopic.values()]) {
      if (!isForbidden(message.topic)) continue;
      this.#forget(message);
      deleteRow(this.#journal, 'retained', message.topic);
    }
  }

  *matching(filter: string): Generator<RetainedMessage | null> {
    if (!/[+#]/.test(filter)) {
      const exact = this.#byTopic.get(filter);
      if (exact !== undefined) yield exact;
      return;
    }
    const levels = filter.split('/');
    let lookedAt = 0;
    for (const message of this.#byTopic.values()) {
      if (levelsMatch(levels, message.topic.split('/'))) yield message;
      else if (++lookedAt % LOOKED_AT_PER_STEP === 0) yield null;
    }
  }

  #putOf({ topic, payload, qos, properties, expiresAtMs }: RetainedMessage) {
    const packet = { cmd: 'publish', topic, payload: bytesOf(payload), qos, retain: true, passedOn: properties };
    const value = encodePacket({ ...packet, expiresAt: this.#lifetimes.toDisk(expiresAtMs) });
    return { kind: 'brokerPut', row: { table: 'retained', key: topic, value } } as const;
  }

  #note(topic: string, stored: Promise<void>): void {
    this.#storing.set(topic, stored);
    this.#notStored.delete(topic);
    const settled = (isStored: boolean) => {
      if (this.#storing.get(topic) !== stored) return;
      this.#storing.delete(topic);
      if (!isStored && this.#notStored.size < LIMITS.retainedMessages) this.#notStored.add(topic);
    };
    stored.then(
      () => settled(true),
      () => settled(false),
    );
  }

  #isFull(message: RetainedMessage, previous: RetainedMessage | undefined): boolean {
    const more = sizeOf(message) - (previous === undefined ? 0 : sizeOf(previous));
    return (
      (previous === undefined && this.#byTopic.size >= LIMITS.retainedMessages) ||
      this.#bytes + more > LIMITS.retainedBytes
    );
  }

  #keep(message: KeptMessage): void {
    this.#bytes += sizeOf(message);
    this.#byTopic.set(message.topic, message);
  }

  #forget(message: RetainedMessage): void {
    this.#bytes -= sizeOf(message);
    this.#byTopic.delete(message.topic);
  }

  #remove(topic: string, previous: RetainedMessage | undefined): Promise<void> {
    if (previous !== undefined) this.#forget(previous);
    const stored = this.#commits.write({ kind: 'brokerDelete', table: 'retained', key: topic });
    this.#note(topic, stored);
    return stored;
  }
}

function isUnchanged(
  { payload, qos, properties, expiresAtMs }: RetainedMessage,
  previous: RetainedMessage | undefined,
): boolean {
  if (previous === undefined) return payload.length === 0;
  const isSame = previous.qos === qos && previous.payload === payload && previous.properties === properties;
  return isSame && previous.expiresAtMs === expiresAtMs;
}

function sizeOf({ topic, payload, properties }: RetainedMessage): number {
  return MESSAGE_BYTES + 2 * topic.length + payload.length + properties.length;
}
