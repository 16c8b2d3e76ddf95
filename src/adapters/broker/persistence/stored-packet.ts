/** A packet of aedes: a whole PUBLISH, or an acknowledgement with only an id. */
export interface StoredPacket {
  readonly cmd?: string | undefined;
  readonly topic?: string | undefined;
  readonly payload?: Buffer | string | undefined;
  readonly qos?: 0 | 1 | 2 | undefined;
  readonly retain?: boolean | undefined;
  readonly dup?: boolean | undefined;
  readonly brokerId?: string | undefined;
  readonly brokerCounter?: number | undefined;
  readonly messageId?: number | undefined;
  /** Properties of MQTT 5 that are passed on, as bytes. */
  readonly passedOn?: string | undefined;
  /** The end of the message's lifetime, in wall-clock milliseconds. */
  readonly expiresAt?: number | undefined;
}

/** A copy that shares no memory with the socket its payload came from. */
export function copyOf(packet: StoredPacket): StoredPacket {
  return packet.payload instanceof Buffer ? { ...packet, payload: Buffer.from(packet.payload) } : { ...packet };
}

/** A message as it waits for its receiver: as published, but with no packet id yet. */
export function queuedPacket(packet: StoredPacket): StoredPacket {
  const {
    cmd = 'publish',
    brokerId,
    brokerCounter,
    topic,
    payload,
    qos = 0,
    retain = false,
    dup = false,
  } = copyOf(packet);
  const queued = { cmd, brokerId, brokerCounter, topic, payload, qos, retain, dup };
  return qos > 0 ? { ...queued, messageId: undefined } : queued;
}
