import { LIMITS } from '../limits.ts';
import type { AcknowledgementPacket } from '../mqtt/acknowledgement-packet.ts';
import { PACKET } from '../mqtt/frame.ts';
import {
  ACKNOWLEDGEMENT_BYTES,
  type Delivery,
  type Encoding,
  type OutgoingMessage,
  PacketWriter,
} from '../mqtt/packet-writer.ts';
import { NO_REASON, REASON, type Reason } from '../mqtt/reason-codes.ts';
import type { SubscriptionOptions } from '../mqtt/subscribe-packet.ts';
import type { RetainedMessage, RetainedMessages, RetainedSearch } from '../persistence/retained-messages.ts';
import { InFlight, type Sent } from './in-flight.ts';
import type { KeptMessages } from './kept-messages.ts';
import type { FeedMessage, MessageFeed } from './message-feed.ts';
import { type Qos, ReaderFilters } from './reader-filters.ts';
import type { SharedGroup } from './shared-groups.ts';

/** The connection of a reader. */
export interface ReaderConnection {
  readonly encoding: Encoding;
  /** Messages of QoS 1 and 2 that may wait for their acknowledgement now. */
  readonly window: number;
  /** Bytes that the client has not taken yet. */
  readonly backlogBytes: number;
  /** Calls `onTaken` when the system has taken the bytes, or will never take them. */
  deliver(bytes: Buffer, onTaken: () => void): void;
  /** The client takes nothing any more: its connection ends. */
  cutOff(reason: Reason): void;
}

/** The sources from which readers read. */
export interface MessageSources {
  readonly feed: MessageFeed;
  readonly kept: KeptMessages;
  readonly retained: RetainedMessages;
  /** The monotonic clock. */
  readonly nowMs: () => number;
}

/** A retained message has no place in the feed. */
const RETAINED_SEQ = Number.MAX_SAFE_INTEGER;
const BATCH_BYTES = 16_384;
const MESSAGES_PER_VISIT = 64;
/** Shared subscriptions that are looked at in one visit; the others have their turn in the next one. */
const SHARES_PER_VISIT = 8;

/** A search for the retained messages of a filter; null before its beginning. */
interface RetainedAhead {
  readonly options: SubscriptionOptions;
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
  /** The session outlives its connection by this time; 0: it ends with it. */
  expiryMs: number = LIMITS.sessionExpiryMs;
  readonly filters = new ReaderFilters();
  readonly inFlight = new InFlight();
  /** Messages that were larger than its client takes, since the last report. */
  leftOut = 0;
  /** The shared subscriptions of which it is a member, by their filters. */
  readonly shares = new Map<string, SharedGroup>();
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
    for (const { sharedBy = '', seq } of this.inFlight.takeShared()) this.shares.get(sharedBy)?.giveBack(seq);
    this.#keptAhead = null;
    // A search that the connection interrupted begins again when the client comes back.
    for (const ahead of this.#retainedAhead.values()) ahead.messages = null;
  }

  /** Moves to a place without reading: the reader has no filter yet, so it missed nothing. */
  skipTo(seq: number): void {
    this.#cursor = seq;
  }

  /** Lets the retained messages of a filter be sent, after the reader has subscribed to it (MQTT-3.3.1-6). */
  askRetained(filter: string, options: SubscriptionOptions): void {
    this.#retainedAhead.delete(filter);
    this.#retainedAhead.set(filter, { options, messages: null });
  }

  /** Forgets a filter, and the search for its retained messages: a client may subscribe faster than it takes messages. */
  unsubscribe(filter: string): void {
    this.filters.delete(filter);
    this.#retainedAhead.delete(filter);
  }

  /** Fills one batch. Gives the number of bytes written, and whether there may be more to send. */
  serve(sources: MessageSources, onTaken: (bytes: number) => void): { readonly bytes: number; readonly more: boolean } {
    const writer = new PacketWriter(0, this.connection?.encoding);
    const hasShared = this.#serveShared(sources, writer);
    let step: Step = 'stepped';
    for (let count = 0; step === 'stepped' && count < MESSAGES_PER_VISIT && writer.length < BATCH_BYTES; count++) {
      step = this.#step(sources, writer);
    }
    const { length } = writer;
    if (length > 0) this.connection?.deliver(writer.take(), () => onTaken(length));
    return { bytes: length, more: hasShared || step !== 'idle' };
  }

  /** Takes one message of each shared subscription, so that its members take turns. Gives whether there may be more. */
  #serveShared(sources: MessageSources, writer: PacketWriter): boolean {
    const window = this.connection?.window ?? 0;
    let visits = Math.min(this.shares.size, SHARES_PER_VISIT);
    for (const [filter, group] of this.shares) {
      if (visits-- === 0 || this.inFlight.isFull(window)) break;
      // Those that were looked at go to the end of the line.
      this.shares.delete(filter);
      this.shares.set(filter, group);
      const options = group.members.get(this);
      const message = group.take(sources);
      if (options !== undefined && message !== null) this.#sendShared(message, options, filter, sources, writer);
    }
    if (this.inFlight.isFull(window)) return false;
    for (const group of this.shares.values()) if (group.hasUnread(sources.feed)) return true;
    return false;
  }

  #sendShared(
    message: FeedMessage,
    options: SubscriptionOptions,
    filter: string,
    { nowMs }: MessageSources,
    writer: PacketWriter,
  ): void {
    const qos = Math.min(options.qos, message.qos) as Qos;
    const expiryS = secondsLeft(message.expiresAtMs, nowMs);
    if (expiryS === EXPIRED) return;
    const retain = message.retain && options.retainAsPublished;
    const identifiers = options.identifier === 0 ? [] : [options.identifier];
    this.#write(message, { qos, retain, duplicate: false, expiryS, identifiers }, writer, () =>
      this.inFlight.track({ seq: message.seq, qos: qos === 2 ? 2 : 1, sharedBy: filter }),
    );
  }

  #step(sources: MessageSources, writer: PacketWriter): Step {
    const window = this.connection?.window ?? 0;
    const [resend] = this.#resends;
    if (resend !== undefined) {
      if (this.inFlight.size - this.#resends.length >= window) return 'idle';
      this.#resends.shift();
      this.#resend(resend, sources, writer);
      return 'stepped';
    }
    if (this.inFlight.isFull(window)) return 'idle';
    if (this.#retainedAhead.size > 0) return this.#stepRetained(sources, writer);
    if (this.#cursor >= sources.feed.next) return 'idle';
    if (this.#cursor < sources.feed.first) this.#stepBehind(sources, writer);
    else this.#stepFeed(sources, writer);
    return 'stepped';
  }

  #stepFeed(sources: MessageSources, writer: PacketWriter): void {
    this.#keptAhead = null;
    const message = sources.feed.at(this.#cursor++);
    if (message !== undefined) this.#send(message, sources, writer);
  }

  /**
   * The feed no longer has the next message. A persistent session finds it among the kept ones, another session misses
   * it.
   */
  #stepBehind(sources: MessageSources, writer: PacketWriter): void {
    const { feed, kept } = sources;
    const next = this.isPersistent ? this.#nextKept(kept) : undefined;
    if (next === undefined || next.seq >= feed.first) {
      this.#keptAhead = null;
      this.#cursor = feed.first;
      return;
    }
    this.#cursor = next.seq + 1;
    this.#send(next, sources, writer);
  }

  #nextKept(kept: KeptMessages): FeedMessage | undefined {
    this.#keptAhead ??= kept.from(this.#cursor);
    const { done, value } = this.#keptAhead.next();
    return done === true ? undefined : value;
  }

  #send(message: FeedMessage, { kept, nowMs }: MessageSources, writer: PacketWriter): void {
    const { topic, levels, seq, expiresAtMs } = message;
    const match = this.filters.match(topic, levels, message.sender === this.clientId);
    if (match === null || this.#isServedElsewhere(topic)) return;
    const qos = Math.min(match.qos, message.qos) as Qos;
    const wasAway = seq < this.#resumedAt;
    if (wasAway && (qos === 0 || (message.kind === 'command' && !kept.isNewest(message)))) return;
    const expiryS = secondsLeft(expiresAtMs, nowMs);
    if (expiryS === EXPIRED) return;
    const retain = message.retain && match.retainAsPublished;
    const delivery = { qos, retain, duplicate: false, expiryS, identifiers: match.identifiers };
    this.#write(message, delivery, writer, () => this.inFlight.track({ seq, qos: qos === 2 ? 2 : 1 }));
  }

  /** A message that is too large for the client is left out before it takes a packet id (MQTT-3.1.2-25). */
  #write(
    message: OutgoingMessage,
    delivery: Omit<Delivery, 'packetId'>,
    writer: PacketWriter,
    track: () => number,
  ): void {
    if (!writer.fits(message, { ...delivery, packetId: 0 })) {
      this.leftOut++;
      return;
    }
    writer.message(message, { ...delivery, packetId: delivery.qos === 0 ? 0 : track() });
  }

  #stepRetained({ retained, nowMs }: MessageSources, writer: PacketWriter): Step {
    for (const [filter, ahead] of this.#retainedAhead) {
      ahead.messages ??= retained.matching(filter);
      const { done, value } = ahead.messages.next();
      if (done === true) this.#retainedAhead.delete(filter);
      else if (value === null) return 'searching';
      else this.#sendRetained(value, ahead.options, filter, nowMs, writer);
      return 'stepped';
    }
    return 'stepped';
  }

  #sendRetained(
    message: RetainedMessage,
    options: SubscriptionOptions,
    filter: string,
    nowMs: () => number,
    writer: PacketWriter,
  ): void {
    const qos = Math.min(options.qos, message.qos) as Qos;
    const expiryS = secondsLeft(message.expiresAtMs, nowMs);
    if (expiryS === EXPIRED) return;
    const identifiers = options.identifier === 0 ? [] : [options.identifier];
    const delivery = { qos, retain: true, duplicate: false, expiryS, identifiers };
    this.#write(message, delivery, writer, () =>
      this.inFlight.track({ seq: RETAINED_SEQ, qos: qos === 2 ? 2 : 1, retainedFor: filter }),
    );
  }

  /** A message that is no longer kept was replaced by a newer one. Retained messages are asked for again, as they are now. */
  #resend(packetId: number, { feed, kept, nowMs }: MessageSources, writer: PacketWriter): void {
    const sent = this.inFlight.get(packetId);
    if (sent === undefined) return;
    if (sent.isReleased) {
      writer.acknowledgement(PACKET.pubrel, packetId);
      return;
    }
    const message = kept.at(sent.seq) ?? feed.at(sent.seq);
    const isStale = message?.kind === 'command' && !kept.isNewest(message);
    const expiryS = message === undefined || isStale ? EXPIRED : secondsLeft(message.expiresAtMs, nowMs);
    if (message === undefined || expiryS === EXPIRED) {
      this.#giveUp(packetId, sent);
      return;
    }
    const identifiers = this.filters.match(message.topic, message.levels, false)?.identifiers ?? [];
    const delivery = { qos: sent.qos, packetId, retain: false, duplicate: true, expiryS, identifiers };
    if (writer.fits(message, delivery)) writer.message(message, delivery);
    else this.#giveUp(packetId, sent);
  }

  #giveUp(packetId: number, { retainedFor }: Sent): void {
    this.inFlight.forget(packetId);
    if (retainedFor === undefined) return;
    const options = this.filters.get(retainedFor);
    if (options !== undefined) this.askRetained(retainedFor, options);
  }

  /**
   * Takes a PUBREC of the client, which gets its PUBREL, also for an unknown packet id. One that refuses the message ends
   * it (MQTT-4.3.3-4).
   */
  received({ packetId, code }: AcknowledgementPacket): void {
    if (code >= REASON.unspecifiedError) {
      this.inFlight.end(packetId);
      return;
    }
    const isKnown = this.inFlight.release(packetId);
    const writer = new PacketWriter(ACKNOWLEDGEMENT_BYTES, this.connection?.encoding);
    writer.acknowledgement(PACKET.pubrel, packetId, isKnown ? NO_REASON : { code: REASON.packetIdNotFound, text: '' });
    this.connection?.deliver(writer.take(), () => undefined);
  }
}

const EXPIRED = 'expired';

/** The rest of a message's lifetime, in whole seconds; null if it does not expire. */
function secondsLeft(expiresAtMs: number, nowMs: () => number): number | null | typeof EXPIRED {
  if (expiresAtMs === Number.POSITIVE_INFINITY) return null;
  const leftMs = expiresAtMs - nowMs();
  return leftMs <= 0 ? EXPIRED : Math.ceil(leftMs / 1_000);
}
