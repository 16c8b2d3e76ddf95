import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/simulator/random.ts';
import { announceSeed } from '../rounds.ts';
import {
  connectPacket,
  enter,
  fuzzMqtt,
  open,
  publishPacket,
  randomBytes,
  randomJson,
  VICTIM,
  VICTIM_ROOT,
  whole,
} from './hostile-packets.ts';
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
