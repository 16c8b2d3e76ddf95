import { COMMAND_LIFETIME_S, type Decision } from '../../../domain/machine/decision.ts';
import type { DeviceInbox, DeviceRoute, Reply } from '../../../flows/device/device-ports.ts';
import { ENCODING_3, type Encoding, numberProperty, PacketWriter, textProperty } from '../mqtt/packet-writer.ts';
import { PROPERTY } from '../mqtt/properties.ts';
import { InterestCache } from '../readers/filter-index.ts';
import { payloadOf } from '../readers/payload.ts';
import type { Router } from '../readers/router.ts';
import { COMMAND_JSON, COMMAND_SUFFIXES, FIRST_LEGACY_SUFFIX, isFreeSuffix } from '../topics.ts';
import type { DeviceSession } from './device-session.ts';

/** The part of a machine's own connection that sends command packets. `takesCommands` is false once it is closed. */
export interface CommandSink {
  readonly takesCommands: boolean;
  readonly encoding: Encoding;
  /** The commands that may wait for their PUBACK now; infinite in MQTT 3. */
  readonly commandWindow: number;
  write(packets: Buffer): void;
  /** A command is larger than the client takes. */
  leftOut(topic: string): void;
}

export interface CommandPublisherOptions {
  readonly legacyTopics: boolean;
  readonly router: Router;
  readonly inbox: Pick<DeviceInbox, 'decision' | 'cause'>;
  readonly command: (decision: Decision) => Command;
}

const COMMAND_BYTES = 512;
const NO_BYTES = Buffer.alloc(0);
const NO_REPLY: Reply = { correlationData: null, responseTopic: null };

/** Sends a machine's commands: straight to its own connection, and through the router to other subscribers. */
export class CommandPublisher {
  /** Its TopicRoot never changes: a machine that moves gets another command publisher. */
  route: DeviceRoute;
  readonly interest: InterestCache;
  session: DeviceSession | null = null;
  sink: CommandSink | null = null;
  readonly #options: CommandPublisherOptions;
  readonly #encodedTopics: readonly Buffer[];
  readonly #topics: Readonly<Record<'all' | 'bits', readonly number[]>>;

  #othersAsOf = -1;
  #heardByOthers = false;

  constructor(route: DeviceRoute, options: CommandPublisherOptions) {
    this.route = route;
    this.interest = new InterestCache(options.router.index);
    this.#options = options;
    this.#encodedTopics = encodeTopics(route.topicRoot);
    this.#topics = { all: topicsFor('all', options.legacyTopics), bits: topicsFor('bits', options.legacyTopics) };
  }

  /**
   * Publishes a decision on its topics; `writer` already holds packets for the same socket write (a PUBACK). A command
   * in JSON that still waits for its device is sent with the newest decision later (D-06).
   */
  send(
    decision: Decision,
    scope: 'all' | 'bits',
    writer: PacketWriter = this.newWriter(),
    reply: Reply = NO_REPLY,
  ): void {
    const command = this.#options.command(decision);
    const othersListen = this.#othersListen();
    const properties =
      othersListen || writer.encoding.isVersion5 ? this.#propertiesOf(command, reply.correlationData) : null;
    for (const topic of this.#topics[scope]) {
      this.#toDevice(writer, topic, command, properties);
      if (othersListen && properties !== null) this.#toOthers(topic, command, properties);
    }
    this.flush(writer);
    if (reply.responseTopic !== null) this.#toResponseTopic(reply.responseTopic, command, reply.correlationData);
  }

  /** Whether the topic is a command topic of the machine, whose commands come from here. */
  isCommand(topic: string): boolean {
    const { topicRoot } = this.route;
    return (
      topic.startsWith(`${topicRoot}/`) &&
      (COMMAND_SUFFIXES as readonly string[]).includes(topic.slice(topicRoot.length + 1))
    );
  }

  newWriter(): PacketWriter {
    return new PacketWriter(COMMAND_BYTES, this.sink?.encoding ?? ENCODING_3);
  }

  flush(writer: PacketWriter): void {
    if (writer.length > 0) this.sink?.write(writer.take());
  }

  /** Sends the present decision on the topics that wait for one (D-06). */
  sendDue(): void {
    const due = this.session?.due() ?? [];
    const decision = due.length === 0 ? null : this.#options.inbox.decision(this.route.machineId);
    if (decision === null) return;
    const command = this.#options.command(decision);
    const writer = this.newWriter();
    const properties = writer.encoding.isVersion5 ? this.#propertiesOf(command, null) : null;
    for (const topic of due) this.#toDevice(writer, topic, command, properties);
    this.flush(writer);
  }

  #propertiesOf({ decision }: Command, correlationData: Buffer | null): CommandProperties {
    const cause = decision.runEnabled ? null : this.#options.inbox.cause(this.route.machineId);
    return commandProperties(cause, correlationData);
  }

  #toDevice(writer: PacketWriter, topic: number, command: Command, properties: CommandProperties | null): void {
    const { session, sink } = this;
    const encoded = this.#encodedTopics[topic];
    if (session === null || encoded === undefined) return;
    const qos = Math.min(session.grantedQos(topic), 1);
    if (qos < 0) return;
    if (sink?.takesCommands !== true) {
      session.missed(topic);
      return;
    }
    const payload = commandPayload(topic, command);
    if (!writer.fitsCommand(encoded, payload, qos)) {
      sink.leftOut(`${this.route.topicRoot}/${COMMAND_SUFFIXES[topic]}`);
      return;
    }
    const packetId = qos > 0 ? session.sent(topic, sink.commandWindow) : 0;
    if (packetId === null) return;
    writer.command(encoded, payload, qos, packetId, properties === null ? NO_BYTES : ofTopic(properties, topic));
  }

  /**
   * Whether another client than the device subscribes to its commands; looked up again only when subscriptions change.
   */
  #othersListen(): boolean {
    const { generation } = this.#options.router.index;
    if (generation !== this.#othersAsOf) {
      this.#othersAsOf = generation;
      this.#heardByOthers = COMMAND_SUFFIXES.some((suffix) => this.interest.wants(this.route.topicRoot, suffix));
    }
    return this.#heardByOthers;
  }

  #toOthers(topic: number, command: Command, properties: CommandProperties): void {
    const suffix = COMMAND_SUFFIXES[topic];
    if (suffix === undefined || !this.interest.wants(this.route.topicRoot, suffix)) return;
    const passedOn = topic === COMMAND_JSON ? properties.json : properties.bit;
    this.#pass(suffix, commandPayload(topic, command), passedOn);
  }

  /** A machine's own topic alone: elsewhere the gateway would send a command to another machine. */
  #toResponseTopic(responseTopic: string, command: Command, correlationData: Buffer | null): void {
    const suffix = responseTopic.slice(this.route.topicRoot.length + 1);
    if (!responseTopic.startsWith(`${this.route.topicRoot}/`) || !isFreeSuffix(suffix)) return;
    this.#pass(suffix, command.json, this.#propertiesOf(command, correlationData).json);
  }

  #pass(suffix: string, payload: string, properties: Buffer): void {
    const { machineId, topicRoot } = this.route;
    this.#options.router.pass(
      {
        topic: `${topicRoot}/${suffix}`,
        payload,
        qos: 1,
        retain: false,
        properties: payloadOf(properties),
        expiryMs: COMMAND_LIFETIME_S * 1_000,
      },
      machineId,
    );
  }
}

function ofTopic(properties: CommandProperties, topic: number): Buffer {
  return topic === COMMAND_JSON ? properties.jsonWithExpiry : properties.bitWithExpiry;
}

const quoted = new Map<string | null, string>();

function quotedMessage(message: string | null): string {
  const known = quoted.get(message);
  if (known !== undefined) return known;
  const text = JSON.stringify(message);
  quoted.set(message, text);
  return text;
}

/** A decision with its Command message, from which all its packets are made. */
interface Command {
  readonly decision: Decision;
  readonly json: string;
}

/** Makes commands with the present time. Machines with the same decision in the same millisecond share one. */
export function commandMaker(wallMs: () => number): (decision: Decision) => Command {
  let latestMs = Number.NaN;
  let timestamp = '';
  let latest: Command | null = null;
  return (decision) => {
    const nowMs = Math.floor(wallMs());
    if (nowMs === latestMs && latest?.decision === decision) return latest;
    if (nowMs !== latestMs) timestamp = new Date(nowMs).toISOString();
    latestMs = nowMs;
    latest = { decision, json: commandJson(decision, timestamp) };
    return latest;
  };
}

/** The Command message of MQTT: without machineId (DEV-19). */
function commandJson(decision: Decision, timestamp: string): string {
  return `{"runEnabled":${decision.runEnabled},"attentionNeeded":${decision.attentionNeeded},"message":${quotedMessage(decision.message)},"timestamp":"${timestamp}"}`;
}

const RUN_ENABLED_TOPICS = COMMAND_SUFFIXES.map((suffix) => suffix.endsWith('run-enabled'));

/** The payload of a command topic for one decision: JSON on the first, `0` or `1` on the others (MQTT-01 to MQTT-03). */
function commandPayload(topic: number, command: Command): string {
  const { decision, json } = command;
  if (topic === COMMAND_JSON) return json;
  const flag = RUN_ENABLED_TOPICS[topic] === true ? decision.runEnabled : decision.attentionNeeded;
  return flag ? '1' : '0';
}

/** The properties of a command in MQTT 5, as bytes: with its expiry for the machine, without it for the router. */
interface CommandProperties {
  readonly json: Buffer;
  readonly bit: Buffer;
  readonly jsonWithExpiry: Buffer;
  readonly bitWithExpiry: Buffer;
}

const EXPIRY = numberProperty(PROPERTY.messageExpiryInterval, COMMAND_LIFETIME_S, 4);
const JSON_CONTENT = Buffer.concat([
  numberProperty(PROPERTY.payloadFormatIndicator, 1, 1),
  textProperty(PROPERTY.contentType, 'application/json'),
]);
const NOTHING = Buffer.alloc(0);

const byCause = new Map<string | null, CommandProperties>();

/**
 * The properties of a command. `cause` is the kind of the decision's cause (D-35), null if the machine may run;
 * `correlationData` is that of the status that the command answers.
 */
function commandProperties(cause: string | null, correlationData: Buffer | null): CommandProperties {
  const known = byCause.get(cause);
  if (known !== undefined && correlationData === null) return known;
  const causeProperty = cause === null ? NOTHING : textProperty(PROPERTY.userProperty, 'cause', cause);
  const bit = correlationData === null ? NOTHING : textProperty(PROPERTY.correlationData, correlationData);
  const json = Buffer.concat([JSON_CONTENT, bit, causeProperty]);
  const properties = {
    json,
    bit,
    jsonWithExpiry: Buffer.concat([EXPIRY, json]),
    bitWithExpiry: Buffer.concat([EXPIRY, bit]),
  };
  if (correlationData === null) byCause.set(cause, properties);
  return properties;
}

/** Which command topics a message goes to. */
function topicsFor(scope: 'all' | 'bits', legacyTopics: boolean): readonly number[] {
  return COMMAND_SUFFIXES.map((_, topic) => topic).filter(
    (topic) => (scope === 'all' || topic !== COMMAND_JSON) && (legacyTopics || topic < FIRST_LEGACY_SUFFIX),
  );
}

/** The length-prefixed command topics of one machine, made once. */
function encodeTopics(topicRoot: string): readonly Buffer[] {
  return COMMAND_SUFFIXES.map((suffix) => {
    const topic = Buffer.from(`${topicRoot}/${suffix}`);
    const prefix = Buffer.alloc(2);
    prefix.writeUInt16BE(topic.length);
    return Buffer.concat([prefix, topic]);
  });
}
