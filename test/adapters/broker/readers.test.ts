import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { topicMatches } from '../../../src/adapters/broker/mqtt/topic-filter.ts';
import { FilterIndex } from '../../../src/adapters/broker/readers/filter-index.ts';
import { BrokerStage, type BrokerUnderTest, COMMAND_TOPICS, knownMachine, MAY_RUN, ROOT } from './broker-under-test.ts';
import type { RawClient } from './raw-client.ts';

const stage = new BrokerStage();
const RF_1 = knownMachine('RF-1');
const PLANTED = '{"runEnabled":true}';

/** A persistent session that its client has left. */
async function absent(under: BrokerUnderTest, clientId: string, ...filters: readonly string[]): Promise<void> {
  const client = await stage.connected(under.port, clientId, { clean: false });
  for (let from = 0; from < filters.length; from += 100) {
    await client.subscribe(...filters.slice(from, from + 100).map((filter) => [filter, 1] as const));
  }
  client.drop();
  await expect.poll(() => under.broker.counters().connections).toBe(0);
}

async function payloads(client: RawClient, forMs = 200): Promise<readonly string[]> {
  const packets = await client.quiet(forMs);
  return packets.flatMap((packet) => (packet.cmd === 'publish' ? [packet.payload.toString()] : []));
}

describe('FilterIndex', () => {
  const level = fc.constantFrom('a', 'b', '', '+', '$x');
  const filter = fc
    .tuple(fc.array(level, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([levels, isOpen]) => [...levels, ...(isOpen ? ['#'] : [])].join('/'));
  const topic = fc
    .array(fc.constantFrom('a', 'b', '', '$x'), { minLength: 1, maxLength: 5 })
    .map((levels) => levels.join('/'));

  it('MQTT-12 reports interest in a topic exactly if one of the filters matches, also after others were removed', () => {
    fc.assert(
      fc.property(fc.array(filter, { maxLength: 8 }), fc.array(filter, { maxLength: 8 }), topic, (stay, go, wanted) => {
        const index = new FilterIndex();
        for (const one of [...stay, ...go]) index.add(one, false);
        for (const one of go) index.remove(one, false);
        expect(index.interest(wanted) !== 'none').toBe(stay.some((one) => topicMatches(one, wanted)));
      }),
    );
  });
});

describe('D-06 commands that were planted before their machine was configured', () => {
  const routes = [{ machineId: RF_1, topicRoot: ROOT, mqttPasswordHash: null }];

  it('reach neither the machine, nor other clients, nor waiting sessions', async () => {
    const under = await stage.start({ routes: [] });
    await absent(under, 'hmi', `${ROOT}/#`);
    const attacker = await stage.connected(under.port, 'attacker');
    for (const [index, topic] of COMMAND_TOPICS.entries()) {
      attacker.publish(topic, PLANTED, 1, true, 100 + index);
      await attacker.next('puback');
    }
    under.broker.configure(routes, []);
    const hmi = await stage.connected(under.port, 'hmi', { clean: false });
    const other = await stage.connected(under.port, 'other');
    const machine = await stage.connected(under.port, 'RF-1');
    for (const client of [other, machine]) await client.subscribe([`${ROOT}/#`, 1], ['#', 0]);
    for (const client of [hmi, other, machine]) expect(await payloads(client)).toEqual([]);
    expect(under.broker.counters().retainedMessages).toBe(0);
  });

  it('are gone after a restart in which the machine was configured', async () => {
    const under = await stage.start({ routes: [] });
    await absent(under, 'hmi', `${ROOT}/#`);
    const attacker = await stage.connected(under.port, 'attacker');
    attacker.publish(`${ROOT}/command`, PLANTED, 1, true);
    await attacker.next('puback');
    const again = await stage.restart(under, { routes });
    const hmi = await stage.connected(again.port, 'hmi', { clean: false });
    await hmi.subscribe([`${ROOT}/+`, 1]);
    expect(await payloads(hmi)).toEqual([]);
  });
});

describe('acknowledgements and the disk', () => {
  /** Holds every commit until the test lets go. */
  function held(under: BrokerUnderTest): () => void {
    const gate = Promise.withResolvers<void>();
    under.journal.held = gate.promise;
    return gate.resolve;
  }

  it.each([
    ['RF-1', `${ROOT}/command`],
    ['RF-1', `${ROOT}/#`],
    ['hmi', 'news'],
  ])('MQTT-10 the SUBACK of a persistent session of %s to %s comes after its commit', async (clientId, filter) => {
    const under = await stage.start();
    const client = await stage.connected(under.port, clientId, { clean: false });
    const release = held(under);
    client.send({ cmd: 'subscribe', messageId: 5, subscriptions: [{ topic: filter, qos: 1 }] });
    expect(await client.quiet()).toEqual([]);
    release();
    await client.next('suback');
    expect([...under.journal.rows.keys()].join()).toContain(clientId);
  });

  it.each([
    ['RF-1', `${ROOT}/online`],
    ['RF-1', `${ROOT}/note`],
    ['hmi', `${ROOT}/online`],
    ['hmi', 'news'],
  ])(
    'MQTT-06, MQTT-10 the PUBACK of a retained message of %s on %s comes after its commit',
    async (clientId, topic) => {
      const under = await stage.start();
      const client = await stage.connected(under.port, clientId);
      const release = held(under);
      client.publish(topic, 'true', 1, true);
      expect(await client.quiet()).toEqual([]);
      release();
      await client.next('puback');
      expect([...under.journal.rows.keys()]).toContain(`retained ${topic}`);
    },
  );

  it('MQTT-10 the PUBACK of a message for an absent reader comes after its commit', async () => {
    const under = await stage.start();
    await absent(under, 'reader', 'news');
    const release = held(under);
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('news', 'x', 1);
    expect(await writer.quiet()).toEqual([]);
    release();
    await writer.next('puback');
  });

  it('MQTT-01 a machine gets its SUBACK, the PUBACK of online and its commands while the disk stands still', async () => {
    const under = await stage.start();
    held(under);
    const client = await stage.connected(under.port, 'RF-1', { clean: false });
    client.publish(`${ROOT}/online`, 'true', 1, true);
    await client.subscribe([`${ROOT}/command`, 1]);
    await client.next('puback');
    client.publish(`${ROOT}/status`, '{}', 1);
    expect((await client.next('publish')).topic).toBe(`${ROOT}/command`);
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'store', subject: 'RF-1' }));
  });
});

describe('a subscription that ends', () => {
  it('MQTT-12 gives no retained message any more, so that a client that subscribes in a loop has few waiting', async () => {
    const under = await stage.start();
    const writer = await stage.connected(under.port, 'writer');
    for (const topic of [...Array(40).keys()].map((number) => `a/${number}`).concat('b/1')) {
      writer.publish(topic, 'x', 1, true);
      await writer.next('puback');
    }
    const reader = await stage.connected(under.port, 'reader');
    // It acknowledges nothing, so the other messages wait.
    await reader.subscribe(['a/#', 1]);
    await reader.subscribe(['b/#', 1]);
    reader.send({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: ['b/#'] });
    await reader.next('unsuback');
    writer.publish('c', 'x', 1, true);
    await writer.next('puback');
    await reader.subscribe(['c', 1]);
    reader.acknowledges = true;
    const topics = [];
    while (topics.at(-1) !== 'c') {
      const { topic, messageId = 0 } = await reader.next('publish');
      topics.push(topic);
      if (topics.length <= 32) reader.send({ cmd: 'puback', messageId });
    }
    expect(topics).not.toContain('b/1');
    expect(topics).toHaveLength(41);
  });
});

describe('readers that are away', () => {
  it('MQTT-10, D-06 get every message on other topics, but only the last message of a machine', async () => {
    const under = await stage.start();
    await absent(under, 'reader', '#');
    const machine = await stage.device(under);
    const writer = await stage.connected(under.port, 'writer');
    for (let count = 1; count <= 3; count++) {
      machine.publish(`${ROOT}/status`, `{"n":${count}}`, 1);
      await machine.next('puback');
      writer.publish('news', `news ${count}`, 1);
      await writer.next('puback');
    }
    // A message that the feed no longer holds is found among the kept messages.
    const filler = 'x'.repeat(100_000);
    for (let count = 0; count < LIMITS.feedBytes / filler.length + 10; count++) {
      writer.publish('filler', filler, 0);
      if (count % 20 === 19) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    writer.send({ cmd: 'pingreq' });
    await writer.next('pingresp');
    const back = await stage.connected(under.port, 'reader', { clean: false });
    back.acknowledges = true;
    const got = await payloads(back, 400);
    expect(got.filter((text) => text.startsWith('news'))).toEqual(['news 1', 'news 2', 'news 3']);
    expect(got.filter((text) => text.startsWith('{"n"'))).toEqual(['{"n":3}']);
    expect(got.filter((text) => text.startsWith('{"runEnabled"'))).toHaveLength(1);
  });

  it.each([
    ['has no subscription', []],
    ['subscribes with QoS 0 alone', [['news', 0]]],
  ] as const)('MQTT-12 do not hold messages back for a session that %s', async (_, filters) => {
    const under = await stage.start();
    const idle = await stage.connected(under.port, 'idle', { clean: false });
    if (filters.length > 0) await idle.subscribe(...filters);
    idle.end();
    await idle.untilClosed();
    const reader = await stage.connected(under.port, 'reader', { clean: false });
    await reader.subscribe(['news', 1]);
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('news', 'x', 1);
    await writer.next('puback');
    const kept = () => [...under.journal.rows.values()].filter(({ table }) => table === 'outgoing').length;
    const { messageId = 0 } = await reader.next('publish');
    await reader.quiet(1_200);
    expect(kept()).toBe(1);
    reader.send({ cmd: 'puback', messageId });
    await expect.poll(kept, { timeout: 3_000 }).toBe(0);
  });

  it('MQTT-10 get a message again that they did not acknowledge before they ended the subscription', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', { clean: false });
    await reader.subscribe(['news', 1]);
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('news', 'x', 1);
    const { messageId } = await reader.next('publish');
    reader.send({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: ['news'] });
    await reader.next('unsuback');
    reader.drop();
    await writer.quiet(1_200);
    expect([...under.journal.rows.values()].map(({ table }) => table)).toContain('outgoing');
    const back = await stage.connected(under.port, 'reader', { clean: false });
    expect(await back.next('publish')).toMatchObject({ dup: true, messageId });
  });

  it('MQTT-12 lose the session that is away for the longest if room is needed, and diagnostics name it', async () => {
    const under = await stage.start();
    const filters = (client: number) =>
      Array.from({ length: 200 }, (_, index) => `${client}/${'x'.repeat(1_000)}/${index}`);
    const sessions = Math.ceil(LIMITS.sessionBytes / (200 * 2_900)) + 2;
    const first = await stage.connected(under.port, 'session-0', { clean: false });
    first.publish('news', 'x', 2);
    await first.next('pubrec');
    expect([...under.journal.rows.values()].map(({ table }) => table)).toContain('incoming');
    for (let client = 0; client < sessions; client++) await absent(under, `session-${client}`, ...filters(client));
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'limitReached', subject: 'session-0' }));
    expect(under.broker.counters().sessions).toBeLessThan(sessions);
    expect([...under.journal.rows.values()].map(({ table }) => table)).not.toContain('incoming');
    const last = await stage.connected(under.port, `session-${sessions - 1}`, { clean: false });
    await last.subscribe(['one/more', 1]);
  }, 30_000);
});

describe('readers that are slow', () => {
  it('D-05 a PLC under another client id that acknowledges nothing goes on getting its commands', async () => {
    const under = await stage.start();
    const plc = await stage.connected(under.port, 'some-plc', { clean: false });
    await plc.subscribe([`${ROOT}/command`, 1]);
    for (let count = 0; count < 2 * LIMITS.inFlightPerReader; count++) under.broker.send(RF_1, MAY_RUN, 'all');
    const got = () => plc.received.filter(({ cmd }) => cmd === 'publish').length;
    await expect.poll(got, { timeout: 8_000 }).toBe(2 * LIMITS.inFlightPerReader);
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'slowReader', subject: 'some-plc' }));
  });

  it('D-04 a machine that subscribes to everything is served while another reader of everything stalls', async () => {
    const under = await stage.start();
    const stalled = await stage.connected(under.port, 'stalled', { clean: false });
    await stalled.subscribe(['#', 1]);
    stalled.socket.pause();
    const machine = await stage.device(under);
    machine.acknowledges = true;
    await machine.subscribe([`${ROOT}/#`, 1]);
    const filler = 'x'.repeat(100_000);
    for (let count = 1; count <= 200; count++) {
      machine.publish(`${ROOT}/note`, filler, 1, false, count);
      machine.publish(`${ROOT}/status`, '{}', 1, false, 1_000 + count);
    }
    const commands = () =>
      machine.received.filter((packet) => packet.cmd === 'publish' && packet.topic === `${ROOT}/command`).length;
    await expect.poll(commands, { timeout: 20_000 }).toBe(200);
  });
});

describe('clients that leave things unfinished', () => {
  it('MQTT-12 packets that are never finished are bounded over all clients, and machines are let in', async () => {
    const under = await stage.start();
    const packet = generate({
      cmd: 'publish',
      topic: 'a',
      payload: 'x'.repeat(250_000),
      qos: 0,
      retain: false,
      dup: false,
    });
    const count = Math.ceil(LIMITS.partialPacketBytes / 240_000) + 5;
    for (let index = 0; index < count; index++) {
      const client = await stage.connected(under.port, `half-${index}`);
      client.socket.write(packet.subarray(0, 240_000));
    }
    await expect.poll(() => under.incidents).toContainEqual(expect.objectContaining({ kind: 'limitReached' }));
    await stage.device(under);
  });

  it('MQTT-12 large wills are bounded over all clients, and a machine with its small will is let in', async () => {
    const under = await stage.start();
    const will = { topic: 'last/will', payload: Buffer.alloc(60_000), qos: 1, retain: false } as const;
    const codes: number[] = [];
    for (let index = 0; index < LIMITS.willBytes / 60_000 + 2; index++) {
      const client = await stage.socket(under.port);
      const connect = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 60 } as const;
      client.send({ ...connect, clientId: `mortal-${index}`, will });
      codes.push((await client.next('connack')).returnCode ?? 0);
    }
    expect(codes.at(0)).toBe(0);
    expect(codes.at(-1)).toBe(3);
    await stage.device(under, { will: { topic: `${ROOT}/lwt`, payload: Buffer.from('false'), qos: 1, retain: true } });
  });
});
