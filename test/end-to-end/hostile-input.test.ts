import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { between, oneOf, type Random, seededRandom } from '../../src/simulator/random.ts';
import { type ConnectPacket, connectOf } from '../adapters/broker/raw-client.ts';
import { announceSeed } from '../rounds.ts';
import { type Json, PLANT, Program } from './program.ts';
import { WellBehavedMachines } from './well-behaved-machine.ts';

const MIB = 1_048_576;
/** The peak with uncollected garbage: 265 to 351 MiB were seen. The service may take 1,536 MiB. */
const MAX_GROWTH_BYTES = 400 * MIB;
const ANSWER_WITHIN_MS = 500;
const CONNACK_BYTES = 4;
const PUBACK_BYTES = 4;
const seed = announceSeed('hostile input');
const random = seededRandom(seed);

let program: Program;
let machines: WellBehavedMachines;
let residentBefore = 0;
let residentPeak = 0;
let sampling: NodeJS.Timeout;
let slowHeadersCutOff: Promise<void>;

beforeAll(async () => {
  const plant = PLANT.replace(
    'parts:',
    `  - { machineId: ${VICTIM}, topicRoot: ${VICTIM_ROOT}, variables: [ x ] }\nparts:`,
  );
  program = await Program.start({ plant });
  machines = new WellBehavedMachines(program);
  await pause(1_000);
  residentBefore = program.residentBytes();
  // The gateway waits ten seconds for the headers. The other attacks go on meanwhile.
  slowHeadersCutOff = sendSlowHeaders();
  sampling = setInterval(() => (residentPeak = Math.max(residentPeak, program.residentBytes())), 100);
});

afterAll(async () => {
  clearInterval(sampling);
  await program.end();
});

/** Opens 400 connections whose headers never end. Resolves when the gateway has closed all of them. */
async function sendSlowHeaders(): Promise<void> {
  const slow = await Promise.all(Array.from({ length: 400 }, () => open(program.httpPort)));
  const closed = Promise.all(slow.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  for (const socket of slow) socket.write('POST /api/device/status HTTP/1.1\r\nHost: localhost\r\n');
  const drip = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('X');
  }, 500);
  await closed;
  clearInterval(drip);
}

async function diagnostics(): Promise<Json> {
  return (await program.api('GET', '/diagnostics')).body;
}

describe('MQTT-12 hostile clients over MQTT', () => {
  it('may send random bytes and nearly valid packets, before and after CONNECT', async () => {
    await fuzzMqtt(program.mqttPort, 1_000, random);
    expect((await diagnostics()).counts.protocolViolation).toBeGreaterThan(100);
  }, 60_000);

  it('lose their own connection by the header of a packet above the limit, before and after CONNECT', async () => {
    const header = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]);
    const sockets = await Promise.all(Array.from({ length: 40 }, () => open(program.mqttPort)));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const [index, socket] of sockets.entries()) {
      if (index % 2 === 0) socket.write(connectPacket(`giant-${index}`));
      socket.write(Buffer.concat([header, Buffer.alloc(4 * MIB, 0x61)]));
    }
    await Promise.all(closed);
    const { packetTooLarge } = await diagnostics();
    expect(packetTooLarge.map(({ subject }: Json) => subject)).toEqual(
      expect.arrayContaining(['giant-0', '127.0.0.1']),
    );
  });

  it('take each other’s place if 300 have the same id; diagnostics show the cause by name', async () => {
    const twins = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const socket = await open(program.mqttPort);
        socket.write(connectPacket(index % 2 === 0 ? VICTIM : 'TWIN', { clean: index % 4 < 2 }));
        return socket;
      }),
    );
    await pause(500);
    expect(twins.filter(({ destroyed }) => !destroyed)).toHaveLength(2);
    const { duplicateClientId } = await diagnostics();
    expect(duplicateClientId.map(({ subject }: Json) => subject)).toEqual(expect.arrayContaining([VICTIM, 'TWIN']));
    for (const twin of twins) twin.destroy();
  });

  it('are served, or cut off and named, if they send a thousand packets behind the CONNECT', async () => {
    const socket = await open(program.mqttPort);
    const answers = new Promise<'served' | 'cut off'>((resolve) => {
      let bytes = 0;
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes === CONNACK_BYTES + 1_000 * PUBACK_BYTES) resolve('served');
      });
      socket.once('close', () => resolve('cut off'));
    });
    const packets = Array.from({ length: 1_000 }, (_, index) => publishPacket('free/talk', `${index}`, 1, 1 + index));
    socket.write(Buffer.concat([connectPacket('hasty'), ...packets]));
    if ((await answers) === 'cut off') expect(named((await diagnostics()).protocolViolation, 'hasty')).toBeDefined();
    socket.destroy();
  });

  it('reach a limit with ten thousand subscriptions', async () => {
    const socket = await enter(program.mqttPort, 'subscriber');
    for (let number = 0; number < 10_000; number += 50) {
      const subscriptions = Array.from({ length: 50 }, (_, index) => ({
        topic: `many/${number + index}/#`,
        qos: 1 as const,
      }));
      socket.write(generate({ cmd: 'subscribe', messageId: 1 + number, subscriptions }));
    }
    await expect.poll(async () => named((await diagnostics()).limitReached, 'subscriber')).toBeDefined();
    socket.destroy();
  });

  it('reach a limit with ten thousand retained messages, and with large ones', async () => {
    const socket = await enter(program.mqttPort, 'retainer');
    for (let number = 0; number < 22_000; number++) {
      socket.write(publishPacket(`kept/${number}`, 'x'.repeat(50), 0, 0, true));
      if (number % 500 === 0) await pause(5);
    }
    const large = 'y'.repeat(200_000);
    for (let number = 0; number < 450; number++) {
      socket.write(publishPacket(`large/${number}`, large, 0, 0, true));
      if (number % 20 === 0) await pause(20);
    }
    const refused = async () =>
      (await diagnostics()).limitReached.filter(({ detail }: Json) => detail.includes('retained'));
    await expect.poll(async () => (await refused()).length, { timeout: 15_000 }).toBeGreaterThan(0);
    socket.destroy();
  }, 30_000);

  it('are shown by the sender’s name after a flood of retained messages, not by invented topics', async () => {
    expect(named((await diagnostics()).limitReached, 'retainer')).toBeDefined();
  });

  it('reach a limit with the queues of absent sessions', async () => {
    for (let number = 0; number < 10; number++) {
      const away = await enter(program.mqttPort, `away-${number}`, { clean: false });
      away.write(generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'queue/#', qos: 1 }] }));
      await once(away, 'data');
      away.destroy();
    }
    const socket = await enter(program.mqttPort, 'filler');
    for (let number = 0; number < 3_500; number++) {
      socket.write(publishPacket(`queue/${number}`, 'z'.repeat(number % 10 === 0 ? 50_000 : 100), 1, 1 + number));
      if (number % 50 === 0) await pause(20);
    }
    // Messages are kept once for all sessions; the session that is furthest behind is named.
    const isAway = ({ subject }: { readonly subject: string }) => subject.startsWith('away-');
    await expect
      .poll(async () => (await diagnostics()).limitReached.find(isAway), { timeout: 15_000 })
      .toMatchObject({ detail: expect.stringContaining('were dropped') });
    socket.destroy();
  }, 30_000);

  it('are named if they stop reading, and cut off if they leave connections half open', async () => {
    const silent = await Promise.all(Array.from({ length: 500 }, () => open(program.mqttPort)));
    const closed = Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    const reader = await enter(program.mqttPort, 'reader');
    reader.write(generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'fast/#', qos: 0 }] }));
    await pause(50);
    reader.pause();
    const writer = await enter(program.mqttPort, 'writer');
    for (let number = 0; number < 300; number++)
      writer.write(publishPacket('fast/news', randomBytes(30_000, random), 0));
    await expect.poll(async () => named((await diagnostics()).slowReader, 'reader'), { timeout: 5_000 }).toBeDefined();
    await closed;
    reader.destroy();
    writer.destroy();
  });
});

describe('D-13 hostile clients over HTTP', () => {
  it('get 200 or 400 for random JSON from each device endpoint', async () => {
    for (let round = 0; round < 60; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          program.device(index % 2 === 0 ? 'status' : 'vars', randomJson(random)),
        ),
      );
      expect(answers.map(({ status }) => status).filter((status) => status !== 400 && status !== 200)).toEqual([]);
    }
    const nested = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`;
    expect((await program.device('status', nested)).status).toBe(400);
    expect((await program.device('vars', `{"machineId":"RF-01","x":"${'x'.repeat(70_000)}"}`)).status).toBe(413);
  });

  it('may send garbage instead of HTTP, false lengths and endless bodies', async () => {
    const head = 'POST /api/device/status HTTP/1.1\r\nHost: localhost\r\n';
    const openings: readonly (() => Buffer)[] = [
      () => randomBytes(whole(1, 2_000, random), random),
      () => Buffer.from(`GET /${'a'.repeat(40_000)} HTTP/1.1\r\n\r\n`),
      () => Buffer.from(`${head}${'X: y\r\n'.repeat(5_000)}\r\n`),
      () => Buffer.from(`${head}Content-Length: -5\r\n\r\n{}`),
      () => Buffer.from(`${head}Content-Length: 4\r\nContent-Length: 7\r\n\r\n{}`),
      () => Buffer.from(`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
      () => Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
      () => Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${'1000\r\n'}${'b'.repeat(4_096)}\r\n`.repeat(1)),
      () => Buffer.from('GET /api/local/%00%ff/../../x HTTP/1.1\r\nHost: a b\r\n\r\n'),
    ];
    for (let round = 0; round < 20; round++) {
      const sockets = await Promise.all(openings.map(() => open(program.httpPort)));
      for (const [index, socket] of sockets.entries()) socket.write(openings[index]?.() ?? '');
      await pause(20);
      for (const socket of sockets) socket.destroy();
    }
    const endless = request({ port: program.httpPort, method: 'POST', path: '/api/device/vars' });
    const ended = new Promise<number>((resolve) => {
      endless.once('response', (response) => resolve(response.resume().statusCode ?? 0));
      endless.once('error', () => resolve(0));
    });
    const chunks = setInterval(() => endless.write(Buffer.alloc(65_536, 0x20)), 5);
    expect([0, 413]).toContain(await ended);
    clearInterval(chunks);
    endless.destroy();
  });

  it('are cut off if 400 of them never end their headers', () => slowHeadersCutOff);
});

describe('D-12 bystanders of hostile input', () => {
  it('DEV-12, MQTT-12 two ordinary machines got every answer in time during all attacks, and the process survived', async () => {
    const report = await machines.finish();
    clearInterval(sampling);
    const growth = (bytes: number) => Math.round((bytes - residentBefore) / MIB);
    console.info({ ...report, grewMiB: growth(program.residentBytes()), peakMiB: growth(residentPeak) });
    expect(report.wrong).toEqual([]);
    expect(report.answered).toBe(report.asked);
    expect(report.slowestMs).toBeLessThan(ANSWER_WITHIN_MS);
    expect(program.lives).toBe(true);
    expect(residentPeak - residentBefore).toBeLessThan(MAX_GROWTH_BYTES);
    const { counts, internal, storage } = await diagnostics();
    expect(internal).toEqual([]);
    expect(storage).toMatchObject({ threadRestarts: 0, health: { state: 'ok' } });
    expect(counts.malformed).toBeGreaterThan(0);
    expect((await program.get('/readyz')).status).toBe(200);
  });
});

function named(entries: Json, subject: string): Json {
  return entries.find((entry: Json) => entry.subject === subject);
}

const VICTIM = 'VICTIM';
const VICTIM_ROOT = 'elsewhere/victim';
const SOCKETS_AT_ONCE = 25;
const PACKETS_PER_CONNECTION = 20;
const PATIENCE_MS = 50;

function whole(from: number, to: number, random: Random): number {
  return Math.floor(between([from, to + 1], random));
}

function randomBytes(length: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length }, () => whole(0, 255, random)));
}

function connectPacket(clientId: string, more: Partial<ConnectPacket> = {}): Buffer {
  return generate(connectOf(clientId, more));
}

function publishPacket(topic: string, payload: Buffer | string, qos: 0 | 1 | 2, messageId = 7, retain = false) {
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
function randomJson(random: Random, depth = 0): string {
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

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => socket.destroy());
    socket.resume();
  });
}

/** A connection that got its CONNACK. */
async function enter(port: number, ...how: Parameters<typeof connectPacket>): Promise<Socket> {
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
async function fuzzMqtt(port: number, connections: number, random: Random): Promise<void> {
  let left = connections;
  const entityQueue = async () => {
    while (left-- > 0) await fuzzOnce(port, random);
  };
  await Promise.all(Array.from({ length: SOCKETS_AT_ONCE }, entityQueue));
}
