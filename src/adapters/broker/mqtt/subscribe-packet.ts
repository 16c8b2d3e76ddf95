import { LIMITS } from '../limits.ts';
import { Fields } from './fields.ts';
import { PacketFault } from './packet-fault.ts';
import { NO_PROPERTIES, readProperties } from './properties.ts';
import { type MqttVersion, REASON } from './reason-codes.ts';

/** The options of one subscription. Those of MQTT 5 have their defaults in 3.1.1. */
export interface SubscriptionOptions {
  readonly qos: 0 | 1 | 2;
  /** The client does not get what it publishes itself. */
  readonly noLocal: boolean;
  /** Messages keep their retain flag. */
  readonly retainAsPublished: boolean;
  /** Retained messages are sent at each SUBSCRIBE, at a new subscription, or never. */
  readonly retainHandling: 0 | 1 | 2;
  /** Each message names the subscription by it; 0: it has none. */
  readonly identifier: number;
}

export interface Subscription extends SubscriptionOptions {
  readonly topic: string;
}

export interface SubscribePacket {
  readonly packetId: number;
  readonly subscriptions: readonly Subscription[];
}

export interface UnsubscribePacket {
  readonly packetId: number;
  readonly filters: readonly string[];
}

const MAX_QOS = 2;
const OPTION = { qos: 0x03, noLocal: 0x04, retainAsPublished: 0x08, reserved: 0xc0, reserved311: 0xfc } as const;
const SHARED = '$share/';

export function readSubscribe(frame: Buffer, bodyAt: number, version: MqttVersion): SubscribePacket | PacketFault {
  const fields = new Fields(frame, bodyAt);
  const packetId = readPacketId(fields);
  const { subscriptionIdentifiers } = version === 5 ? readProperties(fields, 'subscribe') : NO_PROPERTIES;
  const subscriptions: Subscription[] = [];
  while (fields.hasMore) {
    if (subscriptions.length === LIMITS.filtersPerSubscribe) return tooMany(LIMITS.filtersPerSubscribe, 'SUBSCRIBE');
    subscriptions.push(readSubscription(fields, version, subscriptionIdentifiers[0] ?? 0));
  }
  if (subscriptions.length === 0) fields.fail('a SUBSCRIBE of nothing', REASON.protocolError);
  return fields.fault ?? { packetId, subscriptions };
}

function readSubscription(fields: Fields, version: MqttVersion, identifier: number): Subscription {
  const topic = fields.text();
  const options = fields.byte();
  const qos = options & OPTION.qos;
  const retainHandling = (options >> 4) & 3;
  const noLocal = (options & OPTION.noLocal) !== 0;
  if (topic === '') fields.fail('a filter that is empty');
  if (qos > MAX_QOS) fields.fail('a filter with QoS 3: choose 0, 1 or 2');
  if ((options & (version === 5 ? OPTION.reserved : OPTION.reserved311)) !== 0) {
    fields.fail('a filter whose reserved bits are set');
  }
  if (retainHandling > 2) fields.fail('retain handling: found 3, expected 0, 1 or 2', REASON.protocolError);
  if (noLocal && topic.startsWith(SHARED)) {
    fields.fail('no local with a shared subscription (MQTT-3.8.3-4)', REASON.protocolError);
  }
  return {
    topic,
    qos: qos as 0 | 1 | 2,
    noLocal,
    retainAsPublished: (options & OPTION.retainAsPublished) !== 0,
    retainHandling: retainHandling as 0 | 1 | 2,
    identifier,
  };
}

export function readUnsubscribe(frame: Buffer, bodyAt: number, version: MqttVersion): UnsubscribePacket | PacketFault {
  const fields = new Fields(frame, bodyAt);
  const packetId = readPacketId(fields);
  if (version === 5) readProperties(fields, 'unsubscribe');
  const filters: string[] = [];
  while (fields.hasMore) {
    if (filters.length === LIMITS.filtersPerUnsubscribe) return tooMany(LIMITS.filtersPerUnsubscribe, 'UNSUBSCRIBE');
    const filter = fields.text();
    if (filter === '') fields.fail('a filter that is empty');
    filters.push(filter);
  }
  if (filters.length === 0) fields.fail('an UNSUBSCRIBE of nothing', REASON.protocolError);
  return fields.fault ?? { packetId, filters };
}

export function readPacketId(fields: Fields): number {
  const packetId = fields.uint16();
  if (packetId === 0) fields.fail('a packet without packet id', REASON.protocolError);
  return packetId;
}

function tooMany(limit: number, packet: string): PacketFault {
  return new PacketFault(`more than ${limit} filters in one ${packet}`, REASON.quotaExceeded, 'limitReached');
}
