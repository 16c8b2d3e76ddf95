import { ACKNOWLEDGEMENT_BYTES, PacketWriter } from '../mqtt/command-encoder.ts';
import { PACKET } from '../mqtt/frame.ts';
import type { RetainedMessage, RetainedMessages, RetainedSearch } from '../persistence/retained-messages.ts';
import { InFlight, type Sent } from './in-flight.ts';
import type { KeptMessages } from './kept-messages.ts';
import type { FeedMessage, MessageFeed } from './message-feed.ts';
import { NOT_WANTED, type Qos, ReaderFilters } from './reader-filters.ts';

/** The connection of a reader. */
export interface ReaderConnection {
  /** Bytes that the client has not taken yet. */
  readonly backlogBytes: number;
  /** Calls `onTaken` when the system has taken the bytes, or will never take them. */
  deliver(bytes: Buffer, onTaken: () => void): void;
  /** The client takes nothing any more: its connection ends. */
  cutOff(): void;
}

/** The sources from which readers read. */
export interface MessageSources {
  readonly feed: MessageFeed;
  readonly kept: KeptMessages;
  readonly retained: RetainedMessages;
}

/** A retained message has no place in the feed. */
const RETAINED_SEQ = Number.MAX_SAFE_INTEGER;
const BATCH_BYTES = 16_384;
const MESSAGES_PER_VISIT = 64;

/** A search for the retained messages of a filter; null before its beginning. */
interface RetainedAhead {
  readonly qos: Qos;
  messages: RetainedSearch | null;
}

/** `searching`: many retained messages did not match, so others come first. `idle`: there is nothing to send now. */
type Step = 'stepped' | 'searching' | 'idle';

/**
 * One client that subscribes: its filters, how far it has read, and unacknowledged messages. It takes messages when it
 * is served and has room for them. No other part waits for it.
 */
export class Reader {
  readonly clientId: string;
  readonly isPersistent: boolean;
  readonly filters = new ReaderFilters();
  readonly inFlight = new InFlight();
  connection: ReaderConnection | null = null;
  /** The connection gives these messages itself: a machine's own commands. */
  readonly #isServedElsewhere: (topic: string) => boolean;
  /** The place of the next message to look at. */
  #cursor: number;
  /** Messages before this place came while the client was away. */
  #resumedAt = 0;
  /** Packet ids to be sent again. */
  #resends: number[] = [];
  #keptAhead: Iterator<FeedMessage> | null = null;
  readonly #retainedAhead = new Map<string, RetainedAhead>();

  constructor(clientId: string, isPersistent: boolean, cursor: number, isServedElsewhere = (_topic: string) => false) {
    this.clientId = clientId;
    this.isPersistent = isPersistent;
    this.#cursor = cursor;
    this.#isServedElsewhere = isServedElsewhere;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** Every message before this place is acknowledged, or not meant for this reader. */
  get acknowledgedTo(): number {
    return this.inFlight.oldestSeq(this.#cursor);
  }

  /**
   * This reader no longer needs the kept messages before this place. With QoS 0 alone it needs only those that it has
   * not acknowledged.
   */
  get neededFrom(): number {
    return this.inFlight.oldestSeq(this.filters.areKept ? this.#cursor : Number.POSITIVE_INFINITY);
  }

  connect(connection: ReaderConnection, next: number): void {
    this.connection = connection;
    this.inFlight.connectionOpened();
    this.#resumedAt = next;
    this.#resends = [...this.inFlight.packetIds()];
  }

  disconnect(): void {
    this.connection = null;
    this.#resends = [];
    this.#keptAhead = null;
    // A search that the connection interrupted begins again when the client comes back.
    for (const ahead of this.#retainedAhead.values()) ahead.messages = null;
  }

  /** Moves to a place without reading: the reader has no filter yet, so it missed nothing. */
  skipTo(seq: number): void {
    this.#cursor = seq;
  }

  /** Lets the retained messages of a filter be sent, after the reader has subscribed to it (MQTT-3.3.1-6). */
  askRetained(filter: string, qos: Qos): void {
    this.#retainedAhead.delete(filter);
    this.#retainedAhead.set(filter, { qos, messages: null });
  }

  /** Forgets a filter, and the search for its retained messages: a client may subscribe faster than it takes messages. */
  unsubscribe(filter: string): void {
    this.filters.delete(filter);
    this.#retainedAhead.delete(filter);
  }

  /** Fills one batch. Gives the number of bytes written, and whether there may be more to send. */
  serve(sources: MessageSources, onTaken: (bytes: number) => void): { readonly bytes: number; readonly more: boolean } {
    const writer = new PacketWriter(0);
    let step: Step = 'stepped';
    for (let count = 0; step === 'stepped' && count < MESSAGES_PER_VISIT && writer.length < BATCH_BYTES; count++) {
      step = this.#step(sources, writer);
    }
    const { length } = writer;
    if (length > 0) this.connection?.deliver(writer.take(), () => onTaken(length));
    return { bytes: length, more: step !== 'idle' };
  }

  #step(sources: MessageSources, writer: PacketWriter): Step {
    const resend = this.#resends.shift();
    if (resend !== undefined) {
      this.#resend(resend, sources, writer);
      return 'stepped';
    }
    if (this.inFlight.isFull) return 'idle';
    if (this.#retainedAhead.size > 0) return this.#stepRetained(sources, writer);
    if (this.#cursor >= sources.feed.next) return 'idle';
    if (this.#cursor < sources.feed.first) this.#stepBehind(sources, writer);
    else this.#stepFeed(sources, writer);
    return 'stepped';
  }

  #stepFeed({ feed, kept }: MessageSources, writer: PacketWriter): void {
    this.#keptAhead = null;
    const message = feed.at(this.#cursor++);
    if (message !== undefined) this.#send(message, kept, writer);
  }

  /**
   * The feed no longer has the next message. A persistent session finds it among the kept ones, another session misses
   * it.
   */
  #stepBehind({ feed, kept }: MessageSources, writer: PacketWriter): void {
    const next = this.isPersistent ? this.#nextKept(kept) : undefined;
    if (next === undefined || next.seq >= feed.first) {
      this.#keptAhead = null;
      this.#cursor = feed.first;
      return;
    }
    this.#cursor = next.seq + 1;
    this.#send(next, kept, writer);
  }

  #nextKept(kept: KeptMessages): FeedMessage | undefined {
    this.#keptAhead ??= kept.from(this.#cursor);
    const { done, value } = this.#keptAhead.next();
    return done === true ? undefined : value;
  }

  #send(message: FeedMessage, kept: KeptMessages, writer: PacketWriter): void {
    const { topic, levels, seq } = message;
    const granted = this.filters.qosFor(topic, levels);
    if (granted === NOT_WANTED || this.#isServedElsewhere(topic)) return;
    const qos = Math.min(granted, message.qos) as Qos;
    const wasAway = seq < this.#resumedAt;
    if (wasAway && (qos === 0 || (message.kind === 'command' && !kept.isNewest(message)))) return;
    const packetId = qos === 0 ? 0 : this.inFlight.track(seq, qos);
    writer.message(message, { qos, packetId, retain: false, duplicate: false });
  }

  #stepRetained({ retained }: MessageSources, writer: PacketWriter): Step {
    for (const [filter, ahead] of this.#retainedAhead) {
      ahead.messages ??= retained.matching(filter);
      const { done, value } = ahead.messages.next();
      if (done === true) this.#retainedAhead.delete(filter);
      else if (value === null) return 'searching';
      else this.#sendRetained(value, Math.min(ahead.qos, value.qos) as Qos, filter, writer);
      return 'stepped';
    }
    return 'stepped';
  }

  #sendRetained(message: RetainedMessage, qos: Qos, filter: string, writer: PacketWriter): void {
    const packetId = qos === 0 ? 0 : this.inFlight.track(RETAINED_SEQ, qos, filter);
    writer.message(message, { qos, packetId, retain: true, duplicate: false });
  }

  /** A message that is no longer kept was replaced by a newer one. Retained messages are asked for again, as they are now. */
  #resend(packetId: number, { feed, kept }: MessageSources, writer: PacketWriter): void {
    const sent = this.inFlight.get(packetId);
    if (sent === undefined) return;
    if (sent.isReleased) {
      writer.acknowledgement(PACKET.pubrel, packetId);
      return;
    }
    const message = kept.at(sent.seq) ?? feed.at(sent.seq);
    const isStale = message?.kind === 'command' && !kept.isNewest(message);
    if (message === undefined || isStale) this.#giveUp(packetId, sent);
    else writer.message(message, { qos: sent.qos, packetId, retain: false, duplicate: true });
  }

  #giveUp(packetId: number, { retainedFor }: Sent): void {
    this.inFlight.forget(packetId);
    if (retainedFor === undefined) return;
    const qos = this.filters.qosOf(retainedFor);
    if (qos !== undefined) this.askRetained(retainedFor, qos);
  }

  /** Takes a PUBREC of the client, which gets its PUBREL, also for an unknown packet id. */
  received(packetId: number): void {
    this.inFlight.release(packetId);
    const writer = new PacketWriter(ACKNOWLEDGEMENT_BYTES);
    writer.acknowledgement(PACKET.pubrel, packetId);
    this.connection?.deliver(writer.take(), () => undefined);
  }
}
