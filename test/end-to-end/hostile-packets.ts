import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { between, oneOf, type Random } from '../../src/simulator/random.ts';
import { type ConnectPacket, connectOf } from '../adapters/broker/raw-client.ts';

export const VICTIM = 'VICTIM';
export const VICTIM_ROOT = 'elsewhere/victim';
const SOCKETS_AT_ONCE = 25;
const PACKETS_PER_CONNECTION = 20;
const PATIENCE_MS = 50;

export function whole(from: number, to: number, random: Random): number {
  return Math.floor(between([from, to + 1], random));
}

export function randomBytes(length: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length }, () => whole(0, 255, random)));
}

export function connectPacket(clientId: string, more: Partial<ConnectPacket> = {}): Buffer {
  return generate(connectOf(clientId, more));
}

export function publishPacket(topic: string, payload: Buffer | string, qos: 0 | 1 | 2, messageId = 7, retain = false) {
  return generate({ cmd: 'publish', topic, payload, qos, retain, dup: false, ...(qos > 0 && { messageId }) });
}

/** Topics that are no text, contain forbidden characters, or look like those of another machine. */
const ODD_TOPICS: readonly Buffer[] = [
  Buffer.from([0xc3, 0x28]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
  Buffer.from('a\u0000b'),
  Buffer.from('a/+/b'),
  Buffer.from('#'),
  Buffer.from(''),
  Buffer.from('\ufeffstatus'),
  Buffer.from('$SYS/broker'),
  Buffer.from('$share/group/a'),
  Buffer.from('/'.repeat(2_000)),
  Buffer.from('é'.repeat(700)),
  Buffer.from(`${VICTIM_ROOT}/command`),
  Buffer.from(`${VICTIM_ROOT}/status/\u202egnirts`),
];

/** A PUBLISH of any bytes as topic, which no library would write. */
function publishOf(topic: Buffer, payload: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from([topic.length >> 8, topic.length & 0xff]), topic, payload]);
  const length: number[] = [];
  for (let left = body.length; ; left = Math.floor(left / 128)) {
    length.push((left % 128) | (left >= 128 ? 0x80 : 0));
    if (left < 128) break;
  }
  return Buffer.concat([Buffer.from([0x30, ...length]), body]);
}

function validPacket(random: Random): Buffer {
  const messageId = whole(1, 65_535, random);
  const qos = whole(0, 2, random) as 0 | 1 | 2;
  const suffix = oneOf('status', ['vars', 'online', 'lwt', 'status/running', 'vars/x', 'command', 'free'], random);
  const topic = oneOf(`${VICTIM_ROOT}/${suffix}`, ['free/talk', 'free/talk/more'], random);
  const packets: readonly (() => Buffer)[] = [
    () => connectPacket(VICTIM, { will: { topic, payload: Buffer.from('gone'), qos, retain: true } }),
    () => publishPacket(topic, randomJson(random), qos, messageId, random() < 0.3),
    () => publishPacket(topic, randomBytes(whole(0, 60, random), random), qos, messageId),
    () => publishOf(oneOf(Buffer.from('x'), ODD_TOPICS, random), randomBytes(10, random)),
    () => generate({ cmd: 'subscribe', messageId, subscriptions: [{ topic, qos }] }),
    () => generate({ cmd: 'subscribe', messageId, subscriptions: [{ topic: 'free/#', qos }] }),
    () => generate({ cmd: 'unsubscribe', messageId, unsubscriptions: [topic] }),
    () => generate({ cmd: 'puback', messageId }),
    () => generate({ cmd: 'pubrec', messageId }),
    () => generate({ cmd: 'pubrel', messageId }),
    () => generate({ cmd: 'pubcomp', messageId }),
    () => generate({ cmd: 'pingreq' }),
    () => generate({ cmd: 'disconnect' }),
  ];
  return oneOf(packets[1] ?? (() => Buffer.alloc(0)), packets, random)();
}

/** Random JSON with the field names of a device. */
export function randomJson(random: Random, depth = 0): string {
  const leaf = () =>
    oneOf('null', ['true', '-1', '1e999', '9007199254740993', '""', '"\\u0000"', '"RF-01"', '12.5', '"x'], random);
  if (depth > 3 || random() < 0.3) return leaf();
  const names = ['machineId', 'running', 'cycle', 'goodPart', 'mSecSinceBoot', 'override', '__proto__', 'lineSpeed'];
  const count = whole(0, 6, random);
  const items = Array.from({ length: count }, () => randomJson(random, depth + 1));
  if (random() < 0.3) return `[${items.join(',')}]`;
  return `{${items.map((item) => `"${oneOf('toString', names, random)}":${item}`).join(',')}}`;
}

/** Flips bits, cuts the packet, changes lengths, or adds foreign bytes. */
function mutated(packet: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(packet);
  switch (whole(0, 5, random)) {
    case 0:
      for (let flips = whole(1, 8, random); flips > 0; flips--) {
        const at = whole(0, bytes.length - 1, random);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << whole(0, 7, random));
      }
      return bytes;
    case 1:
      return bytes.subarray(0, whole(0, bytes.length, random));
    case 2:
      bytes[1] = whole(0, 255, random);
      return bytes;
    case 3:
      return Buffer.concat([bytes.subarray(0, 1), Buffer.from([0xff, 0xff, 0xff, 0x7f]), bytes.subarray(2)]);
    case 4:
      return Buffer.concat([bytes, randomBytes(whole(1, 30, random), random)]);
    default:
      return bytes;
  }
}

export function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => socket.destroy());
    socket.resume();
  });
}

/** A connection that got its CONNACK. */
export async function enter(port: number, ...how: Parameters<typeof connectPacket>): Promise<Socket> {
  const socket = await open(port);
  const answered = new Promise((resolve, reject) => {
    socket.once('data', resolve);
    socket.once('close', () => reject(new Error(`${how[0]} was not let in`)));
  });
  socket.write(connectPacket(...how));
  await answered;
  return socket;
}

/** One connection with nonsense: random bytes, or nearly valid packets, before or after a CONNECT. */
async function fuzzOnce(port: number, random: Random): Promise<void> {
  const socket = await open(port);
  if (random() < 0.7) socket.write(connectPacket(random() < 0.5 ? VICTIM : `fuzz-${whole(0, 999, random)}`));
  if (random() < 0.2) socket.write(randomBytes(whole(1, 400, random), random));
  for (let count = 0; count < PACKETS_PER_CONNECTION && !socket.destroyed; count++) {
    socket.write(mutated(validPacket(random), random));
    if (random() < 0.1) await pause(1);
  }
  await pause(PATIENCE_MS * random());
  if (random() < 0.5) socket.destroy();
  else socket.end();
}

/** Opens `connections` connections with nonsense, some at a time. */
export async function fuzzMqtt(port: number, connections: number, random: Random): Promise<void> {
  let left = connections;
  const entityQueue = async () => {
    while (left-- > 0) await fuzzOnce(port, random);
  };
  await Promise.all(Array.from({ length: SOCKETS_AT_ONCE }, entityQueue));
}
