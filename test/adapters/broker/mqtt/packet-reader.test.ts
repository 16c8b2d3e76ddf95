import fc from 'fast-check';
import { generate, type IConnectPacket, type ISubscribePacket, type Packet, parser } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { FrameReader } from '../../../../src/adapters/broker/mqtt/frame.ts';
import { readConnect, readSubscribe } from '../../../../src/adapters/broker/mqtt/packet-reader.ts';
import { rounds } from '../../../rounds.ts';

const MEGABYTE = 1_048_576;
const RUNS = rounds(2_000);

/** A frame parsed by mqtt-packet, without the library's own fields; null if it refuses the frame. */
function byLibrary(frame: Buffer): Record<string, unknown> | null {
  let parsed: Packet | null = null;
  let failed = false;
  const reader = parser({ protocolVersion: 4 });
  reader.on('packet', (packet) => {
    parsed ??= packet;
  });
  reader.on('error', () => {
    failed = true;
  });
  reader.parse(Buffer.from(frame));
  if (failed || parsed === null) return null;
  const own = new Set(['retain', 'qos', 'dup', 'length', 'topic', 'payload']);
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => !own.has(name)));
}

type Read = typeof readConnect | typeof readSubscribe;

/** The frame read by our reader; null also if it is no packet of that kind. */
function byUs(frame: Buffer, first: number, read: Read): ReturnType<Read> {
  const frames = new FrameReader(MEGABYTE);
  frames.push(frame);
  const whole = frames.next();
  const isOurs = Buffer.isBuffer(whole) && whole[0] === first && whole.length === frame.length;
  return isOurs ? read(whole, frames.bodyAt) : null;
}

const qos = fc.constantFrom(0 as const, 1 as const, 2 as const);
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const topic = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));

const connects: fc.Arbitrary<IConnectPacket> = fc
  .record(
    {
      clientId: text.map((suffix) => `M${suffix}`),
      clean: fc.boolean(),
      keepalive: fc.nat(65_535),
      will: fc.record({ topic, payload: bytes, qos, retain: fc.boolean() }),
      // mqtt-packet writes no password without a user name, and leaves an empty one of either out.
      user: fc.record({ username: topic, password: fc.option(fc.uint8Array({ minLength: 1, maxLength: 60 })) }),
    },
    { requiredKeys: ['clientId', 'clean', 'keepalive'] },
  )
  .map(({ user, ...rest }) => ({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    ...rest,
    ...(user && { username: user.username, ...(user.password && { password: Buffer.from(user.password) }) }),
  }));

const subscribes: fc.Arbitrary<ISubscribePacket> = fc.record({
  cmd: fc.constant('subscribe'),
  messageId: fc.integer({ min: 1, max: 65_535 }),
  subscriptions: fc.array(fc.record({ topic, qos }), { minLength: 1, maxLength: 20 }),
});

const kinds = [
  ['CONNECT', 0x10, connects, readConnect],
  ['SUBSCRIBE', 0x82, subscribes, readSubscribe],
] as const;

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

describe.each(kinds)('reading a %s', (_, first, packets, read) => {
  it('MQTT-10 gives the same packet as mqtt-packet', () => {
    fc.assert(
      fc.property(packets as fc.Arbitrary<Packet>, (packet) => {
        const frame = generate(packet);
        const library = byLibrary(frame);
        expect(library).not.toBeNull();
        expect(byUs(frame, first, read)).toEqual(library);
      }),
      { numRuns: RUNS },
    );
  });

  it('MQTT-12 leaves everything unusual to mqtt-packet', () => {
    fc.assert(
      fc.property(packets as fc.Arbitrary<Packet>, damages, (packet, done) => {
        const frame = damaged(generate(packet), done);
        const own = byUs(frame, first, read);
        if (own !== null && own !== 'overlong') expect(own).toEqual(byLibrary(frame));
      }),
      { numRuns: RUNS },
    );
  });
});

const PROTOCOL = [0, 4, ...Buffer.from('MQTT')];

describe('packets that are left to mqtt-packet', () => {
  it.each([
    ['MQTT 3.1', [0, 6, ...Buffer.from('MQIsdp'), 3, 2, 0, 60, 0, 1, 65]],
    ['MQTT 5', [...PROTOCOL, 5, 2, 0, 60, 0, 0, 1, 65]],
    ['a bridge', [...PROTOCOL, 0x84, 2, 0, 60, 0, 1, 65]],
    ['another protocol', [0, 4, ...Buffer.from('MQTX'), 4, 2, 0, 60, 0, 1, 65]],
    ['the reserved flag (MQTT-3.1.2-3)', [...PROTOCOL, 4, 3, 0, 60, 0, 1, 65]],
    ['a QoS of a will that is not there (MQTT-3.1.2-13)', [...PROTOCOL, 4, 0x0a, 0, 60, 0, 1, 65]],
    ['a will to retain that is not there (MQTT-3.1.2-15)', [...PROTOCOL, 4, 0x22, 0, 60, 0, 1, 65]],
    ['QoS 3 of a will (MQTT-3.1.2-14)', [...PROTOCOL, 4, 0x1e, 0, 60, 0, 1, 65, 0, 1, 65, 0, 0]],
    ['a client id that is no UTF-8 (MQTT-1.5.3-1)', [...PROTOCOL, 4, 2, 0, 60, 0, 1, 0xff]],
    ['a client id longer than the packet', [...PROTOCOL, 4, 2, 0, 60, 0, 9, 65]],
    ['no client id', [...PROTOCOL, 4, 2, 0, 60]],
    ['nothing', []],
  ])('MQTT-10 a CONNECT with %s', (_, body) => {
    expect(readConnect(Buffer.from([0x10, body.length, ...body]), 2)).toBeNull();
  });

  it('MQTT-10 but a CONNECT with more bytes after its last field is refused, although mqtt-packet would take it', () => {
    const frame = Buffer.from([0x10, 14, ...PROTOCOL, 4, 2, 0, 60, 0, 1, 65, 66]);
    expect(byLibrary(frame)).toMatchObject({ cmd: 'connect', clientId: 'A' });
    expect(readConnect(frame, 2)).toBe('overlong');
  });

  it.each([
    ['no filter (MQTT-3.8.3-3)', [0, 1]],
    ['QoS 3 (MQTT-3-8.3-4)', [0, 1, 0, 1, 65, 3]],
    ['reserved bits (MQTT-3-8.3-4)', [0, 1, 0, 1, 65, 4]],
    ['a filter that is no UTF-8', [0, 1, 0, 1, 0xff, 0]],
    ['a filter longer than the packet', [0, 1, 0, 9, 65, 0]],
    ['a filter without QoS', [0, 1, 0, 1, 65]],
    ['half a length', [0, 1, 0, 1, 65, 0, 0]],
    ['half a packet id', [0]],
  ])('MQTT-10 a SUBSCRIBE with %s', (_, body) => {
    expect(readSubscribe(Buffer.from([0x82, body.length, ...body]), 2)).toBeNull();
  });
});
