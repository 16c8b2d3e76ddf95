import { isUtf8 } from 'node:buffer';
import type { IConnectPacket, ISubscribePacket } from 'mqtt-packet';

export type ConnectPacket = IConnectPacket;
export type SubscribePacket = ISubscribePacket;

const LEVEL_3_1_1 = 4;
const PROTOCOL_3_1_1 = Buffer.from([0, 4, ...Buffer.from('MQTT'), LEVEL_3_1_1]);
const FIXED_CONNECT_BYTES = PROTOCOL_3_1_1.length + 3;
/** The highest QoS of MQTT. A packet with a higher one is malformed. */
const MAX_QOS = 2;

const FLAG = { reserved: 0x01, clean: 0x02, will: 0x04, willRetain: 0x20, password: 0x40, username: 0x80 } as const;

/** Reads a packet's fields from front to back; a wrong field leaves it unsound. */
class Fields {
  isSound = true;
  readonly #frame: Buffer;
  #at: number;

  constructor(frame: Buffer, at: number) {
    this.#frame = frame;
    this.#at = at;
  }

  get hasMore(): boolean {
    return this.isSound && this.#at < this.#frame.length;
  }

  byte(): number {
    const byte = this.#frame[this.#at];
    if (byte === undefined) this.isSound = false;
    this.#at++;
    return byte ?? 0;
  }

  /** A view of the packet. */
  bytes(): Buffer {
    const length = this.byte() * 256 + this.byte();
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#frame.length) this.isSound = false;
    return this.#frame.subarray(from, this.#at);
  }

  text(): string {
    const bytes = this.bytes();
    if (!isUtf8(bytes)) this.isSound = false;
    return bytes.toString('utf8');
  }
}

/** The protocol level of a CONNECT, for example 4 for MQTT 3.1.1; null if its protocol is not MQTT. */
export function protocolVersion(frame: Buffer, bodyAt: number): number | null {
  const fields = new Fields(frame, bodyAt);
  const name = fields.text();
  const version = fields.byte();
  return fields.isSound && (name === 'MQTT' || name === 'MQIsdp') ? version : null;
}

/**
 * Reads a CONNECT of MQTT 3.1.1 (3.1) as mqtt-packet does, at a fraction of the cost. Null if anything is unusual about
 * it: then mqtt-packet decides. Bytes behind the last field, which mqtt-packet would accept, are refused here. A will's
 * payload and a password are views of the frame.
 */
export function readConnect(frame: Buffer, bodyAt: number): ConnectPacket | 'overlong' | null {
  const flagsAt = bodyAt + PROTOCOL_3_1_1.length;
  if (frame.length < bodyAt + FIXED_CONNECT_BYTES || PROTOCOL_3_1_1.compare(frame, bodyAt, flagsAt) !== 0) return null;
  const fields = new Fields(frame, flagsAt);
  const flags = fields.byte();
  const willQos = (flags >> 3) & 3;
  const hasWill = (flags & FLAG.will) !== 0;
  const willRetain = (flags & FLAG.willRetain) !== 0;
  if ((flags & FLAG.reserved) !== 0 || willQos > MAX_QOS || (!hasWill && (willQos > 0 || willRetain))) return null;
  const packet: ConnectPacket = {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: LEVEL_3_1_1,
    clean: (flags & FLAG.clean) !== 0,
    keepalive: fields.byte() * 256 + fields.byte(),
    clientId: fields.text(),
  };
  if (hasWill) {
    packet.will = { retain: willRetain, qos: willQos as 0 | 1 | 2, topic: fields.text(), payload: fields.bytes() };
  }
  if ((flags & FLAG.username) !== 0) packet.username = fields.text();
  if ((flags & FLAG.password) !== 0) packet.password = fields.bytes();
  if (fields.hasMore) return 'overlong';
  return fields.isSound ? packet : null;
}

/** Reads a SUBSCRIBE (3.8) in the same way; null if anything is unusual about it. */
export function readSubscribe(frame: Buffer, bodyAt: number): SubscribePacket | null {
  const fields = new Fields(frame, bodyAt);
  const messageId = fields.byte() * 256 + fields.byte();
  const subscriptions: SubscribePacket['subscriptions'] = [];
  while (fields.hasMore) {
    const topic = fields.text();
    const qos = fields.byte();
    if (qos > MAX_QOS) return null;
    subscriptions.push({ topic, qos: qos as 0 | 1 | 2 });
  }
  return fields.isSound && subscriptions.length > 0 ? { cmd: 'subscribe', messageId, subscriptions } : null;
}
