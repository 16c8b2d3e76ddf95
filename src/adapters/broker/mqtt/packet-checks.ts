import { foundText } from '../../../domain/error.ts';
import { LIMITS } from '../limits.ts';
import { PACKET } from './frame.ts';
import { parseSubscribe } from './packet-parser.ts';
import { filterFault, topicFault } from './topic-filter.ts';

/** A PUBLISH in its parts; the payload stands between `payloadAt` and the end. */
export interface PublishView {
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  readonly duplicate: boolean;
  readonly topicAt: number;
  readonly topicEnd: number;
  /** 0 with QoS 0. */
  readonly packetId: number;
  readonly payloadAt: number;
}

/** Gives the parts of a PUBLISH; null if MQTT forbids it (MQTT-3.3.1-2, MQTT-2.3.1-1, MQTT-1.5.3-1, MQTT-1.5.3-2). */
export function viewPublish(frame: Buffer, bodyAt: number): PublishView | null {
  const flags = frame[0] ?? 0;
  const qos = ((flags >> 1) & 3) as 0 | 1 | 2;
  const duplicate = (flags & 8) !== 0;
  const topicAt = bodyAt + 2;
  if (topicAt > frame.length || (duplicate && qos === 0)) return null;
  const topicEnd = topicAt + frame.readUInt16BE(bodyAt);
  const payloadAt = qos === 0 ? topicEnd : topicEnd + 2;
  if (payloadAt > frame.length || topicEnd === topicAt) return null;
  const packetId = qos === 0 ? 0 : frame.readUInt16BE(topicEnd);
  if (qos > 0 && packetId === 0) return null;
  return { qos, retain: (flags & 1) !== 0, duplicate, topicAt, topicEnd, packetId, payloadAt };
}

/** Whether these bytes stand at `at`. A loop, because Buffer's `compare` checks its arguments in several steps. */
export function bytesStartWith(bytes: Buffer, at: number, prefix: Buffer): boolean {
  for (let index = 0; index < prefix.length; index++) if (bytes[at + index] !== prefix[index]) return false;
  return true;
}

const FORBIDDEN_IN_TOPICS = [0x00, 0x23, 0x2b];

/**
 * The reason for which MQTT forbids to publish on a topic; null if it is text without U+0000 and wildcards
 * (MQTT-1.5.3-1, MQTT-1.5.3-2, MQTT-3.3.2-2).
 */
export function forbiddenTopic(topic: Buffer): string | null {
  const byte = FORBIDDEN_IN_TOPICS.find((forbidden) => topic.includes(forbidden));
  const text = topic.toString('utf8');
  const fault = byte === undefined ? topicFault(text) : `holds ${byte === 0 ? 'U+0000' : String.fromCharCode(byte)}`;
  return fault === null ? null : `a PUBLISH on ${foundText(text)}, which ${fault}`;
}

/** The reason for which a packet ends its connection. */
export interface PacketFault {
  readonly kind: 'protocolViolation' | 'limitReached';
  readonly detail: string;
}

const HAS_PACKET_ID: ReadonlySet<number> = new Set([
  PACKET.subscribe,
  PACKET.unsubscribe,
  PACKET.puback,
  PACKET.pubrec,
  PACKET.pubrel,
  PACKET.pubcomp,
]);

/**
 * Gives the rule of MQTT 3.1.1 that a packet breaks, or null. Checks only the rules that the libraries do not check.
 */
export function packetFault(frame: Buffer, bodyAt: number): PacketFault | null {
  const type = (frame[0] ?? 0) >> 4;
  if (type === PACKET.publish) {
    const view = viewPublish(frame, bodyAt);
    if (view === null) return violation('a PUBLISH whose lengths do not fit');
    const fault = forbiddenTopic(frame.subarray(view.topicAt, view.topicEnd));
    return fault === null ? null : violation(fault);
  }
  if (!HAS_PACKET_ID.has(type)) return null;
  if (frame.length < bodyAt + 2 || frame.readUInt16BE(bodyAt) === 0) return violation('a packet without packet id');
  if (type === PACKET.unsubscribe && frame.length === bodyAt + 2) return violation('an UNSUBSCRIBE of nothing');
  if (type === PACKET.unsubscribe) return filterCountFault(frame, bodyAt, UNSUBSCRIBE);
  return type === PACKET.subscribe
    ? (filterCountFault(frame, bodyAt, SUBSCRIBE) ?? subscribeFault(frame, bodyAt))
    : null;
}

interface FilterList {
  readonly packet: string;
  readonly limit: number;
  /** The bytes behind each filter. */
  readonly bytesBehind: number;
}

const SUBSCRIBE: FilterList = { packet: 'SUBSCRIBE', limit: LIMITS.filtersPerSubscribe, bytesBehind: 1 };
const UNSUBSCRIBE: FilterList = { packet: 'UNSUBSCRIBE', limit: LIMITS.filtersPerUnsubscribe, bytesBehind: 0 };

/** Counts the filters without reading them, because a packet may have 80,000. */
function filterCountFault(
  frame: Buffer,
  bodyAt: number,
  { packet, limit, bytesBehind }: FilterList,
): PacketFault | null {
  let count = 0;
  for (let at = bodyAt + 2; at + 2 <= frame.length; at += 2 + frame.readUInt16BE(at) + bytesBehind) count++;
  return count > limit ? { kind: 'limitReached', detail: `more than ${limit} filters in one ${packet}` } : null;
}

function subscribeFault(frame: Buffer, bodyAt: number): PacketFault | null {
  const filters = parseSubscribe(frame, bodyAt)?.subscriptions.map(({ topic }) => topic);
  if (filters === undefined || filters.length === 0) return violation('a malformed SUBSCRIBE');
  const fault = filters.map(filterFault).find((found) => found !== null);
  return fault === undefined ? null : violation(`a filter that ${fault}`);
}

function violation(detail: string): PacketFault {
  return { kind: 'protocolViolation', detail };
}
