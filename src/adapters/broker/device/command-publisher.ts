import type { Decision } from '../../../domain/machine/decision.ts';
import type { DeviceRoute } from '../../../flows/device/device-ports.ts';
import { type Command, commandPayload, encodeTopics, PacketWriter, topicsFor } from '../mqtt/command-encoder.ts';
import { PACKET, type PublishView } from '../mqtt/frame.ts';
import { InterestCache } from '../readers/filter-index.ts';
import type { Router } from '../readers/router.ts';
import { COMMAND_JSON, COMMAND_SUFFIXES } from '../topics.ts';
import type { DeviceSession } from './device-session.ts';

/** The part of a machine's own connection that sends command packets. `takesCommands` is false once it is closed. */
export interface CommandSink {
  readonly takesCommands: boolean;
  write(packets: Buffer): void;
}

export interface CommandPublisherOptions {
  readonly legacyTopics: boolean;
  readonly router: Router;
  readonly command: (decision: Decision) => Command;
}

const COMMAND_BYTES = 512;

/** Sends a machine's commands: straight to its own connection, and through the router to other subscribers. */
export class CommandPublisher {
  /** Its TopicRoot never changes: a machine that moves gets another command publisher. */
  route: DeviceRoute;
  readonly interest: InterestCache;
  session: DeviceSession | null = null;
  sink: CommandSink | null = null;
  readonly #router: Router;
  readonly #command: (decision: Decision) => Command;
  readonly #encodedTopics: readonly Buffer[];
  readonly #topics: Readonly<Record<'all' | 'bits', readonly number[]>>;

  #othersAsOf = -1;
  #heardByOthers = false;

  constructor(route: DeviceRoute, options: CommandPublisherOptions) {
    this.route = route;
    this.interest = new InterestCache(options.router.index);
    this.#router = options.router;
    this.#command = options.command;
    this.#encodedTopics = encodeTopics(route.topicRoot);
    this.#topics = { all: topicsFor('all', options.legacyTopics), bits: topicsFor('bits', options.legacyTopics) };
  }

  /**
   * Publishes a decision on its topics; `writer` already holds packets for the same socket write (a PUBACK). A command
   * in JSON that still waits for its device also gets the newest decision (D-06).
   */
  send(decision: Decision, scope: 'all' | 'bits', writer: PacketWriter = new PacketWriter(COMMAND_BYTES)): void {
    const command = this.#command(decision);
    const reachable = this.sink?.takesCommands === true;
    const othersListen = this.#othersListen();
    for (const topic of this.#topics[scope]) {
      this.#toDevice(writer, topic, command, reachable);
      if (othersListen) this.#toOthers(topic, command);
    }
    if (scope === 'bits' && this.session?.awaits(COMMAND_JSON) === true) this.session.missed(COMMAND_JSON, command);
    this.flush(writer);
  }

  /** Whether the topic is a command topic of the machine, whose commands come from here. */
  isCommand(topic: string): boolean {
    const { topicRoot } = this.route;
    return (
      topic.startsWith(`${topicRoot}/`) &&
      (COMMAND_SUFFIXES as readonly string[]).includes(topic.slice(topicRoot.length + 1))
    );
  }

  flush(writer: PacketWriter): void {
    if (writer.length > 0) this.sink?.write(writer.take());
  }

  /** Sends the commands that a returning device must still get (D-06). */
  resend(): void {
    const session = this.session;
    if (session === null) return;
    const writer = new PacketWriter(COMMAND_BYTES);
    for (const { topic, command, qos, packetId, duplicate } of session.resends()) {
      const encoded = this.#encodedTopics[topic];
      if (encoded !== undefined) writer.publish(encoded, commandPayload(topic, command), qos, packetId, duplicate);
    }
    this.flush(writer);
  }

  #toDevice(writer: PacketWriter, topic: number, command: Command, reachable: boolean): void {
    const session = this.session;
    const encoded = this.#encodedTopics[topic];
    if (session === null || encoded === undefined) return;
    const qos = session.grantedQos(topic);
    if (qos < 0) return;
    if (!reachable) {
      session.missed(topic, command);
      return;
    }
    const packetId = qos > 0 ? session.sent(topic, command) : 0;
    writer.publish(encoded, commandPayload(topic, command), Math.min(qos, 1), packetId, false);
  }

  /**
   * Whether another client than the device subscribes to its commands; looked up again only when subscriptions change.
   */
  #othersListen(): boolean {
    const { generation } = this.#router.index;
    if (generation !== this.#othersAsOf) {
      this.#othersAsOf = generation;
      this.#heardByOthers = COMMAND_SUFFIXES.some((suffix) => this.interest.wants(this.route.topicRoot, suffix));
    }
    return this.#heardByOthers;
  }

  #toOthers(topic: number, command: Command): void {
    const suffix = COMMAND_SUFFIXES[topic];
    if (suffix === undefined || !this.interest.wants(this.route.topicRoot, suffix)) return;
    const payload = commandPayload(topic, command);
    const message = { topic: `${this.route.topicRoot}/${suffix}`, payload, qos: 1, retain: false } as const;
    this.#router.pass(message, this.route.machineId);
  }
}

/** Room for the acknowledgements of one commit; the writer grows if there are more. */
const FIRST_BYTES = 64;

/** Gathers acknowledgements: one commit stores many messages of a machine, and their acknowledgements are one write. */
export class Acknowledgements {
  readonly #write: (packets: Buffer) => void;
  #writer: PacketWriter | null = null;

  constructor(write: (packets: Buffer) => void) {
    this.#write = write;
  }

  /** Acknowledges a message in the present turn of the event loop. */
  add(view: Pick<PublishView, 'qos' | 'packetId'>): void {
    if (view.qos === 0) return;
    if (this.#writer === null) {
      this.#writer = new PacketWriter(FIRST_BYTES);
      queueMicrotask(() => this.#flush());
    }
    acknowledge(this.#writer, view);
  }

  #flush(): void {
    const packets = this.#writer?.take();
    this.#writer = null;
    if (packets !== undefined) this.#write(packets);
  }
}

/** Writes the acknowledgement of a message; QoS 0 has none. */
export function acknowledge(
  writer: PacketWriter,
  { qos, packetId }: Pick<PublishView, 'qos' | 'packetId'>,
): PacketWriter {
  if (qos > 0) writer.acknowledgement(qos === 1 ? PACKET.puback : PACKET.pubrec, packetId);
  return writer;
}
