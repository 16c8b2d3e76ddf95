import { Readable } from 'node:stream';
import type { Aedes, Client } from 'aedes';
import type { BrokerRow } from '../../../flows/store-ports.ts';
import { OWN_WILL_PREFIX } from '../wills.ts';
import { IncomingMessages, TOO_MANY_BEGUN } from './incoming-messages.ts';
import { decodePacket, deleteRow, encodePacket, type Journal, putRow, rowsOf } from './journal.ts';
import type { StoredPacket } from './stored-packet.ts';

type ClientRef = Pick<Client, 'id'>;
type Sender = Pick<Client, 'id' | 'clean' | 'closed'>;
type Will = StoredPacket & { readonly brokerId: string; readonly clientId: string };
type Acknowledgement = Pick<StoredPacket, 'messageId'>;

export interface PersistenceOptions {
  readonly journal: Journal;
  readonly restored: readonly BrokerRow[];
  readonly onLimit: (subject: string, detail: string) => void;
}

/**
 * The used part of aedes' persistence: wills, and incomplete messages of QoS 2. aedes has no subscriptions;
 * ReaderSessions keeps them. All answers come from memory, and rows are written later.
 */
export class BrokerPersistence {
  readonly incoming: IncomingMessages;
  readonly #journal: Journal;
  readonly #wills = new Map<string, Will>();
  readonly #onLimit: PersistenceOptions['onLimit'];
  #broker: Pick<Aedes, 'id'> | null = null;

  constructor({ journal, restored, onLimit }: PersistenceOptions) {
    this.#journal = journal;
    this.#onLimit = onLimit;
    for (const row of rowsOf(restored, 'will').filter(({ key }) => !key.startsWith(OWN_WILL_PREFIX)))
      this.#wills.set(row.key, decodePacket(row.value) as Will);
    this.incoming = new IncomingMessages(journal, rowsOf(restored, 'incoming'));
  }

  get broker(): Pick<Aedes, 'id'> | null {
    return this.#broker;
  }

  async setup(broker: Pick<Aedes, 'id'>): Promise<void> {
    this.#broker = broker;
  }

  /** Whether a client sent this message of QoS 2 before and has not released it (MQTT-4.3.3-2). */
  hasBegun(clientId: string, { messageId = 0, dup = false }: StoredPacket): boolean {
    return this.incoming.hasBegun(clientId, messageId, dup);
  }

  async subscriptionsByClient(): Promise<readonly []> {
    return [];
  }

  async cleanSubscriptions(): Promise<void> {
    // aedes has no subscriptions.
  }

  outgoingStream(): Readable {
    return Readable.from([]);
  }

  /** The clean session of a client that has left is over: nobody would ever release its message. */
  async incomingStorePacket(client: Sender, packet: StoredPacket): Promise<void> {
    if (client.clean && client.closed) return;
    if (this.incoming.begin(client.id, { ...packet, messageId: packet.messageId ?? 0 })) return;
    this.#onLimit(client.id, TOO_MANY_BEGUN);
    throw new Error(TOO_MANY_BEGUN);
  }

  /** aedes asks for a message that arrives, and for one that is released. */
  async incomingGetPacket(client: ClientRef, packet: StoredPacket): Promise<StoredPacket> {
    const stored = this.incoming.find(client.id, packet.messageId ?? 0);
    const isNew = packet.cmd === 'publish' && !this.hasBegun(client.id, packet);
    if (stored === undefined || isNew) throw new Error(`no incoming packet ${packet.messageId} of ${client.id}`);
    return stored;
  }

  async incomingDelPacket(client: ClientRef, packet: Acknowledgement): Promise<void> {
    if (!this.incoming.complete(client.id, packet.messageId ?? 0)) {
      throw new Error(`no incoming packet ${packet.messageId} of ${client.id}`);
    }
  }

  async cleanIncoming(client: ClientRef): Promise<void> {
    this.incoming.forget(client.id);
  }

  async putWill(client: ClientRef, packet: StoredPacket): Promise<void> {
    const will = Object.assign(packet, { brokerId: this.#broker?.id ?? '', clientId: client.id });
    this.#wills.set(client.id, will);
    putRow(this.#journal, 'will', client.id, encodePacket(will));
  }

  async delWill(client: ClientRef): Promise<Will | undefined> {
    return this.dropWill(client.id);
  }

  dropWill(clientId: string): Will | undefined {
    const will = this.#wills.get(clientId);
    if (this.#wills.delete(clientId)) deleteRow(this.#journal, 'will', clientId);
    return will;
  }

  /**
   * The wills that aedes publishes every few minutes: those of earlier processes. aedes does not hear its own heartbeat,
   * so it would take the clients of the present process for lost too.
   */
  streamWill(): Readable {
    return Readable.from([...this.#wills.values()].filter(({ brokerId }) => brokerId !== this.#broker?.id));
  }

  async destroy(): Promise<void> {
    this.#broker = null;
  }
}
