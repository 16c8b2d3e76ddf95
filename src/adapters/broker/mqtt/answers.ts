import { LIMITS } from '../limits.ts';
import { PACKET } from './frame.ts';
import {
  type Encoding,
  numberProperty,
  PacketWriter,
  propertyBlock,
  reasonString,
  textProperty,
} from './packet-writer.ts';
import { PROPERTY } from './properties.ts';
import { type MqttVersion, REASON, type Reason, type ReasonCode } from './reason-codes.ts';

/** CONNACK's return codes of MQTT 3.1.1 (3.2.2.3) for the reasons of MQTT 5. */
const RETURN_CODES: ReadonlyMap<ReasonCode, number> = new Map<ReasonCode, number>([
  [REASON.success, 0],
  [REASON.unsupportedVersion, 1],
  [REASON.clientIdNotValid, 2],
  [REASON.serverUnavailable, 3],
  [REASON.quotaExceeded, 3],
  [REASON.badCredentials, 4],
  [REASON.notAuthorized, 5],
]);
const SERVER_UNAVAILABLE = 3;

/** A refusing CONNACK. */
export function refusingConnack(
  version: MqttVersion,
  { code, text }: Reason,
  maximumPacketBytes = Number.POSITIVE_INFINITY,
): Buffer {
  return version === 5
    ? connackOf5(code, false, [reasonString(text)], maximumPacketBytes)
    : connackOf3(RETURN_CODES.get(code) ?? SERVER_UNAVAILABLE, false);
}

/** The properties of a CONNACK of MQTT 5. */
export interface Welcome {
  readonly maxPacketBytes: number;
  /** The lifetime of the session, where it is not the one that the client asked for. */
  readonly sessionExpiryMs: number | null;
  readonly assignedClientId: string | null;
  /** The topic on which answers come. */
  readonly responseInformation: string | null;
}

/** An accepting CONNACK. MQTT 3.1 has no byte for `sessionPresent`. */
export function acceptingConnack(
  version: MqttVersion,
  sessionPresent: boolean,
  welcome: Welcome,
  maximumPacketBytes: number,
): Buffer {
  if (version < 5) return connackOf3(0, sessionPresent && version !== 3);
  const { maxPacketBytes, sessionExpiryMs, assignedClientId, responseInformation } = welcome;
  const properties = [
    numberProperty(PROPERTY.receiveMaximum, LIMITS.unstoredPublications, 2),
    numberProperty(PROPERTY.maximumPacketSize, maxPacketBytes, 4),
    numberProperty(PROPERTY.topicAliasMaximum, LIMITS.topicAliases, 2),
  ];
  if (sessionExpiryMs !== null) {
    properties.push(numberProperty(PROPERTY.sessionExpiryInterval, Math.round(sessionExpiryMs / 1_000), 4));
  }
  if (assignedClientId !== null) properties.push(textProperty(PROPERTY.assignedClientIdentifier, assignedClientId));
  if (responseInformation !== null) properties.push(textProperty(PROPERTY.responseInformation, responseInformation));
  return connackOf5(REASON.success, sessionPresent, properties, maximumPacketBytes);
}

function connackOf3(returnCode: number, sessionPresent: boolean): Buffer {
  return Buffer.from([PACKET.connack << 4, 2, sessionPresent ? 1 : 0, returnCode]);
}

/** The properties give way where the packet would be too large for the client. */
function connackOf5(
  code: ReasonCode,
  sessionPresent: boolean,
  properties: readonly Buffer[],
  maximumPacketBytes: number,
): Buffer {
  const head = Buffer.from([sessionPresent ? 1 : 0, code]);
  const whole = packetOf(PACKET.connack, Buffer.concat([head, propertyBlock(properties)]));
  return whole.length <= maximumPacketBytes
    ? whole
    : packetOf(PACKET.connack, Buffer.concat([head, propertyBlock([])]));
}

/** A SUBACK, with the sentence about the first filter that is refused or wrong. */
export function suback(packetId: number, codes: readonly number[], text: string, encoding: Encoding): Buffer {
  return answerOf(PACKET.suback, packetId, codes, text, encoding);
}

export function unsuback(packetId: number, codes: readonly number[], encoding: Encoding): Buffer {
  return answerOf(PACKET.unsuback, packetId, encoding.isVersion5 ? codes : [], '', encoding);
}

function answerOf(type: number, packetId: number, codes: readonly number[], text: string, encoding: Encoding): Buffer {
  const id = Buffer.from([packetId >> 8, packetId & 0xff]);
  const bodyOf = (properties: readonly Buffer[]) =>
    Buffer.concat([id, ...(encoding.isVersion5 ? [propertyBlock(properties)] : []), Buffer.from(codes)]);
  const bare = packetOf(type, bodyOf([]));
  if (text === '' || !encoding.isVersion5 || !encoding.wantsReasons) return bare;
  const told = packetOf(type, bodyOf([reasonString(text)]));
  return told.length <= encoding.maximumPacketBytes ? told : bare;
}

/** The DISCONNECT of the gateway; MQTT 3.1.1 has none. */
export function disconnectPacket({ code, text }: Reason, maximumPacketBytes: number): Buffer {
  const told = packetOf(PACKET.disconnect, Buffer.concat([Buffer.from([code]), propertyBlock([reasonString(text)])]));
  return told.length <= maximumPacketBytes ? told : packetOf(PACKET.disconnect, Buffer.from([code]));
}

function packetOf(type: number, body: Buffer): Buffer {
  const writer = new PacketWriter(body.length + 5);
  writer.packet(type << 4, body);
  return writer.take();
}
