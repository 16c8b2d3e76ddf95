import { foundText } from '../../../domain/error.ts';
import { LIMITS } from '../limits.ts';
import { parseSubscribe } from './packet-parser.ts';
import { filterFault, topicFault } from './topic-filter.ts';

/** MQTT control packet types (MQTT 3.1.1, 2.2.1). */
export const PACKET = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  suback: 9,
  unsubscribe: 10,
  unsuback: 11,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
} as const;

/** SUBACK's code for a filter that is refused (MQTT-3.9.3-2). */
export const SUBACK_REFUSED = 0x80;

/** The fixed header's reserved flags of every type but PUBLISH; a client that sends others is cut off (MQTT-2.2.2-2). */
const RESERVED_FLAGS: Readonly<Record<number, number>> = { 6: 2, 8: 2, 10: 2 };
/** PUBREL, SUBSCRIBE and UNSUBSCRIBE that are sent again have this flag in MQTT 3.1, and nothing else changes. */
const DUPLICATE = 0x08;

/** `tls` and `http` speak another protocol than MQTT here. */
export type FrameFault = 'too-large' | 'malformed' | 'no-room' | 'tls' | 'http' | 'qos-3';

interface Header {
  readonly bodyAt: number;
  readonly bodyLength: number;
}

/** Bytes of a packet's length. More are no MQTT. */
const MAX_LENGTH_BYTES = 4;

/** Reads the fixed header at `at`; null while it is incomplete. */
function readHeader(bytes: Buffer, at: number): Header | FrameFault | null {
  let bodyLength = 0;
  for (let index = 0; index < MAX_LENGTH_BYTES; index++) {
    const byte = bytes[at + 1 + index];
    if (byte === undefined) return null;
    bodyLength += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return { bodyAt: at + 2 + index, bodyLength };
  }
  return 'malformed';
}

function flagsAreValid(first: number): boolean {
  const type = first >> 4;
  if (type === PACKET.publish) return (first & 0x06) !== 0x06;
  return type !== 0 && type !== 15 && (first & 0x0f) === (RESERVED_FLAGS[type] ?? 0);
}

function withoutDuplicate(bytes: Buffer, at: number): void {
  const first = bytes[at] ?? 0;
  if (first >> 4 in RESERVED_FLAGS) bytes[at] = first & ~DUPLICATE;
}

/** The first bytes of a TLS record, and of a request of HTTP. */
const TLS_HANDSHAKE = 0x16;
const TLS_VERSION = 3;
const HTTP_METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \//;
const LONGEST_METHOD = 9;

/** Whether a client sent a request of HTTP. The first letter of some methods is a packet type of MQTT too. */
export function speaksHttp(bytes: Buffer): boolean {
  return HTTP_METHOD.test(bytes.toString('latin1', 0, LONGEST_METHOD));
}

export const SPEAKS_HTTP = 'speaks HTTP on the port of MQTT: choose http.port';

/** The fault of bytes that begin no packet. */
function faultOf(bytes: Buffer): FrameFault {
  if (bytes[0] === TLS_HANDSHAKE && bytes[1] === TLS_VERSION) return 'tls';
  if (speaksHttp(bytes)) return 'http';
  return (bytes[0] ?? 0) >> 4 === PACKET.publish ? 'qos-3' : 'malformed';
}

const NOTHING = Buffer.alloc(0);

/**
 * Cuts a byte stream into MQTT packets. A packet longer than `maxPacketBytes` is refused by its header alone, before
 * any of it is kept (contract: `mqtt.maxPacketBytes`).
 */
export class FrameReader {
  readonly #maxPacketBytes: number;
  #bytes: Buffer = NOTHING;
  #at = 0;
  /** Whether `#bytes` is a copy, so that the socket may read into its own memory again. */
  #isOwn = true;
  /** Chunks of a packet that is not whole yet: joined once, when it is. */
  #chunks: Buffer[] = [];
  #missing = 0;
  /** The start of the variable header of the last given packet. */
  bodyAt = 0;
  /** Whether the client speaks MQTT 3.1, in which packets besides PUBLISH may have the DUP flag. */
  isVersion31 = false;

  constructor(maxPacketBytes: number) {
    this.#maxPacketBytes = maxPacketBytes;
  }

  push(chunk: Buffer): void {
    if (this.#missing > chunk.length) {
      this.#chunks.push(Buffer.from(chunk));
      this.#missing -= chunk.length;
      return;
    }
    this.#missing = 0;
    this.#isOwn = false;
    this.#bytes = this.#chunks.length === 0 && this.#at === this.#bytes.length ? chunk : this.#join(chunk);
    this.#at = 0;
  }

  /** Whether more bytes came behind the last given packet. */
  get hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  /** The next whole packet, null while it is incomplete, or the fault that ends the stream. */
  next(): Buffer | FrameFault | null {
    const bytes = this.#bytes;
    const at = this.#at;
    if (this.#missing > 0) return null;
    if (at >= bytes.length) {
      this.#bytes = NOTHING;
      this.#at = 0;
      return null;
    }
    if (this.isVersion31) withoutDuplicate(bytes, at);
    if (!flagsAreValid(bytes[at] ?? 0)) return faultOf(bytes.subarray(at));
    const header = readHeader(bytes, at);
    if (header === null) return null;
    if (typeof header === 'string') return header;
    const end = header.bodyAt + header.bodyLength;
    if (end - at > this.#maxPacketBytes) return 'too-large';
    if (end > bytes.length) return this.#waitFor(end - bytes.length);
    this.bodyAt = header.bodyAt - at;
    this.#at = end;
    return at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end);
  }

  /** Bytes held for a packet that is incomplete, or that waits for its turn. */
  get heldBytes(): number {
    let bytes = this.#bytes.length - this.#at;
    for (const chunk of this.#chunks) bytes += chunk.length;
    return bytes;
  }

  /** Copies the bytes that were not given out yet, because the socket reads into the memory of their chunk again. */
  keepRest(): void {
    if (this.#isOwn || this.#at >= this.#bytes.length) return;
    this.#isOwn = true;
    this.#bytes = Buffer.from(this.#bytes.subarray(this.#at));
    this.#at = 0;
  }

  #waitFor(missing: number): null {
    this.#chunks = [Buffer.from(this.#bytes.subarray(this.#at))];
    this.#bytes = NOTHING;
    this.#at = 0;
    this.#missing = missing;
    return null;
  }

  #join(chunk: Buffer): Buffer {
    const joined = Buffer.concat([...this.#chunks, this.#bytes.subarray(this.#at), chunk]);
    this.#chunks = [];
    return joined;
  }
}

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
