import type { DeviceInbox, Reply } from '../../../flows/device/device-ports.ts';
import type { Incidents } from '../../../flows/ports.ts';
import { MqttConnection, type MqttConnectionOptions } from '../connect/mqtt-connection.ts';
import { LIMITS } from '../limits.ts';
import type { AcknowledgementPacket, DisconnectPacket } from '../mqtt/acknowledgement-packet.ts';
import { messageExpiryMs } from '../mqtt/connect-packet.ts';
import { NO_PROPERTIES } from '../mqtt/properties.ts';
import { bytesStartWith, forbiddenTopic, type PublishView } from '../mqtt/publish-packet.ts';
import { REASON, type Reason } from '../mqtt/reason-codes.ts';
import type { SubscribePacket, UnsubscribePacket } from '../mqtt/subscribe-packet.ts';
import { topicLimit } from '../mqtt/topic-filter.ts';
import { LAST_READER_PACKET_ID } from '../readers/in-flight.ts';
import { payloadOf } from '../readers/payload.ts';
import type { Router, Subscribed } from '../readers/router.ts';
import { COMMAND_SUFFIXES, isFixedSuffix, meaningOf, reachOf } from '../topics.ts';
import type { CommandPublisher, CommandSink } from './command-publisher.ts';
import { bothStored, whenStoredOrTimeout } from './commit-timeout.ts';
import {
  type InputOutcome,
  isAnsweredAtOnce,
  replyOf,
  reportForbidden,
  reportUnmatched,
  takeDeviceMessage,
} from './device-input.ts';
import type { DeviceSession } from './device-session.ts';

/** The topics of all single fields and of many variables fit in. The others are checked each time. */
const MAX_VALID_SUFFIXES = 64;
/** A longer one is checked each time. */
const MAX_VALID_SUFFIX_LENGTH = 64;

export interface DeviceConnectionOptions extends Omit<MqttConnectionOptions, 'clientId'> {
  readonly commandPublisher: CommandPublisher;
  readonly session: DeviceSession;
  readonly inbox: DeviceInbox;
  /** Writes the session; gives a promise that resolves when it is on disk, or null if it is there already. */
  readonly commitSession: (connection: DeviceConnection) => Promise<void> | null;
  readonly left: (connection: DeviceConnection, goodbye: DisconnectPacket | null) => void;
}

/**
 * A machine's own connection. Status and answer take one read and one write. The machine's subscriptions besides its own
 * commands are served as for any reader, when there is time and room for it.
 */
export class DeviceConnection extends MqttConnection implements CommandSink {
  readonly isBusy = false;
  readonly isMachine = true;
  readonly stalledSinceMs = null;
  readonly commandPublisher: CommandPublisher;
  readonly session: DeviceSession;
  readonly #options: DeviceConnectionOptions;
  readonly #router: Router;
  readonly #incidents: Incidents;
  readonly #prefix: Buffer;
  #waitingSinceMs: number | null = null;
  /** Topics that were checked once: a machine sends the same ones again and again. */
  readonly #validSuffixes = new Set<string>();

  constructor(options: DeviceConnectionOptions) {
    super({ ...options, clientId: options.commandPublisher.route.machineId });
    this.#options = options;
    this.#router = options.router;
    this.#incidents = options.incidents;
    this.commandPublisher = options.commandPublisher;
    this.session = options.session;
    this.#prefix = Buffer.from(`${options.commandPublisher.route.topicRoot}/`);
  }

  get takesCommands(): boolean {
    return !this.clientConnection.isFinished && !this.clientConnection.socket.destroyed;
  }

  get subscriptions(): readonly (readonly [string, number])[] {
    return this.session.filters;
  }

  /** Commands come first: other messages have the rest of the client's receive maximum. */
  get window(): number {
    if (!this.encoding.isVersion5) return LIMITS.inFlightPerReader;
    const { unacknowledged } = this.session;
    const reserved = Math.min(COMMAND_SUFFIXES.length, this.receiveMaximum - 1);
    const left = this.receiveMaximum - Math.max(reserved, unacknowledged + this.session.due().length);
    return Math.min(LIMITS.inFlightPerReader, left);
  }

  get commandWindow(): number {
    return this.encoding.isVersion5 ? this.receiveMaximum - this.link.inFlight : Number.POSITIVE_INFINITY;
  }

  /** A machine that does not read is cut off: when it comes back, it gets only the newest commands (D-06). */
  override write(packets: Buffer): void {
    const { writableLength } = this.clientConnection.socket;
    if (writableLength <= LIMITS.slowMachineBytes) {
      this.clientConnection.write(packets);
      return;
    }
    const detail = `${writableLength} bytes behind`;
    this.#incidents.report({ kind: 'slowReader', subject: this.clientId, detail });
    this.cutOff({ code: REASON.quotaExceeded, text: detail });
  }

  leftOut(topic: string): void {
    const detail = `a command on ${topic} was left out: the client takes packets of ${this.encoding.maximumPacketBytes} bytes`;
    this.#incidents.report({ kind: 'packetTooLarge', subject: this.clientId, detail });
  }

  /** Reports a machine of MQTT 5 whose commands wait because it acknowledges none. */
  sweep(nowMs: number): void {
    if (this.session.due().length === 0 || this.session.unacknowledged === 0) this.#waitingSinceMs = null;
    else this.#waitingSinceMs ??= nowMs;
    if (nowMs - (this.#waitingSinceMs ?? nowMs) < LIMITS.unacknowledgedCommandsMs) return;
    const detail = `acknowledges no command: ${this.session.unacknowledged} wait for its PUBACK, and newer ones behind them`;
    this.#incidents.report({ kind: 'slowReader', subject: this.clientId, detail });
  }

  protected left(goodbye: DisconnectPacket | null): void {
    this.#options.left(this, goodbye);
  }

  protected override acknowledged(type: number, packet: AcknowledgementPacket): void {
    this.#waitingSinceMs = null;
    if (packet.packetId > LAST_READER_PACKET_ID) this.session.acknowledged(packet.packetId);
    else super.acknowledged(type, packet);
    if (!this.encoding.isVersion5) return;
    this.commandPublisher.sendDue();
    this.#router.scheduler.wake();
  }

  protected publish(view: PublishView, frame: Buffer): void {
    const { topicIn, topicAt, topicEnd } = view;
    const prefix = this.#prefix;
    const suffixAt = topicAt + prefix.length;
    const own = suffixAt < topicEnd && bytesStartWith(topicIn, topicAt, prefix);
    const suffix = own ? topicIn.toString('utf8', suffixAt, topicEnd) : '';
    if (view.qos === 2 && !this.begins(view, isAnsweredAtOnce(meaningOf(suffix), view.retain))) return;
    if (isFixedSuffix(suffix) || this.#validSuffixes.has(suffix)) {
      this.#take(view, suffix, frame);
      return;
    }
    const fault = forbiddenTopic(topicIn.subarray(topicAt, topicEnd));
    const topic = topicIn.toString('utf8', topicAt, topicEnd);
    const limit = topicLimit(topic);
    if (fault !== null) this.violates(fault);
    else if (limit !== null) this.#drop(view, `its topic ${limit}`);
    else if (own) this.#takeValid(view, suffix, frame);
    else this.#refuse(view, topic, frame);
  }

  #takeValid(view: PublishView, suffix: string, frame: Buffer): void {
    const hasRoom = this.#validSuffixes.size < MAX_VALID_SUFFIXES && suffix.length <= MAX_VALID_SUFFIX_LENGTH;
    if (hasRoom) this.#validSuffixes.add(suffix);
    this.#take(view, suffix, frame);
  }

  #take(view: PublishView, suffix: string, frame: Buffer): void {
    const { clientId } = this;
    const { qos, packetId, duplicate } = view;
    const meaning = meaningOf(suffix);
    const reply = replyOf(view);
    const outcome = takeDeviceMessage(this.#options.inbox, this.commandPublisher, {
      meaning,
      text: frame.toString('utf8', view.payloadAt),
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
      ...(reply !== undefined && { reply }),
      isMqtt5: this.encoding.isVersion5,
    });
    if (meaning.kind === 'command') {
      this.#refuse(view, `${this.commandPublisher.route.topicRoot}/${suffix}`, frame);
      return;
    }
    const isHeard = meaning.kind !== 'other' || this.commandPublisher.interest.wants(this.#root, suffix);
    const reason = isHeard || outcome.reason.code !== REASON.success ? outcome.reason : unheard(outcome.reason);
    this.#answer(view, outcome, reason, this.#passOn(view, suffix, frame), reply);
  }

  get #root(): string {
    return this.commandPublisher.route.topicRoot;
  }

  #answer(
    view: PublishView,
    outcome: InputOutcome,
    reason: Reason,
    retained: Promise<void> | null,
    reply: Reply | undefined,
  ): void {
    const { kind } = outcome;
    if (kind === 'answer') {
      this.commandPublisher.send(outcome.decision, 'all', this.acknowledging(view, reason), reply);
    } else if (kind === 'storing') this.acknowledgeOnceStored(view, bothStored(outcome.stored, retained), reason);
    else if (kind === 'announced') this.#acknowledgePresence(view, bothStored(outcome.stored, retained), reason);
    else if (retained === null || view.qos === 0) this.acknowledge(view, reason);
    else this.acknowledgeOnceStored(view, retained, reason);
    const isAwaited = kind === 'storing' || kind === 'announced' || (kind !== 'answer' && view.qos !== 0);
    if (!isAwaited) retained?.catch((error: unknown) => this.notStored(error));
  }

  /**
   * Passes a message on to readers, ahead of the answer, so that they get both in their order. Gives a promise that
   * resolves when the records that must outlive the process are on disk.
   */
  #passOn(view: PublishView, suffix: string, frame: Buffer): Promise<void> | null {
    const { qos, retain, properties } = view;
    if (!retain && !this.commandPublisher.interest.wants(this.#root, suffix)) return null;
    const message = { topic: `${this.#root}/${suffix}`, payload: frame.subarray(view.payloadAt), qos, retain };
    if (properties === NO_PROPERTIES) return this.#router.publish(message, this.clientId);
    const passedOn = {
      properties: payloadOf(Buffer.concat(properties.passedOn)),
      expiryMs: messageExpiryMs(properties),
    };
    return this.#router.publish({ ...message, ...passedOn }, this.clientId);
  }

  /** A machine that announces itself must be able to send its statuses even while the disk fails. */
  #acknowledgePresence(view: PublishView, stored: Promise<void> | null, reason: Reason): void {
    if (stored === null) {
      this.acknowledge(view, reason);
      return;
    }
    whenStoredOrTimeout(
      stored,
      (detail) => this.notStored(detail),
      () => this.acknowledge(view, reason),
    );
  }

  #drop(view: PublishView, cause: string): void {
    const detail = `message dropped: ${cause}`;
    this.#incidents.report({ kind: 'limitReached', subject: this.clientId, detail });
    this.acknowledge(view, { code: REASON.quotaExceeded, text: detail });
  }

  #refuse(view: PublishView, topic: string, frame: Buffer): void {
    reportForbidden(this.#incidents, this.clientId, topic);
    const report = this.#options.inbox.unmatched(this.clientId, topic, frame.toString('utf8', view.payloadAt), {
      transport: 'mqtt',
      duplicate: view.duplicate,
      address: this.clientConnection.address,
      raw: frame,
      rawAt: view.payloadAt,
      qos: view.qos,
      isMqtt5: this.encoding.isVersion5,
    });
    const text = report?.detail ?? `publishes on ${topic}, which is not its own`;
    this.acknowledge(view, { code: REASON.notAuthorized, text });
  }

  protected subscribe({ packetId, subscriptions }: SubscribePacket): void {
    const { clientId, clientConnection } = this;
    const reaches = subscriptions.map((subscription) => ({
      ...subscription,
      ...reachOf(subscription.topic, this.#root),
    }));
    const { address } = clientConnection;
    const hint = reportUnmatched(this.#incidents, { clientId, address, topicRoot: this.#root }, reaches);
    const more = reaches.filter(({ isMore }) => isMore);
    const read: Subscribed = more.length === 0 ? NOTHING_READ : this.link.subscribe(more);
    const codes = reaches.map((reach) => (reach.isMore ? (read.codes[more.indexOf(reach)] ?? reach.qos) : reach.qos));
    for (const [index, { topic, commands, qos }] of reaches.entries()) {
      if ((codes[index] ?? 0) < REASON.unspecifiedError) this.session.subscribe(topic, commands, qos);
    }
    const text = read.text === '' ? hint : read.text;
    this.link.acknowledgeSubscribe(packetId, { codes, text, stored: this.#committed(read.stored) });
  }

  protected unsubscribe({ packetId, filters }: UnsubscribePacket): void {
    const ofCommands = filters.map((filter) => this.session.unsubscribe(filter));
    const { wereThere, stored } = this.link.unsubscribe(filters);
    const either = filters.map((_, index) => ofCommands[index] === true || wereThere[index] === true);
    this.link.acknowledgeUnsubscribe(packetId, either, this.#committed(stored));
  }

  /** Resolves when the session is on disk, and its subscriptions besides commands too. */
  #committed(read: Promise<void> | null): Promise<void> | null {
    return bothStored(read, this.#options.commitSession(this));
  }
}

const NOTHING_READ: Subscribed = { codes: [], text: '', stored: null };

function unheard({ text }: Reason): Reason {
  return { code: REASON.noMatchingSubscribers, text };
}
