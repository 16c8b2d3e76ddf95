import type { Decision } from '../../../domain/machine/decision.ts';
import type { Payload } from '../readers/payload.ts';
import { COMMAND_JSON, COMMAND_SUFFIXES, FIRST_LEGACY_SUFFIX } from '../topics.ts';
import { PACKET } from './frame.ts';

/** The size of an acknowledgement packet. */
export const ACKNOWLEDGEMENT_BYTES = 4;
const PUBREL_FLAGS = 0x02;
const DUPLICATE_FLAG = 0x08;

const quoted = new Map<string | null, string>();

function quotedMessage(message: string | null): string {
  const known = quoted.get(message);
  if (known !== undefined) return known;
  const text = JSON.stringify(message);
  quoted.set(message, text);
  return text;
}

/** A decision with its Command message, from which all its packets are made. */
export interface Command {
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
export function commandPayload(topic: number, command: Command): string {
  const { decision, json } = command;
  if (topic === COMMAND_JSON) return json;
  const flag = RUN_ENABLED_TOPICS[topic] === true ? decision.runEnabled : decision.attentionNeeded;
  return flag ? '1' : '0';
}

/** Which command topics a message goes to. */
export function topicsFor(scope: 'all' | 'bits', legacyTopics: boolean): readonly number[] {
  return COMMAND_SUFFIXES.map((_, topic) => topic).filter(
    (topic) => (scope === 'all' || topic !== COMMAND_JSON) && (legacyTopics || topic < FIRST_LEGACY_SUFFIX),
  );
}

/** The length-prefixed command topics of one machine, made once. */
export function encodeTopics(topicRoot: string): readonly Buffer[] {
  return COMMAND_SUFFIXES.map((suffix) => {
    const topic = Buffer.from(`${topicRoot}/${suffix}`);
    const prefix = Buffer.alloc(2);
    prefix.writeUInt16BE(topic.length);
    return Buffer.concat([prefix, topic]);
  });
}

function lengthBytes(length: number): number {
  return length < 128 ? 1 : length < 16_384 ? 2 : length < 2_097_152 ? 3 : 4;
}

interface OutgoingMessage {
  readonly topic: string;
  readonly payload: Payload;
}

interface Delivery {
  readonly qos: number;
  readonly packetId: number;
  readonly retain: boolean;
  readonly duplicate: boolean;
}

/** Writes packets one after the other into one buffer, so that an answer is one socket write. */
export class PacketWriter {
  #bytes: Buffer;
  #at = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  puback(packetId: number): void {
    this.acknowledgement(PACKET.puback, packetId);
  }

  /** PUBACK, PUBREC, PUBREL, PUBCOMP or UNSUBACK. */
  acknowledgement(type: number, packetId: number): void {
    this.#reserve(ACKNOWLEDGEMENT_BYTES);
    this.#byte((type << 4) | (type === PACKET.pubrel ? PUBREL_FLAGS : 0));
    this.#byte(2);
    this.#uint16(packetId);
  }

  /** `payload` is ASCII or UTF-8 text. */
  publish(topic: Buffer, payload: string, qos: number, packetId: number, duplicate: boolean): void {
    const payloadLength = Buffer.byteLength(payload);
    const bodyLength = topic.length + (qos > 0 ? 2 : 0) + payloadLength;
    this.#reserve(1 + lengthBytes(bodyLength) + bodyLength);
    this.#byte((PACKET.publish << 4) | (qos << 1) | (duplicate ? DUPLICATE_FLAG : 0));
    this.#length(bodyLength);
    this.#at += topic.copy(this.#bytes, this.#at);
    if (qos > 0) this.#uint16(packetId);
    this.#at += this.#bytes.write(payload, this.#at);
  }

  /** A message for a reader. */
  message({ topic, payload }: OutgoingMessage, { qos, packetId, retain, duplicate }: Delivery): void {
    const topicLength = Buffer.byteLength(topic);
    const bodyLength = 2 + topicLength + (qos > 0 ? 2 : 0) + payload.length;
    this.#reserve(1 + lengthBytes(bodyLength) + bodyLength);
    this.#byte((PACKET.publish << 4) | (qos << 1) | (duplicate ? DUPLICATE_FLAG : 0) | (retain ? 1 : 0));
    this.#length(bodyLength);
    this.#uint16(topicLength);
    this.#at += this.#bytes.write(topic, this.#at);
    if (qos > 0) this.#uint16(packetId);
    this.#at += this.#bytes.write(payload, this.#at, 'latin1');
  }

  get length(): number {
    return this.#at;
  }

  /** The packets written so far; the writer starts a buffer of its own afterwards. */
  take(): Buffer {
    const packets = this.#bytes.subarray(0, this.#at);
    this.#bytes = Buffer.alloc(0);
    this.#at = 0;
    return packets;
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
}
