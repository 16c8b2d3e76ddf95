import type { Payload } from '../readers/payload.ts';
import { PACKET } from './frame.ts';
import { PROPERTY } from './properties.ts';
import { NO_REASON, REASON, type Reason } from './reason-codes.ts';

/** How packets for one client are written. */
export interface Encoding {
  readonly isVersion5: boolean;
  /** Larger packets are left out. */
  readonly maximumPacketBytes: number;
  /** Whether acknowledgements may have a Reason String. */
  readonly wantsReasons: boolean;
}

/** The encoding for clients of MQTT 3.1 and 3.1.1. */
export const ENCODING_3: Encoding = {
  isVersion5: false,
  maximumPacketBytes: Number.POSITIVE_INFINITY,
  wantsReasons: false,
};

/** The size of an acknowledgement packet without a reason. */
export const ACKNOWLEDGEMENT_BYTES = 4;
const PUBREL_FLAGS = 0x02;
const DUPLICATE_FLAG = 0x08;
const NO_BYTES = Buffer.alloc(0);
/** A longer sentence is cut. */
const MAX_REASON_LENGTH = 400;

export interface OutgoingMessage {
  readonly topic: string;
  readonly payload: Payload;
  /** Properties that are passed on, as bytes. */
  readonly properties: Payload;
}

export interface Delivery {
  readonly qos: number;
  readonly packetId: number;
  readonly retain: boolean;
  readonly duplicate: boolean;
  /** The rest of the message's lifetime in seconds; null without one. */
  readonly expiryS: number | null;
  /** The identifiers of the subscriptions by which it comes. */
  readonly identifiers: readonly number[];
}

/** Writes packets one after the other into one buffer, so that an answer is one socket write. */
export class PacketWriter {
  readonly encoding: Encoding;
  #bytes: Buffer;
  #at = 0;

  constructor(capacity: number, encoding: Encoding = ENCODING_3) {
    this.encoding = encoding;
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  /** PUBACK, PUBREC, PUBREL, PUBCOMP, or an UNSUBACK of MQTT 3. A reason is written in MQTT 5 alone. */
  acknowledgement(type: number, packetId: number, reason: Reason = NO_REASON): void {
    const { isVersion5 } = this.encoding;
    const properties = isVersion5 && reason.text !== '' ? this.#reasonString(reason.text) : NO_BYTES;
    const hasReason = isVersion5 && (reason.code !== REASON.success || properties.length > 0);
    const bodyLength = 2 + (hasReason ? 1 : 0) + (properties.length > 0 ? sizeOfBlock(properties.length) : 0);
    this.#reserve(1 + lengthBytes(bodyLength) + bodyLength);
    this.#byte((type << 4) | (type === PACKET.pubrel ? PUBREL_FLAGS : 0));
    this.#length(bodyLength);
    this.#uint16(packetId);
    if (hasReason) this.#byte(reason.code);
    if (properties.length > 0) this.#block(properties);
  }

  /**
   * Writes a command. Its properties are written in MQTT 5 alone, and give way where the packet would be too large for
   * the client.
   * `payload` is ASCII or UTF-8 text; `topic` has its length in front.
   */
  command(topic: Buffer, payload: string, qos: number, packetId: number, properties: Buffer): void {
    const bare = topic.length + (qos > 0 ? 2 : 0) + Buffer.byteLength(payload);
    const { isVersion5, maximumPacketBytes } = this.encoding;
    const isWhole = packetBytes(bare + sizeOfBlock(properties.length)) <= maximumPacketBytes;
    const block = isWhole ? properties : NO_BYTES;
    const bodyLength = isVersion5 ? bare + sizeOfBlock(block.length) : bare;
    this.#reserve(packetBytes(bodyLength));
    this.#byte((PACKET.publish << 4) | (qos << 1));
    this.#length(bodyLength);
    this.#at += topic.copy(this.#bytes, this.#at);
    if (qos > 0) this.#uint16(packetId);
    if (isVersion5) this.#block(block);
    this.#at += this.#bytes.write(payload, this.#at);
  }

  /** Whether the client takes a command of this size, without its properties. */
  fitsCommand(topic: Buffer, payload: string, qos: number): boolean {
    const { maximumPacketBytes } = this.encoding;
    if (maximumPacketBytes === Number.POSITIVE_INFINITY) return true;
    const bare = topic.length + (qos > 0 ? 2 : 0) + Buffer.byteLength(payload);
    return packetBytes(bare + sizeOfBlock(0)) <= maximumPacketBytes;
  }

  /** A message for a reader. */
  message(message: OutgoingMessage, delivery: Delivery): void {
    const { qos, packetId, retain, duplicate } = delivery;
    const bodyLength = bodyBytes(message, delivery, this.encoding);
    this.#reserve(packetBytes(bodyLength));
    this.#byte((PACKET.publish << 4) | (qos << 1) | (duplicate ? DUPLICATE_FLAG : 0) | (retain ? 1 : 0));
    this.#length(bodyLength);
    this.#uint16(Buffer.byteLength(message.topic));
    this.#at += this.#bytes.write(message.topic, this.#at);
    if (qos > 0) this.#uint16(packetId);
    if (this.encoding.isVersion5) this.#messageProperties(message, delivery);
    this.#at += this.#bytes.write(message.payload, this.#at, 'latin1');
  }

  /** Whether the client takes a packet of this size. */
  fits(message: OutgoingMessage, delivery: Delivery): boolean {
    const { maximumPacketBytes } = this.encoding;
    if (maximumPacketBytes === Number.POSITIVE_INFINITY) return true;
    return packetBytes(bodyBytes(message, delivery, this.encoding)) <= maximumPacketBytes;
  }

  /** A whole packet. */
  packet(first: number, body: Buffer): void {
    this.#reserve(packetBytes(body.length));
    this.#byte(first);
    this.#length(body.length);
    this.#at += body.copy(this.#bytes, this.#at);
  }

  get length(): number {
    return this.#at;
  }

  /** The packets written so far; the writer starts a buffer of its own afterwards. */
  take(): Buffer {
    const packets = this.#bytes.subarray(0, this.#at);
    this.#bytes = NO_BYTES;
    this.#at = 0;
    return packets;
  }

  /** The property, or nothing where the client does not want it or has no room for it. */
  #reasonString(text: string): Buffer {
    if (!this.encoding.wantsReasons) return NO_BYTES;
    const property = reasonString(text);
    const bodyLength = 3 + sizeOfBlock(property.length);
    return packetBytes(bodyLength) <= this.encoding.maximumPacketBytes ? property : NO_BYTES;
  }

  #messageProperties({ properties }: OutgoingMessage, { expiryS, identifiers }: Delivery): void {
    this.#length(propertiesBytes(properties, expiryS, identifiers));
    if (expiryS !== null) {
      this.#byte(PROPERTY.messageExpiryInterval);
      this.#at = this.#bytes.writeUInt32BE(expiryS, this.#at);
    }
    for (const identifier of identifiers) {
      this.#byte(PROPERTY.subscriptionIdentifier);
      this.#length(identifier);
    }
    this.#at += this.#bytes.write(properties, this.#at, 'latin1');
  }

  #reserve(extra: number): void {
    if (this.#at + extra <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + extra, 512));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }

  #byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }

  #uint16(value: number): void {
    this.#byte(value >> 8);
    this.#byte(value & 0xff);
  }

  #length(length: number): void {
    let rest = length;
    do {
      const more = rest >= 128;
      this.#byte((rest & 0x7f) | (more ? 0x80 : 0));
      rest >>= 7;
    } while (rest > 0);
  }

  /** Properties behind their length. */
  #block(properties: Buffer): void {
    this.#length(properties.length);
    this.#at += properties.copy(this.#bytes, this.#at);
  }
}

function lengthBytes(length: number): number {
  return length < 128 ? 1 : length < 16_384 ? 2 : length < 2_097_152 ? 3 : 4;
}

function packetBytes(bodyLength: number): number {
  return 1 + lengthBytes(bodyLength) + bodyLength;
}

function sizeOfBlock(bytes: number): number {
  return lengthBytes(bytes) + bytes;
}

function propertiesBytes(passedOn: Payload, expiryS: number | null, identifiers: readonly number[]): number {
  let bytes = passedOn.length + (expiryS === null ? 0 : 5);
  for (const identifier of identifiers) bytes += 1 + lengthBytes(identifier);
  return bytes;
}

function bodyBytes(
  { topic, payload, properties }: OutgoingMessage,
  { qos, expiryS, identifiers }: Delivery,
  { isVersion5 }: Encoding,
): number {
  const bare = 2 + Buffer.byteLength(topic) + (qos > 0 ? 2 : 0) + payload.length;
  return isVersion5 ? bare + sizeOfBlock(propertiesBytes(properties, expiryS, identifiers)) : bare;
}

function lengthPrefixed(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

export function textProperty(identifier: number, ...texts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat([Buffer.from([identifier]), ...texts.map(lengthPrefixed)]);
}

export function numberProperty(identifier: number, value: number, bytes: 1 | 2 | 4): Buffer {
  const property = Buffer.alloc(1 + bytes);
  property[0] = identifier;
  property.writeUIntBE(value, 1, bytes);
  return property;
}

export function reasonString(text: string): Buffer {
  return textProperty(PROPERTY.reasonString, text.slice(0, MAX_REASON_LENGTH).toWellFormed());
}

/** Properties behind their length. */
export function propertyBlock(properties: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(properties);
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>= 7) {
    length.push((rest & 0x7f) | (rest >= 128 ? 0x80 : 0));
    if (rest < 128) break;
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}
