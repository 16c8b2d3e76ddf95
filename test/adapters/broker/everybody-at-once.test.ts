import { setTimeout as delay } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { BrokerStage, type BrokerUnderTest, knownMachine } from './broker-under-test.ts';
import type { RawClient } from './raw-client.ts';

const stage = new BrokerStage();
const DEVICES = 150;
const PRESENCE_MS = 1;
/**
 * A job that has begun when the slice of a turn is over is finished, and the end of a turn is known only within one
 * turn.
 */
const MAX_GREETED_PER_TURN = (2 * LIMITS.acceptSliceMs) / PRESENCE_MS;
const MAX_GONE_PER_TURN = (2 * LIMITS.disconnectSliceMs) / PRESENCE_MS;
const KEEPALIVE_SECONDS = 60;
const KEEPALIVE_RUN_OUT_MS = KEEPALIVE_SECONDS * 1_500 + 1;
/** The interval at which the broker looks for silent clients. */
const SWEEP_MS = 1_000;

const routes = Array.from({ length: DEVICES }, (_, index) => ({
  machineId: knownMachine(`M-${index}`),
  topicRoot: `plant/m-${index}`,
  mqttPasswordHash: null,
}));

/** The first bytes of a device, sent as soon as its connection is there, without waiting for an answer. */
function greeting(index: number): Buffer {
  const topic = `plant/m-${index}`;
  return Buffer.concat([
    generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: false,
      clientId: `M-${index}`,
      keepalive: KEEPALIVE_SECONDS,
      will: { topic: `${topic}/lwt`, payload: Buffer.from('gone'), qos: 1, retain: false },
    }),
    generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `${topic}/command`, qos: 1 }] }),
    generate({
      cmd: 'publish',
      topic: `${topic}/online`,
      payload: 'true',
      qos: 1,
      dup: false,
      retain: false,
      messageId: 2,
    }),
  ]);
}

let nextTurn: NodeJS.Immediate | undefined;
afterEach(() => clearImmediate(nextTurn));

/** Makes every presence message, greeting or will, take time. Gives the most of them in one turn of the event loop. */
function watchPresence({ inbox }: BrokerUnderTest): { readonly mostPerTurn: () => number } {
  let thisTurn = 0;
  let most = 0;
  const heard = inbox.presence.bind(inbox);
  inbox.presence = (...said) => {
    const taken = heard(...said);
    thisTurn++;
    most = Math.max(most, thisTurn);
    const untilMs = performance.now() + PRESENCE_MS;
    while (performance.now() < untilMs);
    return taken;
  };
  const next = () => {
    thisTurn = 0;
    nextTurn = setImmediate(next);
  };
  next();
  return { mostPerTurn: () => most };
}

async function sockets(under: BrokerUnderTest): Promise<readonly RawClient[]> {
  return Promise.all(routes.map(() => stage.socket(under.port)));
}

function greetTogether(clients: readonly RawClient[], but = -1): void {
  for (const [index, client] of clients.entries()) if (index !== but) client.socket.write(greeting(index));
}

async function everybodyGreeted(under: BrokerUnderTest): Promise<readonly RawClient[]> {
  const clients = await sockets(under);
  greetTogether(clients);
  for (const client of clients) await client.next('puback');
  under.inbox.heard.length = 0;
  return clients;
}

async function expectWillsOfAll({ inbox }: BrokerUnderTest): Promise<void> {
  await expect.poll(() => inbox.heard.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(DEVICES);
  expect(inbox.heard.toSorted()).toEqual(routes.map(({ machineId }) => `${machineId} lwt gone`).toSorted());
}

describe('a reconnect of all machines at once', () => {
  it('MQTT-10 serves a few machines in each turn of the event loop, in their order, and leaves none out', async () => {
    const under = await stage.start({ routes });
    const clients = await sockets(under);
    const { mostPerTurn } = watchPresence(under);
    greetTogether(clients);
    for (const client of clients) {
      expect(await client.next('connack')).toMatchObject({ returnCode: 0 });
      expect(await client.next('suback')).toMatchObject({ granted: [1] });
      await client.next('puback');
    }
    expect(mostPerTurn()).toBeLessThanOrEqual(MAX_GREETED_PER_TURN);
    expect(under.inbox.heard).toEqual(routes.map(({ machineId }) => `${machineId} online true`));
    expect(under.broker.counters().devices).toBe(DEVICES);
  });

  it('MQTT-10 does not delay a machine that is connected already', async () => {
    const under = await stage.start({ routes });
    const clients = await sockets(under);
    const device = await stage.connected(under.port, 'M-0');
    watchPresence(under);
    greetTogether(clients, 0);
    device.publish('plant/m-0/vars', '{}', 1);
    await device.next('puback');
    const greeted = under.inbox.heard.filter((said) => said.endsWith('online true')).length;
    expect(greeted).toBeLessThan(DEVICES / 2);
  });

  it('MQTT-10 counts no client that vanishes while it waits as connected', async () => {
    const under = await stage.start({ routes });
    const clients = await sockets(under);
    watchPresence(under);
    greetTogether(clients);
    await expect.poll(() => under.inbox.heard.length, { interval: 1 }).toBeGreaterThan(0);
    for (const client of clients) client.drop();
    await expect.poll(() => under.broker.counters()).toMatchObject({ connections: 0, devices: 0 });
  });

  it('MQTT-10 does not delay a shutdown', async () => {
    const under = await stage.start({ routes });
    const clients = await sockets(under);
    watchPresence(under);
    greetTogether(clients);
    await expect.poll(() => under.inbox.heard.length, { interval: 1 }).toBeGreaterThan(0);
    await stage.stop(under);
    const heard = under.inbox.heard.length;
    expect(heard).toBeLessThan(DEVICES);
    await delay(50);
    expect(under.inbox.heard).toHaveLength(heard);
  });
});

describe('a loss of all machines at once', () => {
  it('MQTT-07 announces a few lost devices in each turn of the event loop, each once', async () => {
    const under = await stage.start({ routes });
    const clients = await everybodyGreeted(under);
    const { mostPerTurn } = watchPresence(under);
    for (const client of clients) client.drop();
    await expectWillsOfAll(under);
    expect(mostPerTurn()).toBeLessThanOrEqual(MAX_GONE_PER_TURN);
    expect(under.broker.counters()).toMatchObject({ connections: 0, devices: 0 });
  });

  it('MQTT-07 announces a few lost devices in each turn, also if all of them fall silent at once', async () => {
    let passedMs = 0;
    const clock = { now: () => ({ monotonicMs: performance.now() + passedMs, wallMs: Date.now() }) };
    const under = await stage.start({ routes, clock });
    await everybodyGreeted(under);
    const { mostPerTurn } = watchPresence(under);
    passedMs = KEEPALIVE_RUN_OUT_MS;
    await expectWillsOfAll(under);
    expect(mostPerTurn()).toBeLessThanOrEqual(MAX_GONE_PER_TURN);
    expect(under.broker.counters()).toMatchObject({ connections: 0, devices: 0 });
  });

  it('MQTT-07 MQTT-10 lets a machine come back before its loss is announced', async () => {
    const under = await stage.start({ routes });
    const clients = await everybodyGreeted(under);
    watchPresence(under);
    for (const client of clients) client.drop();
    await expect.poll(() => under.inbox.heard.length, { interval: 1 }).toBeGreaterThan(0);
    await stage.connected(under.port, `M-${DEVICES - 1}`);
    await expectWillsOfAll(under);
    expect(under.broker.counters()).toMatchObject({ connections: 1, devices: 1 });
  });
});

describe('the time limit of a connection for its CONNECT', () => {
  it('MQTT-12 is five seconds until the CONNECT is there, not until its answer; a connection without one is closed', async () => {
    expect(LIMITS.connectTimeoutMs).toBe(5_000);
    const verified = Promise.withResolvers<boolean>();
    let passedMs = 0;
    const clock = { now: () => ({ monotonicMs: performance.now() + passedMs, wallMs: Date.now() }) };
    const under = await stage.start({ access: 'password', verifySecret: () => verified.promise, clock });
    const silent = await stage.socket(under.port);
    const checkOfThePort = await stage.socket(under.port);
    silent.sendBytes(0x10);
    const device = await stage.socket(under.port);
    device.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId: 'RF-1',
      keepalive: 2,
      username: 'RF-1',
      password: Buffer.from('secret-1'),
    });
    await device.quiet(50);
    passedMs = LIMITS.connectTimeoutMs;
    await silent.untilClosed();
    // A connection that never sent a byte is closed as well, and is no incident.
    await checkOfThePort.untilClosed();
    verified.resolve(true);
    expect(await device.next('connack')).toMatchObject({ returnCode: 0 });
    await delay(SWEEP_MS);
    expect(device.closed).toBe(false);
    expect(under.incidents.map(({ detail }) => detail)).toEqual(['sent no CONNECT in time']);
  });
});
