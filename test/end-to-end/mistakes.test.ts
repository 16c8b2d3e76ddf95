import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawClient } from '../adapters/broker/raw-client.ts';
import { MISTAKES, type Mistake, TOPIC } from './device-mistakes.ts';
import { type Json, NODE_COMPILE_CACHE, PLANT, Program, statusOf } from './program.ts';

/** The promised time, from the moment at which a person begins to make the mistake. */
const TOLD_WITHIN_MS = 2_000;
/** A busy computer may miss the time now and then. */
const RETRIES = 3;

const certificates = path.join(import.meta.dirname, '../adapters/broker/certificates');

let open: Program;
let locked: Program;
beforeAll(async () => {
  const tls = {
    PLANTGATE_MQTT_TLS_PORT: '0',
    PLANTGATE_MQTT_TLS_CERT: path.join(certificates, 'server.pem'),
    PLANTGATE_MQTT_TLS_KEY: path.join(certificates, 'server.key'),
  };
  [open, locked] = await Promise.all([
    Program.start({ environment: { ...process.env, NODE_COMPILE_CACHE, ...tls } }),
    Program.start({
      plant: PLANT.replace('machineId: RF-01,', 'machineId: RF-01, mqttPassword: right-password,'),
      environment: { ...process.env, NODE_COMPILE_CACHE, PLANTGATE_MQTT_ACCESS: 'password' },
    }),
  ]);
}, 60_000);
afterAll(async () => {
  for (const program of [open, locked]) {
    await program.stop();
    program.cleanUp();
  }
});

interface Told {
  readonly kind: string;
  readonly detail: string;
  readonly lastAt: string;
  readonly example: string | null;
}

/** Messages that were not taken are shown as they came. */
const WITH_EXAMPLE = ['malformed', 'unmatchedTopic'];

/** The incidents of that kind in `/diagnostics`. */
async function inDiagnostics(program: Program, kind: string): Promise<readonly Told[]> {
  const { body } = await program.api('GET', '/diagnostics');
  const subjects: readonly { readonly faults: readonly Told[] }[] = body[kind];
  return subjects.flatMap(({ faults }) => faults);
}

/** The same at the machine's own place. */
async function atMachine(program: Program, kind: string): Promise<readonly Told[]> {
  const { body } = await program.api('GET', '/machines/RF-01/troubles');
  return body.troubles.filter((trouble: Told) => trouble.kind === kind);
}

async function messages(program: Program): Promise<readonly Json[]> {
  return (await program.api('GET', '/machines/RF-01/messages')).body.messages;
}

it('D-36 the table has 30 mistakes or more', () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(30);
});

async function makeAndBeTold({ make, kind, words, message, needsPassword }: Mistake): Promise<void> {
  const program = needsPassword === true ? locked : open;
  const startedAt = new Date(Date.now() - 1).toISOString();
  const startedMs = performance.now();
  await make(program);
  for (const read of [inDiagnostics, atMachine]) {
    const told = async () => (await read(program, kind)).filter(({ lastAt }) => lastAt >= startedAt);
    await expect
      .poll(async () => (await told()).map(({ detail }) => detail), {
        timeout: Math.max(1, startedMs + TOLD_WITHIN_MS - performance.now()),
      })
      .toContainEqual(expect.stringContaining(words));
  }
  expect(performance.now() - startedMs).toBeLessThan(TOLD_WITHIN_MS);
  if (WITH_EXAMPLE.includes(kind)) {
    const faults = (await inDiagnostics(program, kind)).filter(({ detail }) => detail.includes(words));
    expect(faults).not.toContainEqual(expect.objectContaining({ example: null }));
  }
  if (message === undefined) return;
  const reasons = (await messages(program)).map(({ reason }) => reason);
  expect(reasons).toContainEqual(expect.stringContaining(message));
}

it.each(MISTAKES)(
  'D-35, D-36 $name is reported with its remedy within 2 s, in diagnostics and at the machine',
  { retry: RETRIES },
  makeAndBeTold,
);

it.each([0, 1, 2] as const)('D-36 QoS %d is accepted for a status, and the messages show it', async (qos) => {
  const client = await RawClient.connected(open.mqttPort, 'RF-01');
  // A pause behind the machine's earlier messages.
  await client.quiet(150);
  client.publish(`${TOPIC}/status`, JSON.stringify(statusOf({ mSecSinceBoot: 99_000_000 + qos })), qos);
  await expect
    .poll(async () => (await messages(open))[0], { timeout: 20_000 })
    .toMatchObject({ qos, outcome: 'taken', text: expect.stringContaining(`${99_000_000 + qos}`) });
  client.end();
});

it('D-36 /clients names the connected clients, /metrics counts unmatched topics', async () => {
  const client = await RawClient.connected(open.mqttPort, 'some-reader', { keepalive: 30 });
  await client.subscribe(['plant1/rolformer-1/#', 1]);
  const { body } = await open.api('GET', '/clients');
  expect(body).toContainEqual(
    expect.objectContaining({
      clientId: 'some-reader',
      address: '127.0.0.1',
      keepaliveSeconds: 30,
      isMachine: false,
      mqttVersion: '3.1.1',
      subscriptions: [{ filter: 'plant1/rolformer-1/#', qos: 1 }],
      bytesBehind: 0,
    }),
  );
  client.publish('plant1/rolformer-1/status', '{}', 1);
  await client.next('puback');
  expect((await client.next('publish')).topic).toBe('plant1/rolformer-1/status');
  expect((await open.get('/metrics')).text).toMatch(/unmatchedTopic"\} [1-9]/);
  client.end();
});

it('D-36 clients without an id are one sender, by their address', async () => {
  for (let time = 1; time <= 3; time++) {
    const client = await RawClient.connected(open.mqttPort, '');
    client.publish(`${TOPIC}/state`, '{}', 1);
    await client.next('puback');
    client.end();
  }
  const { body } = await open.api('GET', '/diagnostics');
  expect(body.unmatchedTopic).toContainEqual(expect.objectContaining({ subject: '127.0.0.1', count: 3 }));
});
