import { LIMITS } from '../limits.ts';
import { type Payload, payloadOf } from '../readers/payload.ts';
import { Fields } from './fields.ts';
import { PacketFault } from './packet-fault.ts';
import { NO_PROPERTIES, type Properties, readProperties } from './properties.ts';
import { type MqttVersion, REASON } from './reason-codes.ts';

/** The message to publish if a client vanishes (MQTT 3.1.1, 3.1.2.5). */
export interface Will {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  /** Properties that are passed on, as bytes. */
  readonly properties: Payload;
  /** The lifetime of the message; null without one. */
  readonly expiryMs: number | null;
  /** The pause between the end of the connection and the will. */
  readonly delayMs: number;
}

/** The bounds that a client sets for what it receives. A client of 3.1.1 sets none. */
export interface ClientBounds {
  /** Messages of QoS 1 and 2 that it takes before it has acknowledged the first. */
  readonly receiveMaximum: number;
  readonly maximumPacketBytes: number;
  /** Whether acknowledgements may have a Reason String. */
  readonly wantsReasons: boolean;
}

export interface ConnectPacket {
  readonly version: MqttVersion;
  readonly clientId: string;
  /** The former session of the client ends. */
  readonly cleanStart: boolean;
  /**
   * The session outlives its connection by this time; 0: it ends with it. At most `LIMITS.sessionExpiryMs` in MQTT 5,
   * infinite in MQTT 3.
   */
  readonly sessionExpiryMs: number;
  /** The client asked for a longer session than it gets. */
  readonly isSessionShortened: boolean;
  readonly keepaliveS: number;
  readonly will: Will | null;
  readonly username: string | null;
  readonly password: Buffer | null;
  readonly bounds: ClientBounds;
  readonly wantsResponseInformation: boolean;
}

/** The highest receive maximum of MQTT, which holds where a client names none. */
const UNBOUNDED: ClientBounds = {
  receiveMaximum: 65_535,
  maximumPacketBytes: Number.POSITIVE_INFINITY,
  wantsReasons: false,
};

const FLAG = { reserved: 0x01, clean: 0x02, will: 0x04, willRetain: 0x20, password: 0x40, username: 0x80 } as const;
/** The highest QoS of MQTT. A packet with a higher one is malformed. */
const MAX_QOS = 2;
/** A bridge sets this bit of the protocol level. */
const BRIDGE = 0x80;
const VERSIONS: ReadonlySet<number> = new Set([3, 4, 5]);

/** The protocol level of a CONNECT, for example 4 for MQTT 3.1.1; null if its protocol is not MQTT. */
export function protocolLevel(frame: Buffer, bodyAt: number): number | null {
  return levelOf(new Fields(frame, bodyAt));
}

function levelOf(fields: Fields): number | null {
  const name = fields.text();
  const level = fields.byte() & ~BRIDGE;
  return fields.fault === null && (name === 'MQTT' || name === 'MQIsdp') ? level : null;
}

/** Reads a CONNECT of MQTT 3.1, 3.1.1 or 5 (3.1). A password is a view of the frame. */
export function readConnect(frame: Buffer, bodyAt: number): ConnectPacket | PacketFault {
  const fields = new Fields(frame, bodyAt);
  const level = levelOf(fields);
  if (level === null || !isSpoken(level)) return new PacketFault('a CONNECT of another protocol');
  const flags = fields.byte();
  const fault = flagFault(flags, level);
  if (fault !== null) return fault;
  const keepaliveS = fields.uint16();
  const properties = level === 5 ? readProperties(fields, 'connect') : NO_PROPERTIES;
  const packet: ConnectPacket = {
    version: level,
    cleanStart: (flags & FLAG.clean) !== 0,
    sessionExpiryMs: sessionExpiryMs(level, flags, properties),
    isSessionShortened: (properties.sessionExpiryInterval ?? 0) * 1_000 > LIMITS.sessionExpiryMs,
    keepaliveS,
    clientId: fields.text(),
    will: (flags & FLAG.will) === 0 ? null : readWill(fields, flags, level),
    username: (flags & FLAG.username) === 0 ? null : fields.text(),
    password: (flags & FLAG.password) === 0 ? null : fields.bytes(),
    bounds: level === 5 ? boundsOf(properties) : UNBOUNDED,
    wantsResponseInformation: properties.requestResponseInformation === 1,
  };
  if (fields.hasMore) fields.fail('bytes behind the last field of a CONNECT');
  if (level === 5 && frame[bodyAt - 1] === 0) fields.fail('a length is written in more bytes than it needs');
  return fields.fault ?? authenticationFault(properties) ?? packet;
}

function isSpoken(level: number): level is MqttVersion {
  return VERSIONS.has(level);
}

function flagFault(flags: number, version: MqttVersion): PacketFault | null {
  const willQos = (flags >> 3) & 3;
  if ((flags & FLAG.reserved) !== 0) return new PacketFault('a CONNECT whose reserved flag is set');
  if (willQos > MAX_QOS) return new PacketFault(`a will of QoS ${willQos} (MQTT-3.1.2-14)`);
  if ((flags & FLAG.will) === 0 && (flags & (FLAG.willRetain | 0x18)) !== 0) {
    return new PacketFault('flags of a will without a will (MQTT-3.1.2-11)');
  }
  const passwordAlone = (flags & FLAG.password) !== 0 && (flags & FLAG.username) === 0;
  return passwordAlone && version < 5 ? new PacketFault('a password without a user name (MQTT-3.1.2-22)') : null;
}

function readWill(fields: Fields, flags: number, version: MqttVersion): Will {
  const properties = version === 5 ? readProperties(fields, 'will') : NO_PROPERTIES;
  const topic = fields.text();
  const payload = Buffer.from(fields.bytes());
  return {
    topic,
    payload,
    qos: ((flags >> 3) & 3) as 0 | 1 | 2,
    retain: (flags & FLAG.willRetain) !== 0,
    properties: payloadOf(Buffer.concat(properties.passedOn)),
    expiryMs: messageExpiryMs(properties),
    delayMs: (properties.willDelayInterval ?? 0) * 1_000,
  };
}

/** The lifetime of a message; null without one. */
export function messageExpiryMs({ messageExpiryInterval }: Properties): number | null {
  return messageExpiryInterval === undefined ? null : messageExpiryInterval * 1_000;
}

function sessionExpiryMs(version: MqttVersion, flags: number, { sessionExpiryInterval = 0 }: Properties): number {
  if (version === 5) return Math.min(sessionExpiryInterval * 1_000, LIMITS.sessionExpiryMs);
  return (flags & FLAG.clean) === 0 ? Number.POSITIVE_INFINITY : 0;
}

function boundsOf({ receiveMaximum, maximumPacketSize, requestProblemInformation }: Properties): ClientBounds {
  return {
    receiveMaximum: receiveMaximum ?? UNBOUNDED.receiveMaximum,
    maximumPacketBytes: maximumPacketSize ?? UNBOUNDED.maximumPacketBytes,
    wantsReasons: requestProblemInformation !== 0,
  };
}

/** Enhanced authentication is not offered (MQTT 5, 4.12). */
function authenticationFault({ authenticationMethod, authenticationData }: Properties): PacketFault | null {
  if (authenticationMethod !== undefined) {
    return new PacketFault(
      `authentication method ${authenticationMethod}: none is offered, use a password`,
      REASON.badAuthenticationMethod,
    );
  }
  return authenticationData === undefined
    ? null
    : new PacketFault('authentication data without a method', REASON.protocolError);
}
