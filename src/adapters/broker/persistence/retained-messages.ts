import type { BrokerRow } from '../../../flows/store-ports.ts';
import { LIMITS } from '../limits.ts';
import { levelsMatch } from '../mqtt/topic-filter.ts';
import { bytesOf, type Payload, payloadOf } from '../readers/payload.ts';
import type { GatheredCommits } from './gathered-commits.ts';
import { decodePacket, deleteRow, encodePacket, type Journal } from './journal.ts';

export interface RetainedMessage {
  readonly topic: string;
  readonly payload: Payload;
  readonly qos: 0 | 1 | 2;
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
  readonly #onRefused: (subject: string) => void;
  readonly #byTopic = new Map<string, KeptMessage>();
  #arrivals = 0;
  /** Commits that are under way, by topic. */
  readonly #storing = new Map<string, Promise<void>>();
  /** Topics whose last commit failed: the same message is stored again when it comes again. */
  readonly #notStored = new Set<string>();
  #bytes = 0;

  constructor(
    { journal, commits }: { readonly journal: Journal; readonly commits: GatheredCommits },
    rows: readonly BrokerRow[],
    onRefused: (subject: string) => void,
  ) {
    this.#journal = journal;
    this.#commits = commits;
    this.#onRefused = onRefused;
    for (const { key, value } of rows) {
      const { payload = '', qos = 0 } = decodePacket(value);
      this.#keep({ topic: key, payload: payloadOf(payload), qos, arrival: 0 });
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
    const { topic, payload, qos } = message;
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
    this.#keep({ topic, payload, qos, arrival: ++this.#arrivals });
    const value = encodePacket({ cmd: 'publish', topic, payload: bytesOf(payload), qos, retain: true });
    const stored = this.#commits.write({ kind: 'brokerPut', row: { table: 'retained', key: topic, value } });
    this.#note(topic, stored);
    return stored;
  }

  get(topic: string): KeptMessage | undefined {
    return this.#byTopic.get(topic);
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

function isUnchanged({ payload, qos }: RetainedMessage, previous: RetainedMessage | undefined): boolean {
  if (previous === undefined) return payload.length === 0;
  return previous.qos === qos && previous.payload === payload;
}

function sizeOf({ topic, payload }: RetainedMessage): number {
  return MESSAGE_BYTES + 2 * topic.length + payload.length;
}
