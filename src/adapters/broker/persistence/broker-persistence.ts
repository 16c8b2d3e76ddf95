import { Readable } from 'node:stream';
import type { Aedes, Client } from 'aedes';
import type { BrokerRow, Clock } from '../../../flows/ports.ts';
import { IncomingMessages } from './incoming-messages.ts';
import { decodePacket, deleteRow, encodePacket, type Journal, KEY_SEPARATOR, putRow, rowsOf } from './journal.ts';
import { MessageQueues } from './message-queues.ts';
import { RetainedMessages } from './retained-messages.ts';
import { queuedPacket, type StoredPacket } from './stored-packet.ts';
import { type OfflineSubscription, type StoredSubscription, SubscriptionTable } from './subscription-table.ts';

/** No client id starts with it: it is a separator. */
const GUARD_PREFIX = `${KEY_SEPARATOR}guard`;

type ClientRef = Pick<Client, 'id'>;
type Will = StoredPacket & { readonly brokerId: string; readonly clientId: string };
interface Acknowledgement {
  readonly messageId?: number | undefined;
}

export interface PersistenceOptions {
  readonly journal: Journal;
  readonly restored: readonly BrokerRow[];
  readonly clock: Clock;
  /** Names this run of the process, so that rows of an earlier one are told apart. */
  readonly runId: string;
  /** Topics of which only the newest message may wait for a client that is away (D-06). */
  readonly isConflated: (topic: string) => boolean;
  readonly onLimit: (subject: string, detail: string) => void;
}

/**
 * aedes' persistence: everything is answered from memory and written behind to SQLite. What a publisher may rely on is
 * synced by `durable` before its PUBACK (libraries.md, aedes).
 */
export class BrokerPersistence {
  readonly subscriptions: SubscriptionTable;
  readonly retained: RetainedMessages;
  readonly queues: MessageQueues;
  readonly #journal: Journal;
  readonly #incoming: IncomingMessages;
  readonly #wills = new Map<string, Will>();
  readonly #guarded = new WeakMap<object, string>();
  readonly #interrupted = new Map<string, StoredPacket>();
  readonly #runId: string;
  readonly #onLimit: PersistenceOptions['onLimit'];
  #guardCount = 0;
  #broker: Pick<Aedes, 'id'> | null = null;

  constructor({ journal, restored, clock, isConflated, onLimit, runId }: PersistenceOptions) {
    this.#journal = journal;
    this.#runId = runId;
    this.#onLimit = onLimit;
    this.subscriptions = new SubscriptionTable(journal, rowsOf(restored, 'session'), clock);
    this.retained = new RetainedMessages(journal, rowsOf(restored, 'retained'), (topic) =>
      onLimit(topic, 'retained message refused: too many'),
    );
    this.queues = new MessageQueues(journal, rowsOf(restored, 'outgoing'), isConflated, (clientId) =>
      onLimit(clientId, 'queue full: oldest messages dropped'),
    );
    for (const row of rowsOf(restored, 'will')) this.#wills.set(row.key, decodePacket(row.value) as Will);
    const incoming = rowsOf(restored, 'incoming');
    const isGuard = ({ key }: BrokerRow) => key.startsWith(GUARD_PREFIX);
    for (const row of incoming.filter(isGuard)) this.#interrupted.set(row.key, decodePacket(row.value));
    this.#incoming = new IncomingMessages(
      journal,
      incoming.filter((row) => !isGuard(row)),
    );
  }

  get broker(): Pick<Aedes, 'id'> | null {
    return this.#broker;
  }

  async setup(broker: Pick<Aedes, 'id'>): Promise<void> {
    this.#broker = broker;
  }

  /** Whether a client sent this message of QoS 2 before and has not released it (MQTT-4.3.3-2). */
  hasBegun(clientId: string, messageId: number | undefined): boolean {
    return messageId !== undefined && this.#incoming.find(clientId, messageId) !== undefined;
  }

  /** Resolves once everything noted so far is synced to disk. */
  async durable(): Promise<void> {
    await this.#journal.write([]);
  }

  /**
   * Keeps a publication safe from before its PUBACK until its subscribers' queues hold it; one that a crash left behind
   * is published again (at least once, as QoS 1 has it).
   */
  async guard(packet: StoredPacket & object): Promise<void> {
    const key = `${GUARD_PREFIX}${this.#runId}${KEY_SEPARATOR}${this.#guardCount++}`;
    this.#guarded.set(packet, key);
    await this.#journal.write([
      { kind: 'brokerPut', row: { table: 'incoming', key, value: encodePacket(queuedPacket(packet)) } },
    ]);
  }

  release(packet: object): void {
    const key = this.#guarded.get(packet);
    if (key === undefined) return;
    this.#guarded.delete(packet);
    deleteRow(this.#journal, 'incoming', key);
  }

  /** Publications that were acknowledged but not yet queued when the process died. */
  takeInterrupted(): readonly StoredPacket[] {
    const interrupted = [...this.#interrupted.values()];
    for (const key of this.#interrupted.keys()) deleteRow(this.#journal, 'incoming', key);
    this.#interrupted.clear();
    return interrupted;
  }

  /** Queues a message for every persistent session that subscribed to it. Wildcards at the front take no `$` topics. */
  queue(packet: StoredPacket & { readonly topic: string }): void {
    const isInternal = packet.topic.startsWith('$');
    for (const { clientId, topic } of this.subscriptions.ofTopic(packet.topic))
      if (!isInternal || !/^[+#]/.test(topic)) this.queues.enqueue(clientId, packet);
  }

  async storeRetained(packet: StoredPacket): Promise<void> {
    this.retained.store(packet);
  }

  createRetainedStream(filter: string): Readable {
    return this.createRetainedStreamCombi([filter]);
  }

  createRetainedStreamCombi(filters: readonly string[]): Readable {
    return Readable.from(this.retained.matching(filters));
  }

  async addSubscriptions(
    client: ClientRef,
    subscriptions: readonly (StoredSubscription & { readonly topic: string })[],
  ): Promise<void> {
    this.subscriptions.add(client.id, subscriptions);
  }

  async removeSubscriptions(client: ClientRef, topics: readonly string[]): Promise<void> {
    this.subscriptions.remove(client.id, topics);
  }

  async subscriptionsByClient(client: ClientRef) {
    return this.subscriptions.ofClient(client.id);
  }

  async subscriptionsByTopic(topic: string): Promise<readonly OfflineSubscription[]> {
    return this.subscriptions.ofTopic(topic);
  }

  async countOffline(): Promise<{ subsCount: number; clientsCount: number }> {
    return { subsCount: this.subscriptions.subscriptions, clientsCount: this.subscriptions.subscribers };
  }

  /** Ends a session as a clean CONNECT does: subscriptions and everything under way (MQTT-3.1.2-6). */
  async cleanSubscriptions(client: ClientRef): Promise<void> {
    this.subscriptions.forget(client.id);
    this.queues.forget(client.id);
  }

  /** The same, and with it what the client had begun to send. */
  forgetSession(clientId: string): void {
    this.subscriptions.forget(clientId);
    this.queues.forget(clientId);
    this.#incoming.forget(clientId);
  }

  getClientList(topic: string): Readable {
    return Readable.from(this.subscriptions.clientsOf(topic));
  }

  async outgoingEnqueue(subscription: { readonly clientId: string }, packet: StoredPacket): Promise<void> {
    this.queues.enqueue(subscription.clientId, packet);
  }

  async outgoingEnqueueCombi(
    subscriptions: readonly { readonly clientId: string }[],
    packet: StoredPacket,
  ): Promise<void> {
    for (const subscription of subscriptions) this.queues.enqueue(subscription.clientId, packet);
  }

  async outgoingUpdate(client: ClientRef, packet: StoredPacket): Promise<void> {
    this.queues.update(client.id, packet);
  }

  async outgoingClearMessageId(client: ClientRef, packet: Acknowledgement): Promise<StoredPacket | undefined> {
    return packet.messageId === undefined ? undefined : this.queues.clear(client.id, packet.messageId);
  }

  outgoingStream(client: ClientRef): Readable {
    return Readable.from(this.queues.waiting(client.id));
  }

  async incomingStorePacket(client: ClientRef, packet: StoredPacket): Promise<void> {
    if (this.#incoming.begin(client.id, { ...packet, messageId: packet.messageId ?? 0 })) return;
    this.#onLimit(client.id, 'too much of QoS 2 was begun and not completed');
    throw new Error('too much of QoS 2 was begun and not completed');
  }

  async incomingGetPacket(client: ClientRef, packet: Acknowledgement): Promise<StoredPacket> {
    const stored = this.#incoming.find(client.id, packet.messageId ?? 0);
    if (stored === undefined) throw new Error(`no incoming packet ${packet.messageId} of ${client.id}`);
    return stored;
  }

  async incomingDelPacket(client: ClientRef, packet: Acknowledgement): Promise<void> {
    if (!this.#incoming.complete(client.id, packet.messageId ?? 0)) {
      throw new Error(`no incoming packet ${packet.messageId} of ${client.id}`);
    }
  }

  async cleanIncoming(client: ClientRef): Promise<void> {
    this.#incoming.forget(client.id);
  }

  async putWill(client: ClientRef, packet: StoredPacket): Promise<void> {
    const will = Object.assign(packet, { brokerId: this.#broker?.id ?? '', clientId: client.id });
    this.#wills.set(client.id, will);
    putRow(this.#journal, 'will', client.id, encodePacket(will));
  }

  async getWill(client: ClientRef): Promise<Will | undefined> {
    return this.#wills.get(client.id);
  }

  async delWill(client: ClientRef): Promise<Will | undefined> {
    return this.dropWill(client.id);
  }

  dropWill(clientId: string): Will | undefined {
    const will = this.#wills.get(clientId);
    if (this.#wills.delete(clientId)) deleteRow(this.#journal, 'will', clientId);
    return will;
  }

  streamWill(brokers: Readonly<Record<string, unknown>> = {}): Readable {
    return Readable.from([...this.#wills.values()].filter((will) => brokers[will.brokerId] === undefined));
  }

  async destroy(): Promise<void> {
    this.#broker = null;
  }
}
