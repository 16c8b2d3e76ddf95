import { errorMessage } from '../../../domain/error-text.ts';
import type { DeviceInbox } from '../../../flows/device/device-ports.ts';
import type { Incidents } from '../../../flows/ports.ts';
import type { ClientConnection, FrameHandler } from '../connect/client-connection.ts';
import { LIMITS } from '../limits.ts';
import { PacketWriter } from '../mqtt/command-encoder.ts';
import {
  bytesStartWith,
  forbiddenTopic,
  PACKET,
  type PacketFault,
  type PublishView,
  packetFault,
  SUBACK_REFUSED,
  viewPublish,
} from '../mqtt/frame.ts';
import { parseSubscribe, parseUnsubscribe } from '../mqtt/packet-parser.ts';
import { topicLimit } from '../mqtt/topic-filter.ts';
import { type IncomingMessages, TOO_MANY_BEGUN } from '../persistence/incoming-messages.ts';
import { FIRST_READER_PACKET_ID } from '../readers/in-flight.ts';
import type { Reader, ReaderConnection } from '../readers/reader.ts';
import { ReaderLink } from '../readers/reader-link.ts';
import type { Router } from '../readers/router.ts';
import { isFixedSuffix, meaningOf, reachOf } from '../topics.ts';
import { Acknowledgements, acknowledge, type CommandPublisher, type CommandSink } from './command-publisher.ts';
import { bothStored, whenStoredOrTimeout } from './commit-timeout.ts';
import { isAnsweredAtOnce, reportForbidden, reportUnmatched, takeDeviceMessage } from './device-input.ts';
import type { DeviceSession } from './device-session.ts';

const PINGRESP = Buffer.from([PACKET.pingresp << 4, 0]);
const ANSWER_BYTES = 512;
/** The topics of all single fields and of many variables fit in. The others are checked each time. */
const MAX_VALID_SUFFIXES = 64;
/** A longer one is checked each time. */
const MAX_VALID_SUFFIX_LENGTH = 64;

export interface DeviceConnectionOptions {
  readonly clientConnection: ClientConnection;
  readonly commandPublisher: CommandPublisher;
  readonly session: DeviceSession;
  readonly silenceLimitMs: number;
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly router: Router;
  readonly incoming: IncomingMessages;
  /** The persistent session for the device's subscriptions besides its commands. */
  readonly reading: Reader | null;
  /** Writes the session; gives a promise that resolves when it is on disk, or null if it is there already. */
  readonly commitSession: (connection: DeviceConnection) => Promise<void> | null;
  /** `saidGoodbye`: the client sent DISCONNECT, so its will is void. */
  readonly left: (connection: DeviceConnection, saidGoodbye: boolean) => void;
}

/**
 * A machine's own connection. Status and answer take one read and one write. The machine's subscriptions besides its own
 * commands are served as for any reader, when there is time and room for it.
 */
export class DeviceConnection implements FrameHandler, CommandSink, ReaderConnection {
  readonly isBusy = false;
  readonly clientConnection: ClientConnection;
  readonly commandPublisher: CommandPublisher;
  readonly session: DeviceSession;
  readonly silenceLimitMs: number;
  readonly #options: DeviceConnectionOptions;
  readonly #prefix: Buffer;
  readonly #link: ReaderLink;
  readonly #acknowledgements = new Acknowledgements((packets) => this.write(packets));
  /** It sent DISCONNECT. */
  #isLeaving = false;
  /** `left` was called: it is called once. */
  #hasLeft = false;
  /** Topics that were checked once: a machine sends the same ones again and again. */
  readonly #validSuffixes = new Set<string>();

  constructor(options: DeviceConnectionOptions) {
    this.#options = options;
    this.clientConnection = options.clientConnection;
    this.commandPublisher = options.commandPublisher;
    this.session = options.session;
    this.silenceLimitMs = options.silenceLimitMs;
    this.#prefix = Buffer.from(`${options.commandPublisher.route.topicRoot}/`);
    const { reading, router, incidents } = options;
    const write = (bytes: Buffer) => this.write(bytes);
    this.#link = new ReaderLink({
      clientId: this.clientId,
      session: reading,
      isPersistent: !options.session.clean,
      router,
      incidents,
      connection: this,
      write,
    });
  }

  get clientId(): string {
    return this.commandPublisher.route.machineId;
  }

  get takesCommands(): boolean {
    return !this.clientConnection.isFinished && !this.clientConnection.socket.destroyed;
  }

  get subscriptions(): readonly (readonly [string, number])[] {
    return this.session.filters;
  }

  get backlogBytes(): number {
    return this.clientConnection.socket.writableLength;
  }

  /** The device has its CONNACK and its commands; messages of its other subscriptions may come now. */
  open(): void {
    this.#link.open();
  }

  deliver(bytes: Buffer, onTaken: () => void): void {
    this.clientConnection.write(bytes, onTaken);
  }

  cutOff(): void {
    this.clientConnection.destroy();
  }

  /** A machine that does not read is cut off: when it comes back, it gets only the newest commands (D-06). */
  write(packets: Buffer): void {
    const { writableLength } = this.clientConnection.socket;
    if (writableLength <= LIMITS.slowMachineBytes) {
      this.clientConnection.write(packets);
      return;
    }
    const detail = `${writableLength} bytes behind`;
    this.#options.incidents.report({ kind: 'slowReader', subject: this.clientId, detail });
    this.clientConnection.destroy();
  }

  frame(frame: Buffer, bodyAt: number): void {
    switch ((frame[0] ?? 0) >> 4) {
      case PACKET.publish:
        this.#publish(frame, bodyAt);
        return;
      case PACKET.puback:
      case PACKET.pubrec:
      case PACKET.pubcomp:
        this.#acknowledged(frame, bodyAt);
        return;
      case PACKET.pubrel:
        this.#released(frame, bodyAt);
        return;
      case PACKET.pingreq:
        this.write(PINGRESP);
        return;
      case PACKET.subscribe:
        this.#subscribe(frame, bodyAt);
        return;
      case PACKET.unsubscribe:
        this.#unsubscribe(frame, bodyAt);
        return;
      case PACKET.disconnect:
        this.#isLeaving = true;
        this.clientConnection.finish();
        return;
      default:
        this.#violates(`a packet of type ${(frame[0] ?? 0) >> 4}`);
    }
  }

  clientGone(): void {
    this.#leave();
  }

  /** Another client came in under this id (MQTT-3.1.4-2). */
  replaced(): void {
    this.#leave();
    this.clientConnection.destroy();
  }

  #leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#link.close();
    this.#options.left(this, this.#isLeaving);
  }

  #publish(frame: Buffer, bodyAt: number): void {
    const view = viewPublish(frame, bodyAt);
    if (view === null) {
      this.#violates('a malformed PUBLISH');
      return;
    }
    const prefix = this.#prefix;
    const suffixAt = view.topicAt + prefix.length;
    const own = suffixAt < view.topicEnd && bytesStartWith(frame, view.topicAt, prefix);
    const suffix = own ? frame.toString('utf8', suffixAt, view.topicEnd) : '';
    if (view.qos === 2 && !this.#begins(view, suffix)) return;
    if (isFixedSuffix(suffix) || this.#validSuffixes.has(suffix)) {
      this.#take(view, suffix, frame);
      return;
    }
    const topic = frame.toString('utf8', view.topicAt, view.topicEnd);
    const fault = forbiddenTopic(frame.subarray(view.topicAt, view.topicEnd));
    if (fault !== null) this.#violates(fault);
    else if (topicLimit(topic) !== null) this.#drop(view, `its topic ${topicLimit(topic)}`);
    else if (own) this.#takeValid(view, suffix, frame);
    else this.#refuse(view, topic, frame);
  }

  #takeValid(view: PublishView, suffix: string, frame: Buffer): void {
    const hasRoom = this.#validSuffixes.size < MAX_VALID_SUFFIXES && suffix.length <= MAX_VALID_SUFFIX_LENGTH;
    if (hasRoom) this.#validSuffixes.add(suffix);
    this.#take(view, suffix, frame);
  }

  #take(view: PublishView, suffix: string, frame: Buffer): void {
    const { inbox } = this.#options;
    const { clientId } = this;
    const { qos, packetId, duplicate } = view;
    const text = frame.toString('utf8', view.payloadAt);
    const meaning = meaningOf(suffix);
    const outcome = takeDeviceMessage(inbox, this.commandPublisher, {
      meaning,
      text,
      clientId,
      qos,
      packetId,
      duplicate,
      retain: view.retain,
      transport: 'mqtt',
      address: this.clientConnection.address,
      raw: frame,
      rawAt: view.payloadAt,
      topic: meaning.kind === 'other' ? `${this.commandPublisher.route.topicRoot}/${suffix}` : '',
    });
    if (outcome.kind === 'notForDevices' && meaning.kind === 'command') {
      this.#refuse(view, `${this.commandPublisher.route.topicRoot}/${suffix}`, frame);
      return;
    }
    const retained = this.#passOn(view, suffix, frame);
    if (outcome.kind === 'answer') this.commandPublisher.send(outcome.decision, 'all', this.#acknowledging(view));
    else if (outcome.kind === 'storing') this.#acknowledgeOnceStored(view, bothStored(outcome.stored, retained));
    else if (outcome.kind === 'announced') this.#acknowledgePresence(view, bothStored(outcome.stored, retained));
    else if (retained === null || view.qos === 0) this.commandPublisher.flush(this.#acknowledging(view));
    else this.#acknowledgeOnceStored(view, retained);
    const isAwaited =
      outcome.kind === 'storing' || outcome.kind === 'announced' || (outcome.kind !== 'answer' && view.qos !== 0);
    if (!isAwaited) retained?.catch((error: unknown) => this.#notStored(error));
  }

  /**
   * Passes a message on to readers, ahead of the answer, so that they get both in their order. Gives a promise that
   * resolves when the records that must outlive the process are on disk.
   */
  #passOn(view: PublishView, suffix: string, frame: Buffer): Promise<void> | null {
    const { topicRoot } = this.commandPublisher.route;
    if (!view.retain && !this.commandPublisher.interest.wants(topicRoot, suffix)) return null;
    const topic = `${topicRoot}/${suffix}`;
    const payload = frame.subarray(view.payloadAt);
    return this.#options.router.publish({ topic, payload, qos: view.qos, retain: view.retain }, this.clientId);
  }

  /**
   * Whether a message of QoS 2 is new. A message that was sent before and is not released yet is only answered
   * (MQTT-4.3.3-2). If the answer to the first one waits for the disk, this one does too.
   */
  #begins(view: PublishView, suffix: string): boolean {
    const { incoming, incidents, router } = this.#options;
    if (incoming.hasBegun(this.clientId, view.packetId, view.duplicate)) {
      if (isAnsweredAtOnce(meaningOf(suffix), view.retain)) this.commandPublisher.flush(this.#acknowledging(view));
      else this.#acknowledgeOnceStored(view, router.durable());
      return false;
    }
    if (incoming.begin(this.clientId, { cmd: 'publish', messageId: view.packetId })) return true;
    incidents.report({ kind: 'limitReached', subject: this.clientId, detail: TOO_MANY_BEGUN });
    this.clientConnection.destroy();
    return false;
  }

  #acknowledged(frame: Buffer, bodyAt: number): void {
    if (frame.length < bodyAt + 2) {
      this.#violates('an acknowledgement without packet id');
      return;
    }
    const packetId = frame.readUInt16BE(bodyAt);
    if (packetId < FIRST_READER_PACKET_ID) this.session.acknowledged(packetId);
    else this.#link.acknowledged((frame[0] ?? 0) >> 4, packetId);
  }

  #released(frame: Buffer, bodyAt: number): void {
    if (frame.length < bodyAt + 2) {
      this.#violates('a PUBREL without packet id');
      return;
    }
    const packetId = frame.readUInt16BE(bodyAt);
    this.#options.incoming.complete(this.clientId, packetId);
    const writer = new PacketWriter(ANSWER_BYTES);
    writer.acknowledgement(PACKET.pubcomp, packetId);
    this.write(writer.take());
  }

  #acknowledging(view: PublishView): PacketWriter {
    return acknowledge(new PacketWriter(ANSWER_BYTES), view);
  }

  /** Without its PUBACK the device sends the message again: nothing is lost when it could not be stored (VAR-04). */
  #acknowledgeOnceStored(view: PublishView, stored: Promise<void>): void {
    stored.then(
      () => this.#acknowledgements.add(view),
      (error: unknown) => {
        // If the device sends the message again, it has to be taken again.
        if (view.qos === 2) this.#options.incoming.complete(this.clientId, view.packetId);
        this.#notStored(error);
      },
    );
  }

  /** A machine that announces itself must be able to send its statuses even while the disk fails. */
  #acknowledgePresence(view: PublishView, stored: Promise<void> | null): void {
    if (stored === null) {
      this.commandPublisher.flush(this.#acknowledging(view));
      return;
    }
    whenStoredOrTimeout(
      stored,
      (detail) => this.#notStored(detail),
      () => this.write(this.#acknowledging(view).take()),
    );
  }

  #notStored(error: unknown): void {
    this.#options.incidents.report({ kind: 'store', subject: this.clientId, detail: errorMessage(error) });
  }

  #drop(view: PublishView, reason: string): void {
    const detail = `message dropped: ${reason}`;
    this.#options.incidents.report({ kind: 'limitReached', subject: this.clientId, detail });
    this.commandPublisher.flush(this.#acknowledging(view));
  }

  #refuse(view: PublishView, topic: string, frame: Buffer): void {
    const { inbox, incidents } = this.#options;
    reportForbidden(incidents, this.clientId, topic);
    inbox.unmatched(this.clientId, topic, frame.toString('utf8', view.payloadAt), {
      transport: 'mqtt',
      duplicate: view.duplicate,
      address: this.clientConnection.address,
      raw: frame,
      rawAt: view.payloadAt,
      qos: view.qos,
    });
    this.commandPublisher.flush(this.#acknowledging(view));
  }

  #subscribe(frame: Buffer, bodyAt: number): void {
    const fault = packetFault(frame, bodyAt);
    const packet = fault === null ? parseSubscribe(frame, bodyAt) : null;
    if (packet?.messageId === undefined) {
      this.#cutOff(fault ?? { kind: 'protocolViolation', detail: 'a malformed SUBSCRIBE' });
      return;
    }
    const { topicRoot } = this.commandPublisher.route;
    const reaches = packet.subscriptions.map((filter) => ({ ...filter, ...reachOf(filter.topic, topicRoot) }));
    const { clientId, clientConnection } = this;
    reportUnmatched(this.#options.incidents, { clientId, address: clientConnection.address, topicRoot }, reaches);
    const more = reaches.filter(({ isMore }) => isMore);
    const read = more.length === 0 ? null : this.#link.subscribe(more);
    const refused = new Set(more.filter((_, index) => (read?.granted[index] ?? 0) > 2));
    for (const reach of reaches) {
      if (!refused.has(reach)) this.session.subscribe(reach.topic, reach.commands, reach.qos);
    }
    const granted = reaches.map((reach) => (refused.has(reach) ? SUBACK_REFUSED : reach.qos));
    this.#link.acknowledgeSubscribe(packet.messageId, granted, this.#committed(read?.stored ?? null));
  }

  #unsubscribe(frame: Buffer, bodyAt: number): void {
    const fault = packetFault(frame, bodyAt);
    const packet = fault === null ? parseUnsubscribe(frame) : null;
    if (packet?.messageId === undefined) {
      this.#cutOff(fault ?? { kind: 'protocolViolation', detail: 'a malformed UNSUBSCRIBE' });
      return;
    }
    for (const filter of packet.unsubscriptions) this.session.unsubscribe(filter);
    const stored = this.#link.unsubscribe(packet.unsubscriptions);
    this.#link.acknowledgeUnsubscribe(packet.messageId, this.#committed(stored));
  }

  /** Resolves when the session is on disk, and its subscriptions besides commands too. */
  #committed(read: Promise<void> | null): Promise<void> | null {
    return bothStored(read, this.#options.commitSession(this));
  }

  #violates(detail: string): void {
    this.#cutOff({ kind: 'protocolViolation', detail });
  }

  #cutOff(fault: PacketFault): void {
    this.#options.incidents.report({ ...fault, subject: this.clientId });
    this.clientConnection.destroy();
  }
}
