import { foundText } from '../../../domain/error.ts';
import { Fields } from './fields.ts';
import { PacketFault } from './packet-fault.ts';
import { NO_PROPERTIES, type Properties, readProperties } from './properties.ts';
import { type MqttVersion, REASON } from './reason-codes.ts';
import { topicFault } from './topic-filter.ts';

/** A PUBLISH in its parts; the payload stands between `payloadAt` and the end. */
export interface PublishView {
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  readonly duplicate: boolean;
  /** The bytes in which the topic stands. */
  readonly topicIn: Buffer;
  readonly topicAt: number;
  /** The topic is empty where an alias of MQTT 5 names it. */
  readonly topicEnd: number;
  /** 0 with QoS 0. */
  readonly packetId: number;
  readonly properties: Properties;
  readonly payloadAt: number;
}

const LENGTHS = 'a PUBLISH whose lengths do not fit';
/** The length of no properties. */
const NONE = 0;

/** Gives the parts of a PUBLISH, or the rule that it breaks (MQTT-3.3.1-2, MQTT-2.3.1-1). */
export function viewPublish(frame: Buffer, bodyAt: number, version: MqttVersion): PublishView | PacketFault {
  const flags = frame[0] ?? 0;
  const qos = ((flags >> 1) & 3) as 0 | 1 | 2;
  const duplicate = (flags & 8) !== 0;
  const topicAt = bodyAt + 2;
  if (topicAt > frame.length) return new PacketFault(LENGTHS);
  if (duplicate && qos === 0) return new PacketFault('a PUBLISH of QoS 0 with DUP (MQTT-3.3.1-2)');
  const topicEnd = topicAt + frame.readUInt16BE(bodyAt);
  const idEnd = qos === 0 ? topicEnd : topicEnd + 2;
  if (idEnd > frame.length || (topicEnd === topicAt && version < 5)) return new PacketFault(LENGTHS);
  const packetId = qos === 0 ? 0 : frame.readUInt16BE(topicEnd);
  if (qos > 0 && packetId === 0) return new PacketFault('a PUBLISH without packet id', REASON.protocolError);
  const view = { qos, retain: (flags & 1) !== 0, duplicate, topicIn: frame, topicAt, topicEnd, packetId };
  if (version < 5) return { ...view, properties: NO_PROPERTIES, payloadAt: idEnd };
  if (frame[idEnd] === NONE) return { ...view, properties: NO_PROPERTIES, payloadAt: idEnd + 1 };
  const fields = new Fields(frame, idEnd);
  const properties = readProperties(fields, 'publish');
  if (properties.subscriptionIdentifiers.length > 0) {
    fields.fail('a PUBLISH of a client with a subscription identifier (MQTT-3.3.4-6)', REASON.protocolError);
  }
  return fields.fault ?? { ...view, properties, payloadAt: fields.at };
}

/** Whether these bytes stand at `at`. A loop, because Buffer's `compare` checks its arguments in several steps. */
export function bytesStartWith(bytes: Buffer, at: number, prefix: Buffer): boolean {
  for (let index = 0; index < prefix.length; index++) if (bytes[at + index] !== prefix[index]) return false;
  return true;
}

const FORBIDDEN_IN_TOPICS = [0x00, 0x23, 0x2b];

/**
 * The rule by which MQTT forbids to publish on a topic; null if it is text without U+0000 and wildcards (MQTT-1.5.3-1,
 * MQTT-1.5.3-2, MQTT-3.3.2-2).
 */
export function forbiddenTopic(topic: Buffer): PacketFault | null {
  const byte = FORBIDDEN_IN_TOPICS.find((forbidden) => topic.includes(forbidden));
  const text = topic.toString('utf8');
  const fault = byte === undefined ? topicFault(text) : `holds ${byte === 0 ? 'U+0000' : String.fromCharCode(byte)}`;
  if (fault === null) return null;
  const isWildcard = byte !== undefined && byte !== 0;
  const detail = `a PUBLISH on ${foundText(text)}, which ${fault}`;
  return new PacketFault(detail, isWildcard ? REASON.topicNameInvalid : REASON.malformedPacket);
}
