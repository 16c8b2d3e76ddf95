import type { SubscriptionOptions } from '../mqtt/subscribe-packet.ts';
import { filterFault, levelsMatch } from '../mqtt/topic-filter.ts';
import type { KeptMessages } from './kept-messages.ts';
import type { FeedMessage, MessageFeed } from './message-feed.ts';

/** A subscription whose messages a group of clients shares (MQTT 5, 4.8.2): `$share/{group}/{filter}`. */
const SHARED = /^\$share\/([^/+#]+)\/(.+)$/s;
const SHARE = '$share/';
/** Messages that do not match are looked at in slices. */
const LOOKED_AT_PER_VISIT = 64;

export function isShared(filter: string): boolean {
  return filter.startsWith(SHARE);
}

/** The filter behind the group's name; other filters stay as they are. */
export function sharedFilter(filter: string): string {
  return SHARED.exec(filter)?.[2] ?? filter;
}

/** The rule that a filter breaks, or null; a shared one needs a group and a filter behind it. */
export function subscriptionFault(filter: string): string | null {
  if (!isShared(filter)) return filterFault(filter);
  const inner = SHARED.exec(filter)?.[2];
  return inner === undefined ? 'is no $share/{group}/{filter}' : filterFault(inner);
}

/** A reader that shares subscriptions with others. */
interface Member {
  readonly isPersistent: boolean;
  readonly shares: Map<string, SharedGroup>;
}

interface Sources {
  readonly feed: MessageFeed;
  readonly kept: KeptMessages;
}

/** The members of one shared subscription, and how far they have read it together. */
export class SharedGroup {
  readonly members = new Map<Member, SubscriptionOptions>();
  readonly #levels: readonly string[];
  /** The place of the next message to look at. */
  #cursor: number;
  /** Messages that a member left without acknowledging: another one gets them. */
  readonly #again: number[] = [];
  #keptAhead: Iterator<FeedMessage> | null = null;

  constructor(filter: string, cursor: number) {
    this.#levels = sharedFilter(filter).split('/');
    this.#cursor = cursor;
  }

  /** The kept messages from this place on are needed, for members that are away. */
  get neededFrom(): number {
    const isKept = [...this.members].some(([{ isPersistent }, { qos }]) => isPersistent && qos > 0);
    return isKept ? Math.min(this.#cursor, ...this.#again) : Number.POSITIVE_INFINITY;
  }

  /** A member that was restored has read up to this place. */
  startAt(seq: number): void {
    this.#cursor = Math.max(this.#cursor, seq);
  }

  giveBack(seq: number): void {
    this.#again.push(seq);
  }

  hasUnread(feed: MessageFeed): boolean {
    return this.#again.length > 0 || this.#cursor < feed.next;
  }

  /** The next message for a member that has room; null if none was found in this slice. */
  take(sources: Sources): FeedMessage | null {
    const { feed, kept } = sources;
    const again = this.#again.shift();
    if (again !== undefined) return kept.at(again) ?? feed.at(again) ?? null;
    for (let count = 0; count < LOOKED_AT_PER_VISIT; count++) {
      if (this.#cursor >= feed.next) return null;
      const message = this.#cursor < feed.first ? this.#nextKept(sources) : feed.at(this.#cursor++);
      if (message !== undefined && levelsMatch(this.#levels, message.levels)) return message;
    }
    return null;
  }

  /** The feed no longer has the next message: it is among those kept for persistent sessions, or lost. */
  #nextKept({ feed, kept }: Sources): FeedMessage | undefined {
    this.#keptAhead ??= kept.from(this.#cursor);
    const { done, value } = this.#keptAhead.next();
    if (done === true || value.seq >= feed.first) {
      this.#keptAhead = null;
      this.#cursor = feed.first;
      return undefined;
    }
    this.#cursor = value.seq + 1;
    return value;
  }
}

/** All shared subscriptions, by their whole filter. */
export class SharedGroups {
  readonly #groups = new Map<string, SharedGroup>();

  /** `cursor` is the place from which a new group reads. */
  join(filter: string, reader: Member, options: SubscriptionOptions, cursor: number): SharedGroup {
    const group = this.#groups.get(filter) ?? new SharedGroup(filter, cursor);
    this.#groups.set(filter, group);
    group.members.set(reader, options);
    reader.shares.set(filter, group);
    return group;
  }

  leave(filter: string, reader: Member): void {
    const group = this.#groups.get(filter);
    reader.shares.delete(filter);
    group?.members.delete(reader);
    if (group?.members.size === 0) this.#groups.delete(filter);
  }

  get neededFrom(): number {
    let needed = Number.POSITIVE_INFINITY;
    for (const group of this.#groups.values()) needed = Math.min(needed, group.neededFrom);
    return needed;
  }
}
