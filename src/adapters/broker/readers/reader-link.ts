import type { Incidents } from '../../../flows/ports.ts';
import { whenStoredOrTimeout } from '../device/commit-timeout.ts';
import { PACKET } from '../mqtt/frame.ts';
import type { SubscribePacket } from '../mqtt/packet-reader.ts';
import type { Reader, ReaderConnection } from './reader.ts';
import type { Router } from './router.ts';

export interface ReaderLinkOptions {
  readonly clientId: string;
  /** The session that the client had before. */
  readonly session: Reader | null;
  readonly isPersistent: boolean;
  readonly router: Router;
  readonly incidents: Incidents;
  readonly connection: ReaderConnection;
  readonly write: (bytes: Buffer) => void;
}

type Filters = SubscribePacket['subscriptions'];

/** The side of a connection that reads: its subscriptions and its acknowledgements. */
export class ReaderLink {
  readonly #options: ReaderLinkOptions;
  #reader: Reader | null;
  #isConnected = false;
  #hasLeft = false;

  constructor(options: ReaderLinkOptions) {
    this.#options = options;
    this.#reader = options.session;
  }

  get reader(): Reader | null {
    return this.#reader;
  }

  /** The client has its CONNACK: the messages that its session missed may be sent. */
  open(): void {
    const reader = this.#reader;
    if (reader !== null && (reader.filters.size > 0 || reader.inFlight.packetIds().length > 0)) this.#connect(reader);
  }

  /** Subscribes without an answer. Gives the codes of SUBACK and the promise of the router. */
  subscribe(filters: Filters): ReturnType<Router['subscribe']> {
    const { router, clientId, isPersistent } = this.#options;
    this.#reader ??= router.newReader(clientId, isPersistent);
    if (this.#reader.filters.size === 0) this.#reader.skipTo(router.feed.next);
    this.#connect(this.#reader);
    return router.subscribe(this.#reader, filters);
  }

  unsubscribe(filters: readonly string[]): Promise<void> | null {
    return this.#reader === null ? null : this.#options.router.unsubscribe(this.#reader, filters);
  }

  /** Answers a SUBSCRIBE once its session is on disk. */
  acknowledgeSubscribe(messageId: number, granted: readonly number[], stored: Promise<void> | null): void {
    this.#whenStoredOrTimeout(stored, [
      PACKET.suback << 4,
      2 + granted.length,
      messageId >> 8,
      messageId & 0xff,
      ...granted,
    ]);
  }

  acknowledgeUnsubscribe(messageId: number, stored: Promise<void> | null): void {
    this.#whenStoredOrTimeout(stored, [PACKET.unsuback << 4, 2, messageId >> 8, messageId & 0xff]);
  }

  /** Takes a PUBACK, PUBREC or PUBCOMP. */
  acknowledged(type: number, packetId: number): void {
    if (this.#reader === null) return;
    if (type === PACKET.pubrec) this.#reader.received(packetId);
    else this.#options.router.acknowledged(this.#reader, packetId);
  }

  close(): void {
    this.#hasLeft = true;
    if (this.#reader === null) return;
    if (this.#isConnected || this.#reader.isPersistent) this.#options.router.disconnect(this.#reader);
    this.#isConnected = false;
  }

  #connect(reader: Reader): void {
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.#options.router.connect(reader, this.#options.connection);
  }

  #whenStoredOrTimeout(stored: Promise<void> | null, answer: readonly number[]): void {
    const { clientId, incidents, write } = this.#options;
    whenStoredOrTimeout(
      stored,
      (detail) => incidents.report({ kind: 'store', subject: clientId, detail: `subscription ${detail}` }),
      () => {
        if (!this.#hasLeft) write(Buffer.from(answer));
      },
    );
  }
}
