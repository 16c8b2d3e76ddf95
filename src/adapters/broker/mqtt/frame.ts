import type { MqttVersion } from './reason-codes.ts';

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
  auth: 15,
} as const;

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

/** Reads the fixed header at `at`; null while it is incomplete. MQTT 5 forbids a length in more bytes than it needs. */
function readHeader(bytes: Buffer, at: number, version: MqttVersion): Header | FrameFault | null {
  let bodyLength = 0;
  for (let index = 0; index < MAX_LENGTH_BYTES; index++) {
    const byte = bytes[at + 1 + index];
    if (byte === undefined) return null;
    bodyLength += (byte & 0x7f) * 128 ** index;
    if (byte >= 0x80) continue;
    const isPadded = byte === 0 && index > 0 && version === 5;
    return isPadded ? 'malformed' : { bodyAt: at + 2 + index, bodyLength };
  }
  return 'malformed';
}

function flagsAreValid(first: number, version: MqttVersion): boolean {
  const type = first >> 4;
  if (type === PACKET.publish) return (first & 0x06) !== 0x06;
  const exists = type !== 0 && (type !== PACKET.auth || version === 5);
  return exists && (first & 0x0f) === (RESERVED_FLAGS[type] ?? 0);
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
  /** The version that the client speaks: known from its CONNECT on. */
  version: MqttVersion = 4;

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
    if (this.version === 3) withoutDuplicate(bytes, at);
    if (!flagsAreValid(bytes[at] ?? 0, this.version)) return faultOf(bytes.subarray(at));
    const header = readHeader(bytes, at, this.version);
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
