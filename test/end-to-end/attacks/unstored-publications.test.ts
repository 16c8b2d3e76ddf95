import type { Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { Program, statusOf } from '../program.ts';
import { connectPacket, opened, openedMany, publishPacket, sent, subscribePackets } from './attack-scene.ts';

const CLIENTS = 8;
const STALL_MS = 4_000;
/** `unstoredPublications`, and as many as `gatheredPacketBytes` hold. */
const MAX_WAITING_PER_CLIENT = 600;
const MAX_STATUS_MS = 500;
/** An incident of a limit and the like. */
const OTHER_RECORDS = 200;

let program: Program;
let clients: readonly Socket[] = [];

afterEach(async () => {
  for (const client of clients) client.destroy();
  clients = [];
  await program.end();
});

async function slowestStatusMs(untilMs: number): Promise<number> {
  let slowestMs = 0;
  for (let count = 1; performance.now() < untilMs; count++) {
    const fromMs = performance.now();
    expect((await program.device('status', statusOf({ mSecSinceBoot: 1_000 + count }))).status).toBe(200);
    slowestMs = Math.max(slowestMs, performance.now() - fromMs);
    await pause(50);
  }
  return slowestMs;
}

/** Each publication arrives alone. */
async function publishOneByOne(client: Socket, untilMs: number): Promise<void> {
  for (let id = 1; performance.now() < untilMs; id = 1 + (id % 60_000)) {
    client.write(publishPacket('to/disk', 'x', 1, id));
    await immediate();
  }
}

it('D-25, MQTT-12 clients that publish faster than the disk wait with their next publications, and machines are answered', async () => {
  program = await Program.start({ atHand: true });
  const away = await opened(program.mqttPort, connectPacket('away', { clean: false }));
  await sent(away, subscribePackets([{ topic: '#', qos: 1 }]));
  await pause(300);
  away.destroy();
  clients = await openedMany(program.mqttPort, CLIENTS, (index) => connectPacket(`fast-${index}`));
  const untilMs = performance.now() + STALL_MS;
  await program.ask({ kind: 'stallStore', forMs: STALL_MS });
  const flooding = Promise.all(clients.map((client) => publishOneByOne(client, untilMs)));
  const slowestMs = await slowestStatusMs(untilMs - 500);
  const { loopDelay } = await program.ask({ kind: 'loopDelay' });
  const { storage } = (await program.api('GET', '/diagnostics')).body;
  await flooding;
  console.info({ waiting: storage.pendingRecords, slowestMs: Math.round(slowestMs), loopDelay });
  expect(storage.pendingRecords).toBeGreaterThan(CLIENTS);
  expect(storage.pendingRecords).toBeLessThan(CLIENTS * MAX_WAITING_PER_CLIENT + OTHER_RECORDS);
  expect(slowestMs).toBeLessThan(MAX_STATUS_MS);
}, 30_000);
