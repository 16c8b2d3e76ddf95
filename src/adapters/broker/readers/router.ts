import { errorMessage } from '../../../domain/error-text.ts';
import type { Clock, Incidents } from '../../../flows/ports.ts';
import type { BrokerRow } from '../../../flows/store-ports.ts';
import type { AccountRights } from '../connect/accounts.ts';
import { bothStored } from '../device/commit-timeout.ts';
import { LIMITS } from '../limits.ts';
import { REASON } from '../mqtt/reason-codes.ts';
import type { Subscription, SubscriptionOptions } from '../mqtt/subscribe-packet.ts';
import { topicLimit } from '../mqtt/topic-filter.ts';
import type { GatheredCommits } from '../persistence/gathered-commits.ts';
import { deleteRow, type Journal, rowsOf } from '../persistence/journal.ts';
import type { Lifetimes } from '../persistence/lifetimes.ts';
import { RetainedMessages } from '../persistence/retained-messages.ts';
import { FilterIndex, filterBytes } from './filter-index.ts';
import { KeptMessages, restoredMessages } from './kept-messages.ts';
import { type FeedMessage, MessageFeed, type TopicKind } from './message-feed.ts';
import { NO_BYTES, type Payload, payloadOf } from './payload.ts';
import { Reader, type ReaderConnection } from './reader.ts';
import type { Qos } from './reader-filters.ts';
import { ReaderScheduler } from './reader-scheduler.ts';
import { ReaderSessions } from './reader-sessions.ts';
import { isShared, SharedGroups, sharedFilter, subscriptionFault } from './shared-groups.ts';

/** A message for readers. */
export interface RoutedMessage {
  readonly topic: string;
  readonly payload: Buffer | string;
  readonly qos: Qos;
  readonly retain: boolean;
  /** Properties of MQTT 5 that are passed on, as bytes. */
  readonly properties?: Payload;
  /** The lifetime of the message; left out or null if it does not expire. */
  readonly expiryMs?: number | null;
}

export interface RouterOptions {
  readonly journal: Journal;
  readonly lifetimes: Lifetimes;
  readonly commits: GatheredCommits;
  readonly restored: readonly BrokerRow[];
  readonly clock: Clock;
  readonly incidents: Incidents;
  /** A session was forgotten to make room for another client. */
  readonly onForgotten: (clientId: string) => void;
  /** The kind of a topic in the present plant. */
  readonly kindOf: (topic: string) => TopicKind;
  /** Gives the topics that a client gets without the router: a machine's own commands. */
  readonly isServedElsewhere: (clientId: string) => (topic: string) => boolean;
}

/**
 * The result of a SUBSCRIBE: the codes of MQTT 5, and the sentence about the first refused filter. `stored` resolves
 * when a persistent session is on disk; null if nothing is to be stored.
 */
export interface Subscribed {
  readonly codes: readonly number[];
  readonly text: string;
  readonly stored: Promise<void> | null;
}

/**
 * Passes messages on to readers, which are subscribed clients, connected or away. Publishing appends to one bounded
 * feed, so that a reader never delays a publisher (architecture.md, Who waits for whom over MQTT).
 */
export class Router {
  readonly retained: RetainedMessages;
  readonly sessions: ReaderSessions;
  readonly kept: KeptMessages;
  readonly feed: MessageFeed;
  readonly scheduler: ReaderScheduler;
  readonly #options: RouterOptions;
  /** The filters of all readers. */
  readonly index = new FilterIndex();
  readonly #groups = new SharedGroups();
  #liveSubscriptionBytes = 0;
  #droppedKept = 0;
  #newestDropped: FeedMessage | null = null;

  constructor(options: RouterOptions) {
    this.#options = options;
    const { journal, commits, restored, clock, incidents, kindOf, lifetimes } = options;
    this.retained = new RetainedMessages({ journal, commits, lifetimes }, rowsOf(restored, 'retained'), (subject) =>
      this.#limitReached(
        subject,
        `retained message refused: ${LIMITS.retainedMessages} or their bytes are kept already`,
      ),
    );
    this.sessions = new ReaderSessions(
      {
        ...options,
        onForgotten: (clientId, detail) => {
          this.forgetSession(clientId);
          options.onForgotten(clientId);
          this.#limitReached(clientId, detail);
        },
      },
      rowsOf(restored, 'session'),
    );
    this.kept = new KeptMessages({ journal, lifetimes, onDropped: (message) => this.#noteDropped(message) });
    this.feed = new MessageFeed(this.#restoreKept());
    this.scheduler = new ReaderScheduler({
      sources: { feed: this.feed, kept: this.kept, retained: this.retained, nowMs: () => clock.now().monotonicMs },
      nowMs: () => clock.now().monotonicMs,
      onTrouble: ({ clientId }, detail) => incidents.report({ kind: 'slowReader', subject: clientId, detail }),
    });
    for (const reader of this.sessions.all()) {
      for (const [filter, options] of reader.filters.entries()) {
        this.index.add(sharedFilter(filter), options.qos > 0);
        if (isShared(filter)) this.#groups.join(filter, reader, options, reader.cursor).startAt(reader.cursor);
      }
    }
    this.retained.remove((topic) => kindOf(topic) === 'command');
  }

  /**
   * Passes a message on. Gives a promise that resolves when the lasting records are on disk, or null without such
   * records. `sender` is named if a limit refuses the message. Rejects with CodedError `store-unavailable`.
   */
  publish(message: RoutedMessage, sender: string): Promise<void> | null {
    const { topic, qos, retain, properties = NO_BYTES, expiryMs = null } = message;
    const payload = payloadOf(message.payload);
    const expiresAtMs = this.#options.lifetimes.endOf(expiryMs);
    const routed = { topic, payload, qos, properties, expiresAtMs };
    const retained = retain ? this.retained.store(routed, sender) : null;
    return bothStored(retained, this.#append({ ...routed, retain, sender }));
  }

  /** Whether any reader gets messages on a topic. */
  isWanted(topic: string): boolean {
    return this.index.interest(topic) !== 'none';
  }

  /** Passes a message on for a caller that does not wait for the disk. */
  pass(message: RoutedMessage, sender: string): void {
    this.publish(message, sender)?.catch((error: unknown) => this.#notStored(message.topic, error));
  }

  /** Resolves when everything that was published so far is on disk. Rejects with CodedError `store-unavailable`. */
  durable(): Promise<void> {
    const { commits, journal } = this.#options;
    commits.flush();
    return journal.synced();
  }

  #append(message: Omit<FeedMessage, 'seq' | 'levels' | 'kind'>): Promise<void> | null {
    const { topic, qos } = message;
    const interest = this.index.interest(topic);
    if (interest === 'none') return null;
    const appended = this.feed.append({ ...message, levels: topic.split('/'), kind: this.#options.kindOf(topic) });
    this.scheduler.wake();
    return interest === 'kept' && qos > 0 ? this.kept.keep(appended) : null;
  }

  /**
   * Makes a reader that gets messages while it is connected. A persistent one keeps its place if there is room for
   * that.
   */
  newReader(clientId: string, expiryMs: number): Reader {
    const session = expiryMs > 0 ? this.sessions.open(clientId, this.feed.next, expiryMs) : null;
    return session ?? new Reader(clientId, false, this.feed.next, this.#options.isServedElsewhere(clientId));
  }

  /** The client of a reader is connected and has its CONNACK. */
  connect(reader: Reader, connection: ReaderConnection): void {
    reader.connect(connection, this.feed.next);
    this.scheduler.add(reader);
  }

  disconnect(reader: Reader): void {
    this.scheduler.remove(reader);
    reader.disconnect();
    // Other members of its shared subscriptions get what it did not acknowledge.
    if (reader.shares.size > 0) this.scheduler.wake();
    if (!reader.isPersistent) this.#removeFilters(reader);
    else if (reader.expiryMs === 0) this.#endSession(reader.clientId);
    else this.sessions.left(reader);
    if (this.index.isEmpty) this.feed.clear();
  }

  #endSession(clientId: string): void {
    this.forgetSession(clientId);
    this.#options.onForgotten(clientId);
  }

  forgetSession(clientId: string): void {
    const reader = this.sessions.get(clientId);
    if (reader === undefined) return;
    this.#removeFilters(reader);
    this.sessions.forget(clientId);
  }

  subscribe(reader: Reader, subscriptions: readonly Subscription[], rights: AccountRights | null = null): Subscribed {
    const granted = subscriptions.map((subscription) => this.#grant(reader, subscription, rights));
    this.scheduler.wake();
    const isChanged = granted.some(({ isChanged }) => isChanged);
    return {
      codes: granted.map(({ reason }) => reason.code),
      text: granted.find(({ reason }) => reason.text !== '')?.reason.text ?? '',
      stored: reader.isPersistent && isChanged ? this.sessions.save(reader) : null,
    };
  }

  /** Ends the subscriptions of a session from before that the account of its client does not allow (D-66). */
  endForbidden(session: Reader, rights: AccountRights): void {
    const filters = session.filters.entries().map(([filter]) => filter);
    const forbidden = filters.filter((filter) => this.#forbidden(session, filter, rights) !== null);
    const { stored } = this.unsubscribe(session, forbidden);
    stored?.catch((error: unknown) => this.#notStored(session.clientId, error));
  }

  /** Gives whether each filter was there, and a promise like `subscribe`. */
  unsubscribe(
    reader: Reader,
    filters: readonly string[],
  ): { readonly wereThere: readonly boolean[]; readonly stored: Promise<void> | null } {
    const wereThere = filters.map((filter) => this.#remove(reader, filter));
    return { wereThere, stored: reader.isPersistent && wereThere.includes(true) ? this.sessions.save(reader) : null };
  }

  acknowledged(reader: Reader, packetId: number): void {
    reader.inFlight.end(packetId);
    this.scheduler.wake();
  }

  /** The plant has changed. Messages that clients left on topics that carry commands now would be taken for commands (D-06). */
  configure(): void {
    const { kindOf } = this.#options;
    const isPlanted = ({ kind, topic }: { readonly kind: TopicKind; readonly topic: string }) =>
      kind !== 'command' && kindOf(topic) === 'command';
    this.feed.remove(isPlanted);
    this.kept.remove(isPlanted);
    this.retained.remove((topic) => kindOf(topic) === 'command');
  }

  correctClock(): void {
    this.retained.correctClock();
    this.kept.correctClock();
  }

  /** To be called about once a second. */
  sweep(): void {
    this.scheduler.sweep();
    this.retained.sweep();
    this.#reportDropped();
    let needed = Math.min(this.feed.next, this.#groups.neededFrom);
    for (const reader of this.sessions.all()) needed = Math.min(needed, reader.neededFrom);
    this.kept.trim(needed);
    if (this.kept.isOnDisk) this.sessions.savePositions();
  }

  #grant(reader: Reader, { topic, ...options }: Subscription, rights: AccountRights | null): Granted {
    const fault = subscriptionFault(topic);
    if (fault !== null) {
      return { reason: { code: REASON.topicFilterInvalid, text: `a filter that ${fault}` }, isChanged: false };
    }
    const forbidden = this.#forbidden(reader, topic, rights);
    if (forbidden !== null) return { reason: { code: REASON.notAuthorized, text: forbidden }, isChanged: false };
    const former = reader.filters.get(topic);
    const refusal = former === undefined ? this.#refusal(reader, topic) : null;
    if (refusal !== null) {
      const text = `subscription to ${topic} refused: ${refusal}`;
      this.#limitReached(reader.clientId, text);
      return { reason: { code: REASON.quotaExceeded, text }, isChanged: false };
    }
    if (isShared(topic)) this.#groups.join(topic, reader, options, this.feed.next);
    else if (asksRetained(options, former)) reader.askRetained(topic, options);
    const granted = { reason: { code: options.qos, text: '' } } as const;
    if (former !== undefined && isSame(former, options)) return { ...granted, isChanged: false };
    if (former === undefined) this.#count(reader, topic, 1);
    else this.index.remove(sharedFilter(topic), reader.isPersistent && former.qos > 0);
    this.index.add(sharedFilter(topic), reader.isPersistent && options.qos > 0);
    reader.filters.set(topic, options);
    return { ...granted, isChanged: true };
  }

  /** Reports a subscription that the client's account does not allow, and gives the sentence about it; else null. */
  #forbidden({ clientId }: Reader, filter: string, rights: AccountRights | null): string | null {
    const fault = rights?.readFault(sharedFilter(filter)) ?? null;
    if (fault === null) return null;
    const detail = `subscribes to ${filter}: ${fault}`;
    this.#options.incidents.report({ kind: 'forbiddenSubscription', subject: clientId, detail });
    return detail;
  }

  #refusal(reader: Reader, filter: string): string | null {
    const limit = topicLimit(filter);
    if (limit !== null) return `the filter ${limit}`;
    if (reader.filters.size >= LIMITS.subscriptionsPerClient) {
      return `a client may have ${LIMITS.subscriptionsPerClient} subscriptions`;
    }
    const hasRoom = reader.isPersistent
      ? this.sessions.hasRoomFor(reader, filter)
      : this.#liveSubscriptionBytes + filterBytes(filter) <= LIMITS.liveSubscriptionBytes;
    return hasRoom ? null : 'all clients together have too many subscriptions';
  }

  #remove(reader: Reader, filter: string): boolean {
    const options = reader.filters.get(filter);
    if (options === undefined) return false;
    this.index.remove(sharedFilter(filter), reader.isPersistent && options.qos > 0);
    if (isShared(filter)) this.#groups.leave(filter, reader);
    this.#count(reader, filter, -1);
    reader.unsubscribe(filter);
    return true;
  }

  #removeFilters(reader: Reader): void {
    for (const [filter] of reader.filters.entries()) this.#remove(reader, filter);
  }

  #count(reader: Reader, filter: string, by: 1 | -1): void {
    if (reader.isPersistent) this.sessions.count(filter, by);
    else this.#liveSubscriptionBytes += by * filterBytes(filter);
  }

  /** Gives the place of the next message. Messages on command topics are left out, because each machine gets a fresh command. */
  #restoreKept(): number {
    const { journal, restored, kindOf } = this.#options;
    const rows = rowsOf(restored, 'outgoing');
    const messages = restoredMessages(rows, this.#options.lifetimes);
    let next = 1;
    for (const reader of this.sessions.all()) next = Math.max(next, reader.cursor);
    for (const { seq } of messages) next = Math.max(next, seq + 1);
    for (const message of messages) {
      const kind = kindOf(message.topic);
      if (kind === 'other') this.kept.restore({ ...message, kind });
    }
    for (const { key } of rows) if (!this.kept.hasRow(key)) deleteRow(journal, 'outgoing', key);
    return next;
  }

  #noteDropped(message: FeedMessage): void {
    this.#droppedKept++;
    this.#newestDropped = message;
  }

  /** Names the client that is furthest behind among those with waiting messages. */
  #reportDropped(): void {
    const dropped = this.#newestDropped;
    if (dropped === null) return;
    const waiting = [...this.sessions.all()].filter(({ acknowledgedTo, filters }) => {
      return acknowledgedTo <= dropped.seq && (filters.match(dropped.topic, dropped.levels, false)?.qos ?? 0) > 0;
    });
    waiting.sort((one, other) => one.acknowledgedTo - other.acknowledgedTo);
    const detail = `${this.#droppedKept} messages that waited for clients like this one were dropped: too many wait`;
    this.#droppedKept = 0;
    this.#newestDropped = null;
    this.#limitReached(waiting[0]?.clientId ?? 'readers', detail);
  }

  #limitReached(subject: string, detail: string): void {
    this.#options.incidents.report({ kind: 'limitReached', subject, detail });
  }

  #notStored(subject: string, error: unknown): void {
    this.#options.incidents.report({ kind: 'store', subject, detail: errorMessage(error) });
  }
}

interface Granted {
  readonly reason: { readonly code: number; readonly text: string };
  readonly isChanged: boolean;
}

/** Whether a SUBSCRIBE is answered with the retained messages of its filter (MQTT-3.3.1-9 to MQTT-3.3.1-11). */
function asksRetained({ retainHandling }: SubscriptionOptions, former: SubscriptionOptions | undefined): boolean {
  return retainHandling === 0 || (retainHandling === 1 && former === undefined);
}

function isSame(one: SubscriptionOptions, other: SubscriptionOptions): boolean {
  return (
    one.qos === other.qos &&
    one.noLocal === other.noLocal &&
    one.retainAsPublished === other.retainAsPublished &&
    one.identifier === other.identifier
  );
}
