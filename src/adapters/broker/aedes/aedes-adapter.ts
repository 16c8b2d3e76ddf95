import { Duplex } from 'node:stream';
import type { Incidents } from '../../../flows/ports.ts';
import type { AccountRights } from '../connect/accounts.ts';
import type { ClientConnection, FrameHandler } from '../connect/client-connection.ts';
import { acknowledge } from '../connect/mqtt-connection.ts';
import type { PacketTurns } from '../general/packet-turns.ts';
import { LIMITS } from '../limits.ts';
import { readAcknowledgement } from '../mqtt/acknowledgement-packet.ts';
import { PACKET } from '../mqtt/frame.ts';
import { PacketFault } from '../mqtt/packet-fault.ts';
import { ACKNOWLEDGEMENT_BYTES, ENCODING_3, PacketWriter } from '../mqtt/packet-writer.ts';
import { forbiddenTopic, viewPublish } from '../mqtt/publish-packet.ts';
import type { MqttVersion } from '../mqtt/reason-codes.ts';
import {
  readSubscribe,
  readUnsubscribe,
  type SubscribePacket,
  type UnsubscribePacket,
} from '../mqtt/subscribe-packet.ts';
import { filterFault, topicLimit } from '../mqtt/topic-filter.ts';
import type { Reader, ReaderConnection } from '../readers/reader.ts';
import { ReaderLink } from '../readers/reader-link.ts';
import type { Router } from '../readers/router.ts';

export interface AedesAdapterOptions {
  readonly clientConnection: ClientConnection;
  readonly clientId: string;
  /** The CONNECT that lets the client in. */
  readonly connect: Buffer;
  readonly silenceLimitMs: number;
  /** Null for a client that did not log in as an account. */
  readonly rights: AccountRights | null;
  /** The persistent session of the client. */
  readonly session: Reader | null;
  /** aedes knows nothing of sessions; CONNACK has to name one that was there (MQTT-3.2.2-2). */
  readonly sessionPresent: boolean;
  readonly router: Router;
  readonly turns: PacketTurns;
  readonly incidents: Incidents;
  readonly nowMs: () => number;
  readonly onClosed: (aedesAdapter: AedesAdapter) => void;
}

interface HeldFrame {
  readonly bytes: Buffer;
  readonly bodyAt: number;
}

/**
 * One client other than a machine. aedes handles the client's publications and its connection; its ReaderLink
 * handles its subscriptions, so that aedes never waits for a client that does not read.
 */
export class AedesAdapter extends Duplex implements FrameHandler, ReaderConnection {
  readonly clientConnection: ClientConnection;
  readonly clientId: string;
  readonly silenceLimitMs: number;
  readonly rights: AccountRights | null;
  readonly #options: AedesAdapterOptions;
  readonly #link: ReaderLink;
  /** The packet that waits for its turn, or for aedes to be ready; those behind it wait in the connection. */
  #held: HeldFrame | null = null;
  /** Publications of this client that wait for the disk. */
  #unstored = 0;
  #isReady = false;
  #connackSeen = false;
  /** The time at which the client stopped taking its answers. */
  stalledSinceMs: number | null = null;

  constructor(options: AedesAdapterOptions) {
    super({ allowHalfOpen: false });
    const { clientConnection, clientId, router, incidents, session, rights } = options;
    this.#options = options;
    this.clientConnection = clientConnection;
    this.clientId = clientId;
    this.silenceLimitMs = options.silenceLimitMs;
    this.rights = rights;
    const write = (bytes: Buffer) => clientConnection.write(bytes);
    this.#link = new ReaderLink({
      clientId,
      rights,
      session,
      sessionExpiryMs: session === null ? 0 : Number.POSITIVE_INFINITY,
      router,
      incidents,
      connection: this,
      write,
    });
    this.push(withoutKeepalive(options.connect));
  }

  readonly isMachine = false;
  readonly encoding = ENCODING_3;
  readonly window = LIMITS.inFlightPerReader;

  get isBusy(): boolean {
    return this.#held !== null;
  }

  get subscriptions(): readonly (readonly [string, number])[] {
    return this.#link.reader?.filters.entries().map(([filter, { qos }]) => [filter, qos]) ?? [];
  }

  get backlogBytes(): number {
    return this.clientConnection.socket.writableLength;
  }

  frame(frame: Buffer, bodyAt: number): void {
    if (this.#mayGoOn && this.#options.turns.take()) {
      this.#handle(frame, bodyAt);
      return;
    }
    this.#held = { bytes: Buffer.from(frame), bodyAt };
    this.clientConnection.socket.pause();
    if (this.#mayGoOn) this.#options.turns.wait(this);
  }

  /** The publication waits for the disk. */
  waitFor(stored: Promise<void>): void {
    this.#unstored++;
    const settled = () => {
      this.#unstored--;
      if (this.#held !== null && !this.destroyed) this.#options.turns.wait(this);
    };
    stored.then(settled, settled);
  }

  /**
   * Whether aedes may get the next packet. aedes itself sets no bound: it reads on while earlier publications wait for
   * the disk, and handles all gathered packets at once.
   */
  get #mayGoOn(): boolean {
    return (
      this.#isReady && this.#unstored < LIMITS.unstoredPublications && this.readableLength < LIMITS.gatheredPacketBytes
    );
  }

  /** aedes knows the client now. */
  ready(): void {
    this.#isReady = true;
    this.#link.open();
    this.goOn();
  }

  goOn(): void {
    const { turns } = this.#options;
    const next = this.#held;
    if (this.destroyed || (next !== null && !this.#mayGoOn)) return;
    if (next !== null && !turns.take()) {
      turns.wait(this);
      return;
    }
    this.#held = null;
    if (next !== null) this.clientConnection.attempt(() => this.#handle(next.bytes, next.bodyAt));
    if (this.clientConnection.goOn()) this._read();
  }

  clientGone(): void {
    this.destroy();
  }

  /** Another client came in under this id (MQTT-3.1.4-2). */
  replaced(): void {
    this.destroy();
  }

  cutOff(): void {
    this.clientConnection.destroy();
  }

  deliver(bytes: Buffer, onTaken: () => void): void {
    this.clientConnection.write(bytes, onTaken);
  }

  /**
   * aedes reads the gathered packets here. Then the packet that waits may follow. Node does not call `_read` for each
   * such read, so `_read` alone would miss some.
   */
  override read(size?: number): unknown {
    const taken: unknown = super.read(size);
    if (taken !== null && this.#held !== null) this.#options.turns.wait(this);
    return taken;
  }

  override _read(): void {
    if (this.#isReady && this.#held === null) this.clientConnection.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#forward(chunk, done);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#forward(Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk))), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#options.turns.drop(this);
    this.#link.close(null);
    this.clientConnection.end();
    this.#options.onClosed(this);
    done(error);
  }

  #handle(frame: Buffer, bodyAt: number): void {
    const fault = this.#take((frame[0] ?? 0) >> 4, frame, bodyAt);
    if (fault === null) return;
    this.#options.incidents.report({ kind: fault.kind, detail: fault.detail, subject: this.clientId });
    this.clientConnection.destroy();
  }

  /** Gives the rule of MQTT that the packet breaks. Only rules that aedes does not check are checked here. */
  #take(type: number, frame: Buffer, bodyAt: number): PacketFault | null {
    const { version } = this.clientConnection;
    switch (type) {
      case PACKET.publish:
        return this.#publish(frame, bodyAt, version);
      case PACKET.subscribe:
        return this.#read(readSubscribe(frame, bodyAt, version), (packet) => this.#subscribe(packet));
      case PACKET.unsubscribe:
        return this.#read(readUnsubscribe(frame, bodyAt, version), (packet) => this.#unsubscribe(packet));
      case PACKET.puback:
      case PACKET.pubrec:
      case PACKET.pubcomp:
        return this.#read(readAcknowledgement(frame, bodyAt, 'puback', version), (packet) => {
          this.#link.acknowledged(type, packet);
          return null;
        });
      case PACKET.pubrel:
        return this.#read(readAcknowledgement(frame, bodyAt, 'pubrel', version), () => this.#toAedes(frame));
      default:
        return this.#toAedes(frame);
    }
  }

  #read<Packet extends object>(
    packet: Packet | PacketFault,
    take: (packet: Packet) => PacketFault | null,
  ): PacketFault | null {
    return packet instanceof PacketFault ? packet : take(packet);
  }

  #toAedes(frame: Buffer): null {
    if (!this.push(Buffer.from(frame))) this.clientConnection.socket.pause();
    return null;
  }

  /** A message beyond a limit is acknowledged, dropped and reported; aedes would end the connection. */
  #publish(frame: Buffer, bodyAt: number, version: MqttVersion): PacketFault | null {
    const view = viewPublish(frame, bodyAt, version);
    if (view instanceof PacketFault) return view;
    const topic = frame.subarray(view.topicAt, view.topicEnd);
    const fault = forbiddenTopic(topic);
    if (fault !== null) return fault;
    const limit = topicLimit(topic.toString('utf8'));
    if (limit === null) return this.#toAedes(frame);
    const detail = `message dropped: its topic ${limit}`;
    this.#options.incidents.report({ kind: 'limitReached', subject: this.clientId, detail });
    const writer = acknowledge(new PacketWriter(ACKNOWLEDGEMENT_BYTES), view);
    if (writer.length > 0) this.clientConnection.write(writer.take());
    return null;
  }

  #subscribe({ packetId, subscriptions }: SubscribePacket): PacketFault | null {
    const fault = subscriptions.map(({ topic }) => filterFault(topic)).find((found) => found !== null);
    if (fault !== undefined) return new PacketFault(`a filter that ${fault}`);
    this.#link.acknowledgeSubscribe(packetId, this.#link.subscribe(subscriptions));
    return null;
  }

  #unsubscribe({ packetId, filters }: UnsubscribePacket): null {
    const { wereThere, stored } = this.#link.unsubscribe(filters);
    this.#link.acknowledgeUnsubscribe(packetId, wereThere, stored);
    return null;
  }

  #forward(bytes: Buffer, done: (error?: Error | null) => void): void {
    const { socket } = this.clientConnection;
    if (socket.destroyed) {
      done();
      return;
    }
    if (socket.write(this.#connackSeen ? bytes : this.#mended(bytes))) {
      done();
      return;
    }
    this.stalledSinceMs = this.#options.nowMs();
    socket.once('drain', () => {
      this.stalledSinceMs = null;
      done();
    });
  }

  /** The CONNACK is the first packet that aedes writes. */
  #mended(bytes: Buffer): Buffer {
    this.#connackSeen = true;
    const isAccepted = bytes[3] === 0;
    if (!isAccepted || !this.#options.sessionPresent) return bytes;
    const mended = Buffer.from(bytes);
    mended[2] = 1;
    return mended;
  }
}

/** The gateway watches the keepalive itself, because aedes does not see every packet. */
function withoutKeepalive(connect: Buffer): Buffer {
  const copy = Buffer.from(connect);
  const bodyAt = copy.findIndex((byte, index) => index > 0 && byte < 0x80) + 1;
  const keepaliveAt = bodyAt + 2 + copy.readUInt16BE(bodyAt) + 2;
  copy.writeUInt16BE(0, keepaliveAt);
  return copy;
}
