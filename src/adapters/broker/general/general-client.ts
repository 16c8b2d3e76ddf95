import { MqttConnection, type MqttConnectionOptions } from '../connect/mqtt-connection.ts';
import { bothStored } from '../device/commit-timeout.ts';
import { replyOf } from '../device/device-input.ts';
import { LIMITS } from '../limits.ts';
import type { DisconnectPacket } from '../mqtt/acknowledgement-packet.ts';
import { messageExpiryMs, type Will } from '../mqtt/connect-packet.ts';
import { forbiddenTopic, type PublishView } from '../mqtt/publish-packet.ts';
import { REASON } from '../mqtt/reason-codes.ts';
import type { SubscribePacket, UnsubscribePacket } from '../mqtt/subscribe-packet.ts';
import { topicLimit } from '../mqtt/topic-filter.ts';
import { payloadOf } from '../readers/payload.ts';
import type { Router } from '../readers/router.ts';
import type { PacketTurns } from './packet-turns.ts';
import type { Publications, Verdict } from './publications.ts';

export interface GeneralClientOptions extends MqttConnectionOptions {
  /** The client's name in reports: clients without an id are one sender, by their address. */
  readonly sender: string;
  readonly publications: Publications;
  readonly turns: PacketTurns;
  readonly nowMs: () => number;
  readonly left: (client: GeneralClient, goodbye: DisconnectPacket | null) => void;
}

interface HeldFrame {
  readonly bytes: Buffer;
  readonly bodyAt: number;
}

/** One client other than a machine. Its packets are handled in turns, after those of machines. */
export class GeneralClient extends MqttConnection {
  readonly isMachine = false;
  readonly will: Will | null;
  readonly sessionExpiryMs: number;
  readonly #options: GeneralClientOptions;
  readonly #router: Router;
  /** The packet that waits for its turn; those behind it wait in the connection. */
  #held: HeldFrame | null = null;
  /** Publications of this client that wait for the disk. */
  #unstored = 0;
  #isGone = false;
  /** The time at which the client stopped taking its answers. */
  stalledSinceMs: number | null = null;

  constructor(options: GeneralClientOptions) {
    super(options);
    this.#options = options;
    this.#router = options.router;
    this.will = options.connect.will;
    this.sessionExpiryMs = options.connect.sessionExpiryMs;
  }

  get isBusy(): boolean {
    return this.#held !== null;
  }

  get subscriptions(): readonly (readonly [string, number])[] {
    return this.link.reader?.filters.entries().map(([filter, { qos }]) => [filter, qos]) ?? [];
  }

  get window(): number {
    return Math.min(LIMITS.inFlightPerReader, this.receiveMaximum);
  }

  override frame(frame: Buffer, bodyAt: number): void {
    if (this.#mayGoOn && this.#options.turns.take()) {
      super.frame(frame, bodyAt);
      return;
    }
    this.#held = { bytes: Buffer.from(frame), bodyAt };
    this.clientConnection.socket.pause();
    if (this.#mayGoOn) this.#options.turns.wait(this);
  }

  goOn(): void {
    const { turns } = this.#options;
    const next = this.#held;
    if (this.#isGone || (next !== null && !this.#mayGoOn)) return;
    if (next !== null && !turns.take()) {
      turns.wait(this);
      return;
    }
    this.#held = null;
    if (next !== null) this.clientConnection.attempt(() => super.frame(next.bytes, next.bodyAt));
    if (!this.#isGone && this.clientConnection.goOn()) this.clientConnection.socket.resume();
  }

  /** A client that leaves its answers unread has to take them before it may go on. */
  override write(packets: Buffer): void {
    const { socket } = this.clientConnection;
    if (this.clientConnection.write(packets) || this.stalledSinceMs !== null || socket.destroyed) return;
    this.stalledSinceMs = this.#options.nowMs();
    socket.once('drain', () => {
      this.stalledSinceMs = null;
      this.#continue();
    });
  }

  protected left(goodbye: DisconnectPacket | null): void {
    this.#isGone = true;
    this.#options.turns.drop(this);
    this.#options.left(this, goodbye);
  }

  protected publish(view: PublishView, frame: Buffer): void {
    const { topicIn, topicAt, topicEnd } = view;
    const fault = forbiddenTopic(topicIn.subarray(topicAt, topicEnd));
    const topic = topicIn.toString('utf8', topicAt, topicEnd);
    const limit = topicLimit(topic);
    if (fault !== null) this.violates(fault);
    else if (limit !== null) this.#drop(view, `its topic ${limit}`);
    else if (view.qos !== 2 || this.begins(view, false)) this.#take(view, topic, frame);
  }

  protected subscribe({ packetId, subscriptions }: SubscribePacket): void {
    this.link.acknowledgeSubscribe(packetId, this.link.subscribe(subscriptions));
  }

  protected unsubscribe({ packetId, filters }: UnsubscribePacket): void {
    const { wereThere, stored } = this.link.unsubscribe(filters);
    this.link.acknowledgeUnsubscribe(packetId, wereThere, stored);
  }

  get #mayGoOn(): boolean {
    return this.#unstored < LIMITS.unstoredPublications && this.stalledSinceMs === null;
  }

  #continue(): void {
    if (this.#held !== null && !this.#isGone) this.#options.turns.wait(this);
  }

  #take(view: PublishView, topic: string, frame: Buffer): void {
    const { clientId } = this;
    const { qos, packetId, duplicate, retain, payloadAt, properties } = view;
    const { sender, publications } = this.#options;
    const message = { topic, qos, retain };
    const { address } = this.clientConnection;
    const raw = frame;
    const verdict = publications.take({
      ...message,
      clientId,
      rights: this.rights,
      sender,
      address,
      raw,
      rawAt: payloadAt,
      packetId,
      duplicate,
      isMqtt5: this.encoding.isVersion5,
      reply: replyOf(view),
    });
    if (verdict.kind === 'refused') {
      this.acknowledge(view, verdict.reason);
      return;
    }
    const routed = this.#router.publish(
      {
        ...message,
        payload: frame.subarray(payloadAt),
        properties: payloadOf(Buffer.concat(properties.passedOn)),
        expiryMs: messageExpiryMs(properties),
      },
      clientId,
    );
    this.#answer(view, verdict, bothStored(verdict.stored, routed));
  }

  /** The packet id of a message of QoS 2 has to be on disk too, so that it is not taken twice. */
  #answer(
    view: PublishView,
    { answer, reason }: Extract<Verdict, { kind: 'taken' }>,
    stored: Promise<void> | null,
  ): void {
    const awaited = view.qos === 2 ? bothStored(this.#router.durable(), stored) : stored;
    if (awaited === null) {
      this.acknowledge(view, reason);
    } else {
      this.#waitFor(awaited);
      this.acknowledgeOnceStored(view, awaited, reason);
    }
    if (answer !== null) answer.commandPublisher.send(answer.decision, 'all', undefined, answer.reply);
  }

  #waitFor(stored: Promise<void>): void {
    this.#unstored++;
    const settled = () => {
      this.#unstored--;
      this.#continue();
    };
    stored.then(settled, settled);
  }

  /** A message beyond a limit is acknowledged, dropped and reported. */
  #drop(view: PublishView, cause: string): void {
    const detail = `message dropped: ${cause}`;
    this.#options.incidents.report({ kind: 'limitReached', subject: this.clientId, detail });
    this.acknowledge(view, { code: REASON.quotaExceeded, text: detail });
  }
}
