import QlobberSub from 'qlobber/aedes/qlobber-sub.js';
import type { BrokerRow, Clock } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';
import { deleteRow, type Journal, putRow } from './journal.ts';

export interface StoredSubscription {
  readonly qos: 0 | 1 | 2;
  readonly rh?: number | undefined;
  readonly rap?: boolean | undefined;
  readonly nl?: boolean | undefined;
  readonly subscriptionIdentifier?: number;
}

/** One persistent session's row: its subscriptions, and since when, by the wall clock, its client is away (null: it is here). */
interface SessionRow {
  readonly subscriptions: readonly (readonly [string, StoredSubscription])[];
  readonly awaySince: number | null;
}

export interface OfflineSubscription extends StoredSubscription {
  readonly clientId: string;
  readonly topic: string;
}

/** The subscriptions of persistent sessions, found by client and by topic; they outlive a restart (MQTT-10). */
export class SubscriptionTable {
  readonly #journal: Journal;
  readonly #byClient = new Map<string, Map<string, StoredSubscription>>();
  readonly #clock: Clock;
  /** On the monotonic clock: that the wall clock is set ends no session (D-04). */
  readonly #awaySinceMs = new Map<string, number>();
  readonly #trie = new QlobberSub({ wildcard_one: '+', wildcard_some: '#', separator: '/' });
  #generation = 0;

  constructor(journal: Journal, rows: readonly BrokerRow[], clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
    const { monotonicMs, wallMs } = clock.now();
    for (const row of rows) {
      const session = JSON.parse(Buffer.from(row.value).toString('utf8')) as SessionRow;
      this.#byClient.set(row.key, new Map());
      const awayMs = Math.min(wallMs - (session.awaySince ?? wallMs), LIMITS.sessionExpiryMs - LIMITS.sessionGraceMs);
      this.#awaySinceMs.set(row.key, monotonicMs - Math.max(0, awayMs));
      for (const [topic, subscription] of session.subscriptions) this.#add(row.key, topic, subscription);
    }
  }

  /** Changes whenever a look-up by topic may give something else. */
  get generation(): number {
    return this.#generation;
  }

  get sessions(): number {
    return this.#byClient.size;
  }

  /** Sessions that wait for something. */
  get subscribers(): number {
    return [...this.#byClient.values()].filter((stored) => stored.size > 0).length;
  }

  get subscriptions(): number {
    return this.#trie.subscriptionsCount;
  }

  has(clientId: string): boolean {
    return this.#byClient.has(clientId);
  }

  add(clientId: string, subscriptions: readonly (StoredSubscription & { readonly topic: string })[]): void {
    if (!this.#byClient.has(clientId)) this.#byClient.set(clientId, new Map());
    const changes = subscriptions.map(({ topic, ...subscription }) => this.#add(clientId, topic, subscription));
    if (changes.includes(true)) this.#save(clientId);
  }

  /** Whether a client may have a filter: one it has, or one more within its bound. */
  hasRoomFor(clientId: string, topic: string): boolean {
    const stored = this.#byClient.get(clientId);
    return stored === undefined || stored.has(topic) || stored.size < LIMITS.subscriptionsPerClient;
  }

  remove(clientId: string, topics: readonly string[]): void {
    const stored = this.#byClient.get(clientId);
    if (stored === undefined) return;
    for (const topic of topics) this.#remove(clientId, stored, topic);
    this.#save(clientId);
  }

  ofClient(clientId: string): readonly (StoredSubscription & { readonly topic: string })[] {
    const stored = this.#byClient.get(clientId);
    return stored === undefined ? [] : [...stored].map(([topic, subscription]) => ({ topic, ...subscription }));
  }

  ofTopic(topic: string): readonly OfflineSubscription[] {
    return this.#trie.match(topic);
  }

  *clientsOf(topic: string): Generator<string> {
    for (const [clientId, stored] of this.#byClient) if (stored.has(topic)) yield clientId;
  }

  /** Opens a persistent session; gives whether it was there already (the CONNACK's Session Present). */
  open(clientId: string): boolean {
    const present = this.#byClient.has(clientId);
    if (!present) this.#byClient.set(clientId, new Map());
    if (this.#awaySinceMs.delete(clientId) || !present) this.#save(clientId);
    return present;
  }

  left(clientId: string): void {
    if (!this.#byClient.has(clientId)) return;
    this.#awaySinceMs.set(clientId, this.#clock.now().monotonicMs);
    this.#save(clientId);
  }

  forget(clientId: string): void {
    const stored = this.#byClient.get(clientId);
    if (stored === undefined) return;
    for (const topic of [...stored.keys()]) this.#remove(clientId, stored, topic);
    this.#byClient.delete(clientId);
    this.#awaySinceMs.delete(clientId);
    deleteRow(this.#journal, 'session', clientId);
  }

  /** Sessions that nobody came back to for `LIMITS.sessionExpiryMs`. */
  expired(): readonly string[] {
    const { monotonicMs } = this.#clock.now();
    return [...this.#awaySinceMs]
      .filter(([, sinceMs]) => monotonicMs - sinceMs > LIMITS.sessionExpiryMs)
      .map(([clientId]) => clientId);
  }

  /** Whether that changed anything: aedes gives the same subscriptions many times over. */
  #add(clientId: string, topic: string, subscription: StoredSubscription): boolean {
    const stored = this.#byClient.get(clientId);
    if (stored === undefined || !this.hasRoomFor(clientId, topic)) return false;
    const previous = stored.get(topic);
    if (previous?.qos === subscription.qos) return false;
    const { qos, rh, rap, nl } = subscription;
    if (qos > 0) this.#trie.add(topic, { clientId, topic, qos, rh, rap, nl });
    else if (previous !== undefined && previous.qos > 0) this.#trie.remove(topic, { clientId, topic });
    stored.set(topic, subscription);
    this.#generation++;
    return true;
  }

  #remove(clientId: string, stored: Map<string, StoredSubscription>, topic: string): void {
    const previous = stored.get(topic);
    if (previous === undefined) return;
    if (previous.qos > 0) this.#trie.remove(topic, { clientId, topic });
    stored.delete(topic);
    this.#generation++;
  }

  #save(clientId: string): void {
    const { monotonicMs, wallMs } = this.#clock.now();
    const awaySinceMs = this.#awaySinceMs.get(clientId);
    const row: SessionRow = {
      subscriptions: [...(this.#byClient.get(clientId) ?? [])],
      awaySince: awaySinceMs === undefined ? null : Math.round(wallMs - (monotonicMs - awaySinceMs)),
    };
    putRow(this.#journal, 'session', clientId, Buffer.from(JSON.stringify(row)));
  }
}
