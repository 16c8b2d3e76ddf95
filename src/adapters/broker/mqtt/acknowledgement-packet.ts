import { LIMITS } from '../limits.ts';
import { Fields } from './fields.ts';
import type { PacketFault } from './packet-fault.ts';
import { type PacketWithProperties, readProperties } from './properties.ts';
import { type MqttVersion, REASON } from './reason-codes.ts';
import { readPacketId } from './subscribe-packet.ts';

/** A PUBACK, PUBREC, PUBREL or PUBCOMP. A `code` from 0x80 on refuses the message. */
export interface AcknowledgementPacket {
  readonly packetId: number;
  readonly code: number;
}

const OF_MESSAGES = [0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99];
const OF_RELEASES = [0x00, 0x92];
const CODES = { puback: OF_MESSAGES, pubrec: OF_MESSAGES, pubrel: OF_RELEASES, pubcomp: OF_RELEASES } as const;

export type AcknowledgementName = keyof typeof CODES;

export function readAcknowledgement(
  frame: Buffer,
  bodyAt: number,
  name: AcknowledgementName,
  version: MqttVersion,
): AcknowledgementPacket | PacketFault {
  const fields = new Fields(frame, bodyAt);
  const packetId = readPacketId(fields);
  const code = version === 5 ? readReason(fields, name, CODES[name]) : REASON.success;
  return fields.fault ?? { packetId, code };
}

/** The end of a client's connection by itself. */
export interface DisconnectPacket {
  /** The will is published all the same. */
  readonly withWill: boolean;
  /** The client changes it on its way out; null: it stays. */
  readonly sessionExpiryMs: number | null;
}

const OF_DISCONNECTS = [0x00, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99];

export function readDisconnect(frame: Buffer, bodyAt: number, version: MqttVersion): DisconnectPacket | PacketFault {
  if (version < 5 || bodyAt >= frame.length) return { withWill: false, sessionExpiryMs: null };
  const fields = new Fields(frame, bodyAt);
  const code = fields.byte();
  if (!OF_DISCONNECTS.includes(code)) fields.fail(`a DISCONNECT with reason code ${code}`, REASON.protocolError);
  const properties = fields.hasMore ? readProperties(fields, 'disconnect') : null;
  if (properties?.serverReference !== undefined) {
    fields.fail('a DISCONNECT of a client with a server reference', REASON.protocolError);
  }
  if (fields.hasMore) fields.fail('bytes behind the last field of a DISCONNECT');
  const expiryS = properties?.sessionExpiryInterval;
  const sessionExpiryMs = expiryS === undefined ? null : Math.min(expiryS * 1_000, LIMITS.sessionExpiryMs);
  return fields.fault ?? { withWill: code !== REASON.success, sessionExpiryMs };
}

function readReason(fields: Fields, packet: PacketWithProperties, codes: readonly number[]): number {
  if (!fields.hasMore) return REASON.success;
  const code = fields.byte();
  if (!codes.includes(code)) fields.fail(`a ${packet.toUpperCase()} with reason code ${code}`, REASON.protocolError);
  if (fields.hasMore) readProperties(fields, packet);
  if (fields.hasMore) fields.fail(`bytes behind the last field of a ${packet.toUpperCase()}`);
  return code;
}
