import fc from 'fast-check';
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { type ConnectPacket, readConnect } from '../../../../src/adapters/broker/mqtt/connect-packet.ts';
import { FrameReader } from '../../../../src/adapters/broker/mqtt/frame.ts';
import { PacketFault } from '../../../../src/adapters/broker/mqtt/packet-fault.ts';
import type { MqttVersion } from '../../../../src/adapters/broker/mqtt/reason-codes.ts';
import { readSubscribe } from '../../../../src/adapters/broker/mqtt/subscribe-packet.ts';
import { rounds } from '../../../rounds.ts';

const MEGABYTE = 1_048_576;
const RUNS = rounds(2_000);

/** A frame parsed by mqtt-packet; null if it refuses the frame. */
function byLibrary(frame: Buffer, version: MqttVersion): Packet | null {
  let parsed: Packet | null = null;
  let failed = false;
  const reader = parser({ protocolVersion: version });
  reader.on('packet', (packet) => {
    parsed ??= packet;
  });
  reader.on('error', () => {
    failed = true;
  });
  reader.parse(Buffer.from(frame));
  return failed ? null : parsed;
}

/** The whole frame read by our reader; null if it is no packet of that kind. */
function byUs<Read>(frame: Buffer, first: number, version: MqttVersion, read: (frame: Buffer, at: number) => Read) {
  const frames = new FrameReader(MEGABYTE);
  frames.version = version;
  frames.push(frame);
  const whole = frames.next();
  const isOurs = Buffer.isBuffer(whole) && whole[0] === first && whole.length === frame.length;
  return isOurs ? read(whole, frames.bodyAt) : null;
}

const qos = fc.constantFrom(0 as const, 1 as const, 2 as const);
const noNul = { unit: 'grapheme' } as const;
const text = fc.string({ ...noNul, maxLength: 40 }).filter((value) => !value.includes('\u0000'));
const topic = fc.string({ ...noNul, minLength: 1, maxLength: 200 }).filter((value) => !value.includes('\u0000'));
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const version = fc.constantFrom(4 as const, 5 as const);

const connects: fc.Arbitrary<IConnectPacket> = fc
  .record(
    {
      protocolVersion: version,
      clientId: text.map((suffix) => `M${suffix}`),
      clean: fc.boolean(),
      keepalive: fc.nat(65_535),
      will: fc.record({ topic, payload: bytes, qos, retain: fc.boolean() }),
      // mqtt-packet writes no password without a user name, and leaves an empty one of either out.
      user: fc.record({ username: topic, password: fc.option(fc.uint8Array({ minLength: 1, maxLength: 60 })) }),
      properties: fc.record(
        {
          sessionExpiryInterval: fc.nat(4_294_967_295),
          receiveMaximum: fc.integer({ min: 1, max: 65_535 }),
          maximumPacketSize: fc.integer({ min: 1, max: 4_294_967_295 }),
          requestProblemInformation: fc.boolean(),
          requestResponseInformation: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['protocolVersion', 'clientId', 'clean', 'keepalive'] },
  )
  .map(({ user, properties, ...rest }) => ({
    cmd: 'connect',
    protocolId: 'MQTT',
    ...rest,
    ...(properties && rest.protocolVersion === 5 && { properties }),
    ...(user && { username: user.username, ...(user.password && { password: Buffer.from(user.password) }) }),
  }));

/** A CONNECT that mqtt-packet has read, as our reader gives it. */
function meaningOf(packet: Packet | null): Partial<ConnectPacket> | null {
  if (packet?.cmd !== 'connect') return null;
  const { will, properties = {} } = packet;
  return {
    version: packet.protocolVersion ?? 4,
    clientId: packet.clientId,
    cleanStart: packet.clean ?? false,
    keepaliveS: packet.keepalive ?? 0,
    username: packet.username ?? null,
    password: packet.password ?? null,
    will:
      will === undefined
        ? null
        : {
            topic: will.topic,
            payload: Buffer.from(will.payload),
            qos: will.qos ?? 0,
            retain: will.retain ?? false,
            properties: '' as never,
            expiryMs: null,
            delayMs: 0,
          },
    bounds: {
      receiveMaximum: properties.receiveMaximum ?? 65_535,
      maximumPacketBytes: properties.maximumPacketSize ?? Number.POSITIVE_INFINITY,
      wantsReasons: packet.protocolVersion === 5 && properties.requestProblemInformation !== false,
    },
    wantsResponseInformation: properties.requestResponseInformation === true,
  };
}

/** Bytes changed, removed, inserted; the remaining length mostly stays right, so that the damage is in the fields. */
const damages = fc.array(
  fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.constantFrom('change', 'flip', 'remove', 'insert', 'cut') }),
  { minLength: 1, maxLength: 4 },
);

function damaged(frame: Buffer, done: typeof damages extends fc.Arbitrary<infer Value> ? Value : never): Buffer {
  const all = [...frame];
  for (const { at, byte, how } of done) {
    const index = at % Math.min(all.length, 64);
    if (how === 'change') all[index] = byte;
    else if (how === 'flip') all[index] = (all[index] ?? 0) ^ (1 << (byte % 8));
    else if (how === 'remove') all.splice(index, 1);
    else if (how === 'insert') all.splice(index, 0, byte);
    else all.splice(Math.max(2, index));
  }
  if (all.length - 2 < 128) all[1] = all.length - 2;
  return Buffer.from(all);
}

describe('reading a CONNECT', () => {
  it('MQTT-10 gives the same packet as mqtt-packet, in MQTT 3.1.1 and 5', () => {
    fc.assert(
      fc.property(connects, (packet) => {
        const frame = generate(packet);
        const library = meaningOf(byLibrary(frame, packet.protocolVersion === 5 ? 5 : 4));
        expect(library).not.toBeNull();
        expect(byUs(frame, 0x10, 4, readConnect)).toMatchObject(library ?? {});
      }),
      { numRuns: RUNS },
    );
  });

  it('MQTT-12 takes nothing that mqtt-packet refuses', () => {
    fc.assert(
      fc.property(connects, damages, (packet, done) => {
        const frame = damaged(generate(packet), done);
        const own = byUs(frame, 0x10, 4, readConnect);
        if (own !== null && !(own instanceof PacketFault)) {
          expect(byLibrary(frame, own.version === 5 ? 5 : 4)).toMatchObject({ clientId: own.clientId });
        }
      }),
      { numRuns: RUNS },
    );
  });
});

const PROTOCOL = [0, 4, ...Buffer.from('MQTT')];
const END_5 = [0, 1, 65];

describe('a CONNECT that is refused', () => {
  it.each<readonly [string, number, readonly number[]]>([
    ['another protocol', 0x81, [0, 4, ...Buffer.from('MQTX'), 4, 2, 0, 60, 0, 1, 65]],
    ['the reserved flag (MQTT-3.1.2-3)', 0x81, [...PROTOCOL, 4, 3, 0, 60, 0, 1, 65]],
    ['a QoS of a will that is not there (MQTT-3.1.2-13)', 0x81, [...PROTOCOL, 4, 0x0a, 0, 60, 0, 1, 65]],
    ['a will to retain that is not there (MQTT-3.1.2-15)', 0x81, [...PROTOCOL, 4, 0x22, 0, 60, 0, 1, 65]],
    ['QoS 3 of a will (MQTT-3.1.2-14)', 0x81, [...PROTOCOL, 4, 0x1e, 0, 60, 0, 1, 65, 0, 1, 65, 0, 0]],
    ['a client id that is no UTF-8 (MQTT-1.5.3-1)', 0x81, [...PROTOCOL, 4, 2, 0, 60, 0, 1, 0xff]],
    ['a client id with U+0000 (MQTT-1.5.3-2)', 0x81, [...PROTOCOL, 4, 2, 0, 60, 0, 1, 0]],
    ['a client id longer than the packet', 0x81, [...PROTOCOL, 4, 2, 0, 60, 0, 9, 65]],
    ['no client id', 0x81, [...PROTOCOL, 4, 2, 0, 60]],
    ['bytes behind its last field', 0x81, [...PROTOCOL, 4, 2, 0, 60, 0, 1, 65, 66]],
    ['a password without a user name in 3.1.1', 0x81, [...PROTOCOL, 4, 0x42, 0, 60, 0, 1, 65, 0, 1, 65]],
    ['nothing', 0x81, []],
    ['5: a property that does not exist', 0x81, [...PROTOCOL, 5, 2, 0, 60, 2, 0x7f, 0, ...END_5]],
    ['5: a property of another packet', 0x81, [...PROTOCOL, 5, 2, 0, 60, 2, 0x01, 0, ...END_5]],
    ['5: receive maximum 0', 0x82, [...PROTOCOL, 5, 2, 0, 60, 3, 0x21, 0, 0, ...END_5]],
    ['5: receive maximum twice', 0x82, [...PROTOCOL, 5, 2, 0, 60, 6, 0x21, 0, 1, 0x21, 0, 1, ...END_5]],
    ['5: maximum packet size 0', 0x82, [...PROTOCOL, 5, 2, 0, 60, 5, 0x27, 0, 0, 0, 0, ...END_5]],
    ['5: a flag of 2', 0x82, [...PROTOCOL, 5, 2, 0, 60, 2, 0x17, 2, ...END_5]],
    ['5: properties longer than the packet', 0x81, [...PROTOCOL, 5, 2, 0, 60, 90, 0x17, 1, ...END_5]],
    ['5: a property that is cut off', 0x81, [...PROTOCOL, 5, 2, 0, 60, 2, 0x21, 0, ...END_5]],
    ['5: a length in more bytes than it needs', 0x81, [...PROTOCOL, 5, 2, 0, 60, 0x80, 0, ...END_5]],
    ['5: an authentication method', 0x8c, [...PROTOCOL, 5, 2, 0, 60, 4, 0x15, 0, 1, 65, ...END_5]],
    ['5: authentication data alone', 0x82, [...PROTOCOL, 5, 2, 0, 60, 4, 0x16, 0, 1, 65, ...END_5]],
  ])('MQTT-10 %s', (_, code, body) => {
    const fault = readConnect(Buffer.from([0x10, body.length, ...body]), 2);
    expect(fault).toBeInstanceOf(PacketFault);
    expect(fault).toMatchObject({ code });
  });

  it.each<readonly [string, number, readonly number[]]>([
    ['MQTT 3.1', 3, [0, 6, ...Buffer.from('MQIsdp'), 3, 2, 0, 60, 0, 1, 65]],
    ['a bridge', 4, [...PROTOCOL, 0x84, 2, 0, 60, 0, 1, 65]],
    ['MQTT 5 with a password alone', 5, [...PROTOCOL, 5, 0x42, 0, 60, 0, 0, 1, 65, 0, 1, 65]],
  ])('MQTT-10 but not %s', (_, level, body) => {
    expect(readConnect(Buffer.from([0x10, body.length, ...body]), 2)).toMatchObject({ version: level, clientId: 'A' });
  });
});

const subscriptions = fc.array(
  fc.record({
    topic,
    qos,
    nl: fc.boolean(),
    rap: fc.boolean(),
    rh: fc.constantFrom(0 as const, 1 as const, 2 as const),
  }),
  { minLength: 1, maxLength: 20 },
);

describe('reading a SUBSCRIBE', () => {
  it('MQTT-10 gives the same packet as mqtt-packet, in MQTT 3.1.1 and 5', () => {
    const packetId = fc.integer({ min: 1, max: 65_535 });
    fc.assert(
      fc.property(subscriptions, version, packetId, fc.nat(268_435_455), (filters, level, messageId, identifier) => {
        const plain = filters.map((filter) => (level === 5 ? filter : { topic: filter.topic, qos: filter.qos }));
        const properties = level === 5 && identifier > 0 ? { properties: { subscriptionIdentifier: identifier } } : {};
        const packet = { cmd: 'subscribe', messageId, subscriptions: plain, ...properties } as const;
        const frame = generate(packet, { protocolVersion: level });
        const read = byUs(frame, 0x82, level, (whole, at) => readSubscribe(whole, at, level));
        if (filters.some((filter) => filter.nl && filter.topic.startsWith('$share/'))) return;
        expect(read).toEqual({
          packetId: messageId,
          subscriptions: filters.map((filter) => ({
            topic: filter.topic,
            qos: filter.qos,
            noLocal: level === 5 && filter.nl,
            retainAsPublished: level === 5 && filter.rap,
            retainHandling: level === 5 ? filter.rh : 0,
            identifier: level === 5 ? identifier : 0,
          })),
        });
      }),
      { numRuns: RUNS },
    );
  });

  it.each<readonly [string, MqttVersion, readonly number[]]>([
    ['no filter (MQTT-3.8.3-3)', 4, [0, 1]],
    ['QoS 3 (MQTT-3-8.3-4)', 4, [0, 1, 0, 1, 65, 3]],
    ['reserved bits (MQTT-3-8.3-4)', 4, [0, 1, 0, 1, 65, 4]],
    ['a filter that is no UTF-8', 4, [0, 1, 0, 1, 0xff, 0]],
    ['a filter longer than the packet', 4, [0, 1, 0, 9, 65, 0]],
    ['a filter without QoS', 4, [0, 1, 0, 1, 65]],
    ['half a length', 4, [0, 1, 0, 1, 65, 0, 0]],
    ['half a packet id', 4, [0]],
    ['packet id 0', 4, [0, 0, 0, 1, 65, 0]],
    ['5: no filter', 5, [0, 1, 0]],
    ['5: reserved bits', 5, [0, 1, 0, 0, 1, 65, 0x40]],
    ['5: retain handling 3', 5, [0, 1, 0, 0, 1, 65, 0x30]],
    ['5: identifier 0', 5, [0, 1, 2, 0x0b, 0, 0, 1, 65, 0]],
    ['5: two identifiers', 5, [0, 1, 4, 0x0b, 1, 0x0b, 2, 0, 1, 65, 0]],
    ['5: no local and shared', 5, [0, 1, 0, 0, 10, ...Buffer.from('$share/a/b'), 0x04]],
  ])('MQTT-10 refuses %s', (_, level, body) => {
    expect(readSubscribe(Buffer.from([0x82, body.length, ...body]), 2, level)).toBeInstanceOf(PacketFault);
  });
});
