import { errorMessage } from '../../../domain/error-text.ts';
import type { Incidents } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';
import {
  type AcknowledgementName,
  type AcknowledgementPacket,
  type DisconnectPacket,
  readAcknowledgement,
  readDisconnect,
} from '../mqtt/acknowledgement-packet.ts';
import type { ConnectPacket } from '../mqtt/connect-packet.ts';
import { PACKET } from '../mqtt/frame.ts';
import type { HeldBytes } from '../mqtt/held-bytes.ts';
import { PacketFault } from '../mqtt/packet-fault.ts';
import { type Encoding, PacketWriter } from '../mqtt/packet-writer.ts';
import { type PublishView, viewPublish } from '../mqtt/publish-packet.ts';
import { type MqttVersion, NO_REASON, REASON, type Reason } from '../mqtt/reason-codes.ts';
import {
  readSubscribe,
  readUnsubscribe,
  type SubscribePacket,
  type UnsubscribePacket,
} from '../mqtt/subscribe-packet.ts';
import { TopicAliases } from '../mqtt/topic-aliases.ts';
import { filterFault } from '../mqtt/topic-filter.ts';
import { type IncomingMessages, TOO_MANY_BEGUN } from '../persistence/incoming-messages.ts';
import type { Reader, ReaderConnection } from '../readers/reader.ts';
import { ReaderLink } from '../readers/reader-link.ts';
import type { Router } from '../readers/router.ts';
import type { AccountRights } from './accounts.ts';
import type { ClientConnection, FrameHandler } from './client-connection.ts';

const PINGRESP = Buffer.from([PACKET.pingresp << 4, 0]);
const ANSWER_BYTES = 512;
/** A client is cut off after one and a half keepalives of silence (MQTT-3.1.2-24). */
export const KEEPALIVE_GRACE = 1.5;

export interface MqttConnectionOptions {
  readonly clientConnection: ClientConnection;
  readonly clientId: string;
  readonly connect: ConnectPacket;
  /** Null for a client that did not log in as an account. */
  readonly rights: AccountRights | null;
  /** The persistent session of the client. */
  readonly reading: Reader | null;
  readonly router: Router;
  readonly incidents: Incidents;
  readonly incoming: IncomingMessages;
  /** The bytes of the topic aliases of all clients. */
  readonly aliasBytes: HeldBytes;
}

/**
 * One client's side of MQTT in any version: it reads packets, answers them, and knows what the client did not
 * acknowledge. What publications and subscriptions mean is left to the two kinds of clients.
 */
export abstract class MqttConnection implements FrameHandler, ReaderConnection {
  readonly clientConnection: ClientConnection;
  readonly clientId: string;
  readonly version: MqttVersion;
  readonly silenceLimitMs: number;
  readonly encoding: Encoding;
  readonly rights: AccountRights | null;
  protected readonly receiveMaximum: number;
  protected readonly link: ReaderLink;
  readonly #options: MqttConnectionOptions;
  readonly #acknowledgements: Acknowledgements;
  readonly #aliases: TopicAliases;
  /** Packet ids of messages of MQTT 5 that are not acknowledged yet. */
  readonly #unanswered = new Set<number>();
  #goodbye: DisconnectPacket | null = null;
  #hasLeft = false;

  constructor(options: MqttConnectionOptions) {
    this.#options = options;
    const { clientConnection, clientId, connect, rights, router, incidents } = options;
    this.clientConnection = clientConnection;
    this.clientId = clientId;
    this.rights = rights;
    this.version = connect.version;
    this.silenceLimitMs = connect.keepaliveS * 1_000 * KEEPALIVE_GRACE;
    this.receiveMaximum = connect.bounds.receiveMaximum;
    const { maximumPacketBytes, wantsReasons } = connect.bounds;
    this.encoding = { isVersion5: connect.version === 5, maximumPacketBytes, wantsReasons };
    const write = (bytes: Buffer) => this.write(bytes);
    this.#acknowledgements = new Acknowledgements(this.encoding, write);
    this.#aliases = new TopicAliases(options.aliasBytes);
    const session = options.reading;
    const { sessionExpiryMs } = connect;
    this.link = new ReaderLink({
      clientId,
      rights,
      session,
      sessionExpiryMs,
      router,
      incidents,
      connection: this,
      write,
    });
  }

  abstract get isBusy(): boolean;
  abstract get subscriptions(): readonly (readonly [string, number])[];
  abstract get window(): number;
  /** Takes a publication whose topic is named, but not checked. */
  protected abstract publish(view: PublishView, frame: Buffer): void;
  protected abstract subscribe(packet: SubscribePacket): void;
  protected abstract unsubscribe(packet: UnsubscribePacket): void;
  /** The connection has ended. `goodbye` is null if the client vanished or was cut off. */
  protected abstract left(goodbye: DisconnectPacket | null): void;

  get backlogBytes(): number {
    return this.clientConnection.socket.writableLength;
  }

  /** The client has its CONNACK; messages of its subscriptions may come now. */
  open(): void {
    this.link.open();
  }

  deliver(bytes: Buffer, onTaken: () => void): void {
    this.clientConnection.write(bytes, onTaken);
  }

  cutOff(reason: Reason): void {
    this.clientConnection.cutOff(reason);
  }

  write(packets: Buffer): void {
    this.clientConnection.write(packets);
  }

  clientGone(): void {
    this.#leave();
  }

  /** Another client came in under this id (MQTT-3.1.4-2). */
  replaced(address: string): void {
    this.#leave();
    this.cutOff({ code: REASON.sessionTakenOver, text: `another client came in with this client id, from ${address}` });
  }

  frame(frame: Buffer, bodyAt: number): void {
    const type = (frame[0] ?? 0) >> 4;
    switch (type) {
      case PACKET.publish:
        this.#publish(frame, bodyAt);
        return;
      case PACKET.puback:
      case PACKET.pubrec:
      case PACKET.pubcomp:
      case PACKET.pubrel:
        this.#acknowledgement(type, frame, bodyAt);
        return;
      case PACKET.pingreq:
        this.write(PINGRESP);
        return;
      case PACKET.subscribe:
        this.#read(readSubscribe(frame, bodyAt, this.version), (packet) => this.#subscribe(packet));
        return;
      case PACKET.unsubscribe:
        this.#read(readUnsubscribe(frame, bodyAt, this.version), (packet) => this.unsubscribe(packet));
        return;
      case PACKET.disconnect:
        this.#read(readDisconnect(frame, bodyAt, this.version), (packet) => this.#disconnect(packet));
        return;
      default:
        this.violates(new PacketFault(`a packet of type ${type}`, REASON.protocolError));
    }
  }

  /** MQTT 3 has no code for a filter that it forbids. */
  #subscribe(packet: SubscribePacket): void {
    const fault = this.version === 5 ? null : packet.subscriptions.map(({ topic }) => filterFault(topic)).find(Boolean);
    if (fault) this.violates(new PacketFault(`a filter that ${fault}`));
    else this.subscribe(packet);
  }

  protected violates({ kind, detail, code }: PacketFault): void {
    this.#options.incidents.report({ kind, detail, subject: this.clientId });
    this.cutOff({ code, text: detail });
  }

  /** A writer with the acknowledgement of a message, for more packets of the same answer. */
  protected acknowledging(view: PublishView, reason: Reason): PacketWriter {
    this.#answered(view, reason);
    return acknowledge(new PacketWriter(ANSWER_BYTES, this.encoding), view, reason);
  }

  protected acknowledge(view: PublishView, reason: Reason): void {
    if (view.qos > 0) this.write(this.acknowledging(view, reason).take());
  }

  /**
   * Without its PUBACK the client sends the message again: nothing is lost when it could not be stored (VAR-04). A
   * client of MQTT 5 is told that it could not.
   */
  protected acknowledgeOnceStored(view: PublishView, stored: Promise<void>, reason: Reason): void {
    stored.then(
      () => this.#acknowledgeLater(view, reason),
      (error: unknown) => {
        // If the client sends the message again, it has to be taken again.
        if (view.qos === 2) this.#options.incoming.complete(this.clientId, view.packetId);
        this.notStored(error);
        if (this.encoding.isVersion5) {
          this.#acknowledgeLater(view, { code: REASON.implementationSpecific, text: errorMessage(error) });
        }
      },
    );
  }

  protected notStored(error: unknown): void {
    this.#options.incidents.report({ kind: 'store', subject: this.clientId, detail: errorMessage(error) });
  }

  /**
   * Whether a message of QoS 2 is new. A message that was sent before and is not released yet is only answered
   * (MQTT-4.3.3-2). If the answer to the first one waits for the disk, this one does too.
   */
  protected begins(view: PublishView, isAnsweredAtOnce: boolean): boolean {
    const { incoming, router } = this.#options;
    if (incoming.hasBegun(this.clientId, view.packetId, view.duplicate)) {
      if (isAnsweredAtOnce) this.acknowledge(view, NO_REASON);
      else this.acknowledgeOnceStored(view, router.durable(), NO_REASON);
      return false;
    }
    if (incoming.begin(this.clientId, { cmd: 'publish', messageId: view.packetId })) return true;
    this.violates(new PacketFault(TOO_MANY_BEGUN, REASON.quotaExceeded, 'limitReached'));
    return false;
  }

  #publish(frame: Buffer, bodyAt: number): void {
    const view = viewPublish(frame, bodyAt, this.version);
    const named = view instanceof PacketFault || this.version < 5 ? view : this.#aliases.resolve(view);
    if (named instanceof PacketFault) this.violates(named);
    else if (this.#mayPublish(named)) this.publish(named, frame);
  }

  /** A client of MQTT 5 keeps to the receive maximum of its CONNACK (MQTT-3.3.4-7). */
  #mayPublish({ qos, packetId }: PublishView): boolean {
    if (qos === 0 || this.version < 5) return true;
    this.#unanswered.add(packetId);
    if (this.#unanswered.size <= LIMITS.unstoredPublications) return true;
    const detail = `more than ${LIMITS.unstoredPublications} messages without acknowledgement: the receive maximum`;
    this.violates(new PacketFault(detail, REASON.receiveMaximumExceeded));
    return false;
  }

  /** A message of QoS 2 that is refused frees its packet id (MQTT-4.3.3-9). */
  #answered({ qos, packetId }: PublishView, { code }: Reason): void {
    const isRefused = code >= REASON.unspecifiedError;
    if (qos === 1 || isRefused) this.#unanswered.delete(packetId);
    if (qos === 2 && isRefused) this.#options.incoming.complete(this.clientId, packetId);
  }

  #acknowledgeLater(view: PublishView, reason: Reason): void {
    this.#answered(view, reason);
    this.#acknowledgements.add(view, reason);
  }

  #acknowledgement(type: number, frame: Buffer, bodyAt: number): void {
    const name = ACKNOWLEDGEMENTS[type];
    if (name === undefined) return;
    this.#read(readAcknowledgement(frame, bodyAt, name, this.version), (packet) => {
      if (type === PACKET.pubrel) this.#released(packet);
      else this.acknowledged(type, packet);
    });
  }

  protected acknowledged(type: number, packet: AcknowledgementPacket): void {
    this.link.acknowledged(type, packet);
  }

  #released({ packetId }: AcknowledgementPacket): void {
    const isKnown = this.#options.incoming.complete(this.clientId, packetId);
    this.#unanswered.delete(packetId);
    const writer = new PacketWriter(ANSWER_BYTES, this.encoding);
    writer.acknowledgement(PACKET.pubcomp, packetId, isKnown ? NO_REASON : UNKNOWN_PACKET);
    this.write(writer.take());
  }

  #disconnect(packet: DisconnectPacket): void {
    const { sessionExpiryMs } = this.#options.connect;
    if (sessionExpiryMs === 0 && (packet.sessionExpiryMs ?? 0) > 0) {
      this.violates(new PacketFault('a DISCONNECT that gives a session to a client without one', REASON.protocolError));
      return;
    }
    this.#goodbye = packet;
    this.clientConnection.finish();
  }

  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#aliases.clear();
    this.link.close(this.#goodbye?.sessionExpiryMs ?? null);
    this.left(this.#goodbye);
  }

  #read<Packet extends object>(packet: Packet | PacketFault, take: (packet: Packet) => void): void {
    if (packet instanceof PacketFault) this.violates(packet);
    else take(packet);
  }
}

const UNKNOWN_PACKET: Reason = { code: REASON.packetIdNotFound, text: '' };

const ACKNOWLEDGEMENTS: Readonly<Record<number, AcknowledgementName>> = {
  [PACKET.puback]: 'puback',
  [PACKET.pubrec]: 'pubrec',
  [PACKET.pubrel]: 'pubrel',
  [PACKET.pubcomp]: 'pubcomp',
};

/** Room for the acknowledgements of one commit; the writer grows if there are more. */
const FIRST_BYTES = 64;

type Acknowledged = Pick<PublishView, 'qos' | 'packetId'>;

/** Gathers acknowledgements: one commit stores many messages of a client, and their acknowledgements are one write. */
export class Acknowledgements {
  readonly #encoding: Encoding;
  readonly #write: (packets: Buffer) => void;
  #writer: PacketWriter | null = null;

  constructor(encoding: Encoding, write: (packets: Buffer) => void) {
    this.#encoding = encoding;
    this.#write = write;
  }

  /** Acknowledges a message in the present turn of the event loop. */
  add(view: Acknowledged, reason?: Reason): void {
    if (view.qos === 0) return;
    if (this.#writer === null) {
      this.#writer = new PacketWriter(FIRST_BYTES, this.#encoding);
      queueMicrotask(() => this.#flush());
    }
    acknowledge(this.#writer, view, reason);
  }

  #flush(): void {
    const packets = this.#writer?.take();
    this.#writer = null;
    if (packets !== undefined) this.#write(packets);
  }
}

/** Writes the acknowledgement of a message; QoS 0 has none. */
export function acknowledge(writer: PacketWriter, { qos, packetId }: Acknowledged, reason?: Reason): PacketWriter {
  if (qos > 0) writer.acknowledgement(qos === 1 ? PACKET.puback : PACKET.pubrec, packetId, reason);
  return writer;
}
