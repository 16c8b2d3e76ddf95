import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { afterAll, expect, it } from 'vitest';
import { rounds } from '../../../rounds.ts';
import { BrokerStage, ROOT } from '../broker-under-test.ts';
import { RawClient } from '../raw-client.ts';

/** With a share of a hundred packets a connection, `npm run fire` sends a million. */
const CONNECTIONS = rounds(11_000);
const PACKETS = 100;
/** Connections at one time. */
const AT_ONCE = 25;

const stage = new BrokerStage();
const V5 = { protocolVersion: 5 } as const;
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const topic = fc.constantFrom(
  `${ROOT}/status`,
  `${ROOT}/vars`,
  `${ROOT}/answers`,
  'a',
  'a/b',
  '$share/g/a',
  '',
  `${ROOT}/command`,
);
const qos = fc.constantFrom(0 as const, 1 as const, 2 as const);
const id = fc.integer({ min: 1, max: 300 });
const bytes = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array));

const properties = fc.record(
  {
    payloadFormatIndicator: fc.boolean(),
    messageExpiryInterval: fc.nat(100),
    topicAlias: fc.integer({ min: 1, max: 40 }),
    responseTopic: topic,
    correlationData: bytes,
    userProperties: fc.dictionary(
      text.map((name) => `n${name}`),
      text,
    ),
    contentType: text,
  },
  { requiredKeys: [] },
);

const reason = fc.constantFrom(0, 0, 0, 0x10, 0x80, 0x92, 0x99);
// Some of these break the types of mqtt-packet on purpose.
const packets: fc.Arbitrary<Packet> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      cmd: fc.constant('publish'),
      topic,
      payload: bytes,
      qos,
      retain: fc.boolean(),
      dup: fc.constant(false),
      messageId: id,
      properties,
    }),
  },
  fc.record({
    cmd: fc.constant('subscribe'),
    messageId: id,
    subscriptions: fc.array(
      fc.record({ topic, qos, nl: fc.boolean(), rap: fc.boolean(), rh: fc.constantFrom(0, 1, 2) }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({
    cmd: fc.constant('unsubscribe'),
    messageId: id,
    unsubscriptions: fc.array(topic, { minLength: 1, maxLength: 3 }),
  }),
  ...(['puback', 'pubrec', 'pubrel', 'pubcomp'] as const).map((cmd) =>
    fc.record({ cmd: fc.constant(cmd), messageId: id, reasonCode: reason }),
  ),
  fc.record({ cmd: fc.constant('pingreq') }),
) as unknown as fc.Arbitrary<Packet>;

/** Most packets are whole; of some a few bytes are changed, removed or inserted. */
const damage = fc.oneof(
  { weight: 40, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.record({
      at: fc.nat(),
      byte: fc.nat(255),
      how: fc.constantFrom('change', 'flip', 'remove', 'insert'),
    }),
  },
);

function framesOf(packet: Packet, done: typeof damage extends fc.Arbitrary<infer Value> ? Value : never): Buffer {
  const frame = bytesOf(packet);
  if (done === null || frame.length === 0) return frame;
  const all = [...frame];
  const index = done.at % all.length;
  if (done.how === 'change') all[index] = done.byte;
  else if (done.how === 'flip') all[index] = (all[index] ?? 0) ^ (1 << (done.byte % 8));
  else if (done.how === 'remove') all.splice(index, 1);
  else all.splice(index, 0, done.byte);
  if (all.length - 2 < 128 && done.byte % 2 === 0) all[1] = all.length - 2;
  return Buffer.from(all);
}

/** mqtt-packet refuses to write some of these packets itself. */
function bytesOf(packet: Packet): Buffer {
  try {
    return generate(packet, { protocolVersion: 5 });
  } catch {
    return Buffer.alloc(0);
  }
}

let sent = 0;
afterAll(() => console.info(`${sent} packets of MQTT 5 were sent`));

it('MQTT-12 packets of MQTT 5 with damage of every kind do no harm: each is taken, or refused with a reason', async () => {
  const under = await stage.start();
  const witness = await stage.connected(under.port, 'RF-2', V5);
  const connection = fc.record({
    clientId: fc.constantFrom('RF-1', 'hmi', 'historian', ''),
    clean: fc.boolean(),
    sessionExpiryInterval: fc.nat(2),
    receiveMaximum: fc.integer({ min: 1, max: 4 }),
    maximumPacketSize: fc.constantFrom(60, 200, 100_000),
    sends: fc.array(fc.tuple(packets, damage), { minLength: PACKETS, maxLength: PACKETS }),
  });
  const all = fc.sample(connection, { numRuns: Math.min(CONNECTIONS, 200) });
  for (let first = 0; first < CONNECTIONS; first += AT_ONCE) {
    const batch = Array.from(
      { length: Math.min(AT_ONCE, CONNECTIONS - first) },
      (_, index) => all[(first + index) % all.length],
    );
    await Promise.all(batch.map((story) => (story === undefined ? null : play(under.port, story))));
    witness.publish('plant/rf-2/status', '{}', 1);
    expect((await witness.next('puback')).reasonCode).toBe(0);
    expect(under.incidents.filter(({ kind }) => kind === 'internal')).toEqual([]);
    under.incidents.length = 0;
    under.inbox.heard.length = 0;
    witness.received.length = 0;
  }
}, 3_600_000);

type Story = {
  readonly clientId: string;
  readonly clean: boolean;
  readonly sessionExpiryInterval: number;
  readonly receiveMaximum: number;
  readonly maximumPacketSize: number;
  readonly sends: readonly (readonly [Packet, typeof damage extends fc.Arbitrary<infer Value> ? Value : never])[];
};

async function play(port: number, { clientId, clean, sends, ...limits }: Story): Promise<void> {
  const client = await RawClient.open(port, 5);
  client.send({
    cmd: 'connect',
    protocolId: 'MQTT',
    ...V5,
    clientId,
    clean: clean || clientId === '',
    keepalive: 60,
    properties: limits,
  });
  for (const [packet, done] of sends) {
    if (client.closed) break;
    client.socket.write(framesOf(packet, done));
    // Packets behind the end of the connection would not count.
    if (++sent % 10 === 0) await nextTurn();
  }
  client.socket.end();
  await client.untilClosed().catch(() => client.drop());
}
