import type { Incidents } from '../../../flows/ports.ts';
import type { AccountRights } from '../connect/accounts.ts';
import { whenStoredOrTimeout } from '../device/commit-timeout.ts';
import type { AcknowledgementPacket } from '../mqtt/acknowledgement-packet.ts';
import { suback, unsuback } from '../mqtt/answers.ts';
import { PACKET } from '../mqtt/frame.ts';
import { REASON } from '../mqtt/reason-codes.ts';
import type { Subscription } from '../mqtt/subscribe-packet.ts';
import type { Reader, ReaderConnection } from './reader.ts';
import type { Router, Subscribed } from './router.ts';

export interface ReaderLinkOptions {
  readonly clientId: string;
  /** Null for a client that did not log in as an account. */
  readonly rights: AccountRights | null;
  /** The session that the client had before. */
  readonly session: Reader | null;
  /** The session outlives its connection by this time; 0: it ends with it. */
  readonly sessionExpiryMs: number;
  readonly router: Router;
  readonly incidents: Incidents;
  readonly connection: ReaderConnection;
  readonly write: (bytes: Buffer) => void;
}

/** SUBACK's only refusal in MQTT 3.1.1 (MQTT-3.9.3-2). */
const REFUSED = 0x80;

/** The side of a connection that reads: its subscriptions and its acknowledgements. */
export class ReaderLink {
  readonly #options: ReaderLinkOptions;
  #reader: Reader | null;
  #isConnected = false;
  #hasLeft = false;

  constructor(options: ReaderLinkOptions) {
    this.#options = options;
    const { session, rights, router } = options;
    this.#reader = session;
    if (session !== null && rights !== null) router.endForbidden(session, rights);
  }

  get reader(): Reader | null {
    return this.#reader;
  }

  /** Messages that wait for the client's acknowledgement. */
  get inFlight(): number {
    return this.#reader?.inFlight.size ?? 0;
  }

  /** The client has its CONNACK: the messages that its session missed may be sent. */
  open(): void {
    const reader = this.#reader;
    if (reader !== null && (reader.filters.size > 0 || reader.inFlight.packetIds().length > 0)) this.#connect(reader);
  }

  /** Subscribes without an answer. */
  subscribe(subscriptions: readonly Subscription[]): Subscribed {
    const { router, clientId, sessionExpiryMs, rights } = this.#options;
    this.#reader ??= router.newReader(clientId, sessionExpiryMs);
    if (this.#reader.filters.size === 0) this.#reader.skipTo(router.feed.next);
    this.#connect(this.#reader);
    return router.subscribe(this.#reader, subscriptions, rights);
  }

  unsubscribe(filters: readonly string[]): ReturnType<Router['unsubscribe']> {
    return this.#reader === null
      ? { wereThere: filters.map(() => false), stored: null }
      : this.#options.router.unsubscribe(this.#reader, filters);
  }

  /** Answers a SUBSCRIBE once its session is on disk. `codes` are those of MQTT 5. */
  acknowledgeSubscribe(packetId: number, { codes, text, stored }: Subscribed): void {
    const { encoding } = this.#options.connection;
    const told = encoding.isVersion5 ? codes : codes.map((code) => Math.min(code, REFUSED));
    this.#whenStoredOrTimeout(stored, suback(packetId, told, text, encoding));
  }

  acknowledgeUnsubscribe(packetId: number, wereThere: readonly boolean[], stored: Promise<void> | null): void {
    const codes = wereThere.map((wasThere) => (wasThere ? REASON.success : REASON.noSubscriptionExisted));
    this.#whenStoredOrTimeout(stored, unsuback(packetId, codes, this.#options.connection.encoding));
  }

  /** Takes a PUBACK, PUBREC or PUBCOMP. */
  acknowledged(type: number, packet: AcknowledgementPacket): void {
    if (this.#reader === null) return;
    if (type === PACKET.pubrec) this.#reader.received(packet);
    else this.#options.router.acknowledged(this.#reader, packet.packetId);
    this.#options.router.scheduler.wake();
  }

  /** The client leaves. It may have changed the lifetime of its session on its way out. */
  close(sessionExpiryMs: number | null): void {
    this.#hasLeft = true;
    const reader = this.#reader;
    if (reader === null) return;
    if (sessionExpiryMs !== null) reader.expiryMs = sessionExpiryMs;
    if (this.#isConnected || reader.isPersistent) this.#options.router.disconnect(reader);
    this.#isConnected = false;
  }

  #connect(reader: Reader): void {
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.#options.router.connect(reader, this.#options.connection);
  }

  #whenStoredOrTimeout(stored: Promise<void> | null, answer: Buffer): void {
    const { clientId, incidents, write } = this.#options;
    whenStoredOrTimeout(
      stored,
      (detail) => incidents.report({ kind: 'store', subject: clientId, detail: `subscription ${detail}` }),
      () => {
        if (!this.#hasLeft) write(answer);
      },
    );
  }
}
