import type { DeviceInbox, Incidents } from '../../flows/ports.ts';
import { PacketWriter } from './command-encoder.ts';
import { reportForbidden, takeDeviceMessage } from './device-input.ts';
import type { CommandSink, DeviceOutlet } from './device-outlet.ts';
import type { DeviceSession } from './device-session.ts';
import { PACKET } from './frame.ts';
import type { FrameHandler, Inlet } from './inlet.ts';
import { LIMITS } from './limits.ts';
import { type PacketFault, type PublishView, packetFault, topicIsValid, viewPublish } from './packet-checks.ts';
import { parseSubscribe, parseUnsubscribe } from './packet-parser.ts';
import type { RoutedMessage, Router } from './router.ts';
import { topicFault } from './topic-filter.ts';
import { commandTopicsOf, isFixedSuffix, meaningOf } from './topics.ts';

const PINGRESP = Buffer.from([PACKET.pingresp << 4, 0]);
const ANSWER_BYTES = 512;

export interface DeviceConnectionOptions {
  readonly inlet: Inlet;
  readonly outlet: DeviceOutlet;
  readonly session: DeviceSession;
  readonly keepaliveMs: number;
  readonly inbox: DeviceInbox;
  readonly incidents: Incidents;
  readonly router: Router;
  readonly retain: (message: RoutedMessage) => void;
  /** The client wants more than a device does: aedes takes it over, from this packet on. */
  readonly handOver: (connection: DeviceConnection, frame: Buffer, bodyAt: number) => void;
  readonly sessionChanged: (connection: DeviceConnection) => void;
  /** `clean`: the client said DISCONNECT, so its will is void. */
  readonly left: (connection: DeviceConnection, clean: boolean) => void;
}

/**
 * A machine's own connection, for what devices do: publish below their TopicRoot, subscribe to their command topics.
 * Status and answer take one read and one write; whatever else a client asks for is aedes' business.
 */
export class DeviceConnection implements FrameHandler, CommandSink {
  readonly inlet: Inlet;
  readonly outlet: DeviceOutlet;
  readonly session: DeviceSession;
  readonly keepaliveMs: number;
  readonly #options: DeviceConnectionOptions;
  readonly #prefix: Buffer;
  /** It said DISCONNECT. */
  #isLeaving = false;
  #said = false;

  constructor(options: DeviceConnectionOptions) {
    this.#options = options;
    this.inlet = options.inlet;
    this.outlet = options.outlet;
    this.session = options.session;
    this.keepaliveMs = options.keepaliveMs;
    this.#prefix = Buffer.from(`${options.outlet.route.topicRoot}/`);
  }

  get clientId(): string {
    return this.outlet.route.machineId;
  }

  get takesCommands(): boolean {
    return !this.inlet.isFinished && !this.inlet.socket.destroyed;
  }

  /** One that does not read is better cut off: when it comes back it gets the newest commands alone (D-06). */
  write(packets: Buffer): void {
    const { writableLength } = this.inlet.socket;
    if (writableLength <= LIMITS.slowReaderBytes) {
      this.inlet.write(packets);
      return;
    }
    const detail = `${writableLength} bytes behind`;
    this.#options.incidents.report({ kind: 'slowReader', subject: this.clientId, detail });
    this.inlet.destroy();
  }

  frame(frame: Buffer, bodyAt: number): void {
    switch ((frame[0] ?? 0) >> 4) {
      case PACKET.publish:
        this.#publish(frame, bodyAt);
        return;
      case PACKET.puback:
        if (frame.length < bodyAt + 2) this.#violates('a PUBACK without packet id');
        else this.session.acknowledged(frame.readUInt16BE(bodyAt));
        return;
      case PACKET.pingreq:
        this.write(PINGRESP);
        return;
      case PACKET.subscribe:
        this.#subscribe(frame, bodyAt);
        return;
      case PACKET.unsubscribe:
        this.#unsubscribe(frame);
        return;
      case PACKET.disconnect:
        this.#isLeaving = true;
        this.inlet.finish();
        return;
      case PACKET.pubrel:
      case PACKET.pubrec:
      case PACKET.pubcomp:
        this.#options.handOver(this, frame, bodyAt);
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
    this.inlet.destroy();
  }

  #leave(): void {
    if (this.#said) return;
    this.#said = true;
    this.#options.left(this, this.#isLeaving);
  }

  #publish(frame: Buffer, bodyAt: number): void {
    const view = viewPublish(frame, bodyAt);
    if (view === null) {
      this.#violates('a malformed PUBLISH');
      return;
    }
    if (view.qos === 2) {
      this.#options.handOver(this, frame, bodyAt);
      return;
    }
    const prefix = this.#prefix;
    const suffixAt = view.topicAt + prefix.length;
    const own = suffixAt < view.topicEnd && prefix.compare(frame, view.topicAt, suffixAt) === 0;
    const suffix = own ? frame.toString('utf8', suffixAt, view.topicEnd) : '';
    if (isFixedSuffix(suffix)) {
      this.#take(view, suffix, frame);
      return;
    }
    const topic = frame.toString('utf8', view.topicAt, view.topicEnd);
    const fault = topicIsValid(frame.subarray(view.topicAt, view.topicEnd))
      ? topicFault(topic)
      : 'is forbidden by MQTT';
    if (fault !== null) this.#violates(`a topic that ${fault}`);
    else if (own) this.#take(view, suffix, frame);
    else this.#refuse(view, topic);
  }

  #take(view: PublishView, suffix: string, frame: Buffer): void {
    const { inbox } = this.#options;
    const { clientId } = this;
    const { qos, packetId, duplicate } = view;
    const text = frame.toString('utf8', view.payloadAt);
    const meaning = meaningOf(suffix);
    const outcome = takeDeviceMessage(inbox, this.outlet, { meaning, text, clientId, qos, packetId, duplicate });
    if (outcome.kind === 'notForDevices' && meaning.kind === 'command') {
      this.#refuse(view, `${this.outlet.route.topicRoot}/${suffix}`);
      return;
    }
    this.#passOn(view, suffix, frame);
    if (outcome.kind === 'answer') this.outlet.send(outcome.decision, 'all', this.#acknowledging(view));
    else if (outcome.kind === 'storing') this.#acknowledgeOnceStored(view, outcome.stored);
    else this.outlet.flush(this.#acknowledging(view));
  }

  /** To whoever else subscribed, ahead of the answer: who listens to everything hears them in their order. */
  #passOn(view: PublishView, suffix: string, frame: Buffer): void {
    const { topicRoot } = this.outlet.route;
    const wanted = this.outlet.interest.wants(topicRoot, suffix);
    if (!wanted && !view.retain) return;
    const payload = Buffer.from(frame.subarray(view.payloadAt));
    const message: RoutedMessage = { topic: `${topicRoot}/${suffix}`, payload, qos: view.qos, retain: view.retain };
    if (wanted) this.#options.router.publish(message);
    else this.#options.retain(message);
  }

  #acknowledging(view: PublishView): PacketWriter {
    const writer = new PacketWriter(ANSWER_BYTES);
    if (view.qos > 0) writer.puback(view.packetId);
    return writer;
  }

  /**
   * Without its PUBACK the device sends the variables again: nothing is lost when they could not be stored (VAR-04). The
   * connection may be with aedes by then, but its socket is the same.
   */
  #acknowledgeOnceStored(view: PublishView, stored: Promise<void>): void {
    stored.then(
      () => view.qos > 0 && this.write(this.#acknowledging(view).take()),
      (error: unknown) =>
        this.#options.incidents.report({ kind: 'store', subject: this.clientId, detail: String(error) }),
    );
  }

  #refuse(view: PublishView, topic: string): void {
    reportForbidden(this.#options.incidents, this.clientId, topic);
    this.outlet.flush(this.#acknowledging(view));
  }

  #subscribe(frame: Buffer, bodyAt: number): void {
    const fault = packetFault(frame, bodyAt);
    const packet = parseSubscribe(frame, bodyAt);
    if (fault !== null || packet?.messageId === undefined) {
      this.#cutOff(fault ?? { kind: 'protocolViolation', detail: 'a malformed SUBSCRIBE' });
      return;
    }
    const { topicRoot } = this.outlet.route;
    const wanted = packet.subscriptions.map(({ topic, qos }) => {
      return { topic, qos, topics: commandTopicsOf(topic, topicRoot) };
    });
    if (wanted.some(({ topics }) => topics === null)) {
      this.#options.handOver(this, frame, bodyAt);
      return;
    }
    for (const { topic, topics, qos } of wanted) this.session.subscribe(topic, topics ?? [], qos);
    const granted = wanted.map(({ qos }) => qos);
    this.write(
      Buffer.from([PACKET.suback << 4, 2 + granted.length, packet.messageId >> 8, packet.messageId & 0xff, ...granted]),
    );
    this.#options.sessionChanged(this);
  }

  #unsubscribe(frame: Buffer): void {
    const packet = parseUnsubscribe(frame);
    if (packet?.messageId === undefined || packet.messageId === 0 || packet.unsubscriptions.length === 0) {
      this.#violates('a malformed UNSUBSCRIBE');
      return;
    }
    for (const filter of packet.unsubscriptions) this.session.unsubscribe(filter);
    this.write(Buffer.from([PACKET.unsuback << 4, 2, packet.messageId >> 8, packet.messageId & 0xff]));
    this.#options.sessionChanged(this);
  }

  #violates(detail: string): void {
    this.#cutOff({ kind: 'protocolViolation', detail });
  }

  #cutOff(fault: PacketFault): void {
    this.#options.incidents.report({ ...fault, subject: this.clientId });
    this.inlet.destroy();
  }
}
