import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../src/adapters/broker/limits.ts';
import { BrokerStage, type BrokerUnderTest, MAY_RUN, ROOT } from '../broker-under-test.ts';
import type { ConnectPacket, RawClient } from '../raw-client.ts';

const stage = new BrokerStage();
const V5 = { protocolVersion: 5 } as const;
const LASTING = { ...V5, clean: false, properties: { sessionExpiryInterval: 600 } } as const;

/** A clock that tests can set forward; `jumpMs` moves the wall clock alone. */
class MovingClock {
  aheadMs = 0;
  jumpMs = 0;
  readonly now = () => ({
    monotonicMs: performance.now() + this.aheadMs,
    wallMs: Date.now() + this.aheadMs + this.jumpMs,
  });
}

function publishOf(topic: string, payload: string, more: object = {}) {
  return { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false, messageId: 21, ...more } as const;
}

async function messages(client: RawClient, forMs = 200) {
  return (await client.quiet(forMs)).flatMap((packet) => (packet.cmd === 'publish' ? [packet] : []));
}

async function subscribe5(client: RawClient, topic: string, more: object = {}, properties: object = {}) {
  client.send({ cmd: 'subscribe', messageId: 3, subscriptions: [{ topic, qos: 1, ...more }], properties });
  return client.next('suback');
}

describe('properties of messages', () => {
  const PROPERTIES = {
    payloadFormatIndicator: true,
    contentType: 'text/plain',
    responseTopic: 'line/answers',
    correlationData: Buffer.from([0, 1, 255]),
    userProperties: { a: ['1', '2'], b: '3' },
  };

  it.each([
    ['a reader of 5', V5, PROPERTIES],
    ['a reader of 3.1.1', {}, undefined],
  ])('are passed on to %s as they came', async (_, more, properties) => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', more);
    await reader.subscribe(['line/plan', 1]);
    const writer = await stage.connected(under.port, 'writer', V5);
    writer.send(publishOf('line/plan', 'now', { properties: PROPERTIES }));
    expect(await writer.next('puback')).toMatchObject({ reasonCode: 0 });
    expect((await reader.next('publish')).properties).toEqual(properties);
  });

  it('keep the order and the repetition of user properties', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', V5);
    await reader.subscribe(['a', 0]);
    const bytes: Buffer[] = [];
    reader.socket.on('data', (chunk) => bytes.push(chunk));
    const writer = await stage.connected(under.port, 'writer', V5);
    const pair = (name: string, value: string) => [0x26, 0, 1, name.charCodeAt(0), 0, 1, value.charCodeAt(0)];
    const pairs = [...pair('x', '1'), ...pair('y', '2'), ...pair('x', '3'), ...pair('x', '1')];
    writer.sendBytes(0x30, 5 + pairs.length, 0, 1, 97, pairs.length, ...pairs, 33);
    await reader.next('publish');
    expect(Buffer.concat(bytes).includes(Buffer.from(pairs))).toBe(true);
  });

  it('go from a machine to readers, and a message of 3.1.1 has none', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', V5);
    await reader.subscribe([`${ROOT}/#`, 1]);
    const machine = await stage.connected(under.port, 'RF-1', V5);
    machine.send(publishOf(`${ROOT}/status`, '{}', { properties: { contentType: 'application/json' } }));
    expect((await reader.next('publish')).properties).toEqual({ contentType: 'application/json' });
    const old = await stage.connected(under.port, 'RF-2');
    old.publish('plant/rf-2/status', '{}', 1);
    await reader.subscribe(['plant/rf-2/status', 1]);
    old.publish('plant/rf-2/status', '{}', 1);
    await expect.poll(() => reader.received.filter(({ cmd }) => cmd === 'publish').length).toBeGreaterThan(0);
  });

  it('P-CONTENT a command to another reader has its type, its cause and its expiry', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', V5);
    await reader.subscribe([`${ROOT}/command`, 1]);
    const machine = await stage.connected(under.port, 'RF-1');
    machine.publish(`${ROOT}/status`, '{}', 1);
    const { properties } = await reader.next('publish');
    expect(properties).toMatchObject({ messageExpiryInterval: 60, contentType: 'application/json' });
  });
});

describe('a machine and a reader of its commands', () => {
  const VERSIONS = [
    ['3.1.1', {}],
    ['5', V5],
  ] as const;
  const PAIRS = VERSIONS.flatMap(([of, more]) => VERSIONS.map(([by, reads]) => [of, by, more, reads] as const));

  it.each(PAIRS)('MQTT-01 both get the same command: a machine of %s, a reader of %s', async (_, __, more, reads) => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', reads);
    await reader.subscribe([`${ROOT}/command`, 1], [`${ROOT}/command/run-enabled`, 1]);
    const machine = await stage.connected(under.port, 'RF-1', { ...more, clean: true });
    await machine.subscribe([`${ROOT}/command`, 1], [`${ROOT}/command/run-enabled`, 0], [`${ROOT}/#`, 0]);
    machine.publish(`${ROOT}/status`, '{}', 1);
    for (const client of [machine, reader]) {
      const came = (await messages(client)).filter(({ topic }) => topic.startsWith(`${ROOT}/command`));
      const byTopic = new Map(came.map(({ topic, payload }) => [topic, payload.toString()]));
      expect(JSON.parse(byTopic.get(`${ROOT}/command`) ?? '')).toMatchObject(MAY_RUN);
      expect(byTopic.get(`${ROOT}/command/run-enabled`)).toBe('1');
    }
  });
});

describe('P-EXPIRY the lifetime of a message', () => {
  it('is shortened by waiting, and an older message is not delivered', async () => {
    const clock = new MovingClock();
    const under = await stage.start({ clock });
    const reader = await stage.connected(under.port, 'reader', LASTING);
    await reader.subscribe(['a/#', 1]);
    reader.drop();
    await reader.untilClosed();
    const writer = await stage.connected(under.port, 'writer', V5);
    writer.send(publishOf('a/short', '1', { properties: { messageExpiryInterval: 5 } }));
    writer.send(publishOf('a/long', '2', { messageId: 22, properties: { messageExpiryInterval: 60 } }));
    writer.send(publishOf('a/ever', '3', { messageId: 23 }));
    for (let count = 0; count < 3; count++) await writer.next('puback');
    clock.aheadMs += 20_000;
    const came = await messages(await stage.connected(under.port, 'reader', LASTING));
    expect(came.map(({ topic, properties }) => [topic, properties?.messageExpiryInterval])).toEqual([
      ['a/long', 40],
      ['a/ever', undefined],
    ]);
  });

  it('P-RETAIN, P-RESTART holds for retained messages, which keep their properties, over a restart too', async () => {
    const clock = new MovingClock();
    const under = await stage.start({ clock });
    const writer = await stage.connected(under.port, 'writer', V5);
    const contentType = 'text/plain';
    writer.send(publishOf('a/short', '1', { retain: true, properties: { messageExpiryInterval: 5 } }));
    writer.send(
      publishOf('a/long', '2', { messageId: 22, retain: true, properties: { messageExpiryInterval: 60, contentType } }),
    );
    for (let count = 0; count < 2; count++) await writer.next('puback');
    clock.aheadMs += 20_000;
    for (const gateway of [under, await stage.restart(under, { clock })]) {
      if (gateway === under) continue;
      const reader = await stage.connected(gateway.port, 'reader', V5);
      await reader.subscribe(['a/#', 1]);
      const came = await messages(reader);
      expect(came.map(({ topic, properties }) => [topic, properties])).toEqual([
        ['a/long', { messageExpiryInterval: 40, contentType }],
      ]);
    }
  });

  it('P-RETAIN an expired retained message is deleted from the disk', async () => {
    const clock = new MovingClock();
    const under = await stage.start({ clock });
    const writer = await stage.connected(under.port, 'writer', V5);
    writer.send(publishOf('a', '1', { retain: true, properties: { messageExpiryInterval: 5 } }));
    await writer.next('puback');
    expect(under.journal.rows.has('retained a')).toBe(true);
    clock.aheadMs += 6_000;
    await expect.poll(() => under.journal.rows.has('retained a')).toBe(false);
  });

  it('D-71 does not end because the wall clock was corrected, before or after a restart', async () => {
    const clock = new MovingClock();
    const under = await stage.start({ clock });
    const writer = await stage.connected(under.port, 'writer', V5);
    writer.send(publishOf('a', '1', { retain: true, properties: { messageExpiryInterval: 60 } }));
    await writer.next('puback');
    clock.jumpMs = 3_600_000;
    under.broker.correctClock();
    const again = await stage.restart(under, { clock });
    const reader = await stage.connected(again.port, 'reader', V5);
    await reader.subscribe(['a', 1]);
    const { properties } = await reader.next('publish');
    expect(properties?.messageExpiryInterval).toBeGreaterThan(50);
  });
});

describe('options of subscriptions', () => {
  it('no local: a client does not get its own messages, others do', async () => {
    const under = await stage.start();
    const one = await stage.connected(under.port, 'one', V5);
    await subscribe5(one, 'chat', { nl: true });
    const other = await stage.connected(under.port, 'other', V5);
    await subscribe5(other, 'chat', { nl: true });
    one.publish('chat', 'hi', 1);
    expect((await other.next('publish')).payload.toString()).toBe('hi');
    await one.next('puback');
    expect(await messages(one)).toEqual([]);
  });

  it.each([
    [true, true],
    [false, false],
  ])('retain as published %s', async (rap, retain) => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', V5);
    await subscribe5(reader, 'plan', { rap });
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('plan', '1', 1, true);
    expect((await reader.next('publish')).retain).toBe(retain);
  });

  it.each([
    [0, 1, 1],
    [1, 1, 0],
    [2, 0, 0],
  ] as const)(
    'retain handling %i sends %i retained message at the first SUBSCRIBE and %i at the second',
    async (rh, first, second) => {
      const under = await stage.start();
      const writer = await stage.connected(under.port, 'writer');
      writer.publish('plan', '1', 1, true);
      await writer.next('puback');
      const reader = await stage.connected(under.port, 'reader', V5);
      reader.acknowledges = true;
      for (const count of [first, second]) {
        reader.received.length = 0;
        await subscribe5(reader, 'plan', { rh });
        expect(await messages(reader)).toHaveLength(count);
      }
    },
  );

  it('identifiers of all matching subscriptions come with a message, and outlive a restart (P-RESTART)', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', LASTING);
    await subscribe5(reader, 'a/+', {}, { subscriptionIdentifier: 5 });
    await subscribe5(reader, 'a/b', {}, { subscriptionIdentifier: 200 });
    await subscribe5(reader, '#', {});
    reader.drop();
    const again = await stage.restart(under);
    const back = await stage.connected(again.port, 'reader', LASTING);
    const writer = await stage.connected(again.port, 'writer');
    writer.publish('a/b', '1', 1);
    const { properties } = await back.next('publish');
    expect([...((properties?.subscriptionIdentifier ?? []) as number[])].sort()).toEqual([200, 5]);
  });

  it('UNSUBSCRIBE tells whether each filter was there', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', V5);
    await reader.subscribe(['a', 1]);
    reader.send({ cmd: 'unsubscribe', messageId: 4, unsubscriptions: ['a', 'b'] });
    expect((await reader.next('unsuback')).granted).toEqual([0, 0x11]);
  });

  it('P-LIMIT one subscription too many is refused with its reason', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', V5);
    for (let batch = 0; batch < LIMITS.subscriptionsPerClient / 100; batch++) {
      await reader.subscribe(...Array.from({ length: 100 }, (_, index) => [`a/${batch}/${index}`, 0] as const));
    }
    const suback = await subscribe5(reader, 'one/more');
    expect(suback.granted).toEqual([0x97]);
    expect(suback.properties?.reasonString).toContain('a client may have 200 subscriptions');
  });
});

describe('P-SHARED shared subscriptions', () => {
  const FILTER = '$share/historians/line/#';

  async function members(under: BrokerUnderTest, more: Partial<ConnectPacket> = V5) {
    const clients = [];
    for (const id of ['one', 'two']) {
      const client = await stage.connected(under.port, id, more);
      await client.subscribe([FILTER, 1]);
      client.acknowledges = true;
      clients.push(client);
    }
    return clients;
  }

  async function publish(under: BrokerUnderTest, from: number, to: number) {
    const writer = await stage.connected(under.port, `writer-${from}`);
    for (let number = from; number <= to; number++) writer.publish(`line/${number}`, `${number}`, 1, false, number);
    await expect.poll(() => writer.received.filter(({ cmd }) => cmd === 'puback').length).toBe(to - from + 1);
  }

  function payloads(client: RawClient | undefined): readonly string[] {
    return (client?.received ?? []).flatMap((packet) => (packet.cmd === 'publish' ? [packet.payload.toString()] : []));
  }

  it('each message goes to one member, and both get some', async () => {
    const under = await stage.start();
    const [one, two] = await members(under);
    await publish(under, 1, 100);
    await expect.poll(() => payloads(one).length + payloads(two).length).toBe(100);
    const all = [...payloads(one), ...payloads(two)].map(Number).sort((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(payloads(one).length).toBeGreaterThan(20);
    expect(payloads(two).length).toBeGreaterThan(20);
  });

  it('what a member did not acknowledge goes to the other one', async () => {
    const under = await stage.start();
    const [one, two] = await members(under);
    if (one !== undefined) one.acknowledges = false;
    await publish(under, 1, 20);
    await expect.poll(() => payloads(one).length + payloads(two).length).toBe(20);
    const held = payloads(one);
    expect(held.length).toBeGreaterThan(0);
    one?.drop();
    await expect.poll(() => payloads(two).length).toBe(20);
    expect(payloads(two)).toEqual(expect.arrayContaining([...held]));
  });

  it('messages wait while every member is away, over a restart too, and come once', async () => {
    const under = await stage.start();
    for (const client of await members(under, LASTING)) client.drop();
    await expect.poll(() => under.broker.counters().connections).toBe(0);
    await publish(under, 1, 10);
    const again = await stage.restart(under);
    const back = await stage.connected(again.port, 'two', LASTING);
    back.acknowledges = true;
    await expect.poll(() => payloads(back).length).toBe(10);
    const other = await stage.connected(again.port, 'one', LASTING);
    other.acknowledges = true;
    await other.quiet();
    expect(payloads(other)).toEqual([]);
  });

  it.each(['$share/a', '$share//b', '$share/a+/b', '$share/a/b#'])('%s is refused', async (filter) => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'one', V5);
    expect((await subscribe5(client, filter)).granted).toEqual([0x8f]);
  });

  it('no retained message comes by them', async () => {
    const under = await stage.start();
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('line/plan', '1', 1, true);
    await writer.next('puback');
    const [one] = await members(under);
    await one?.quiet();
    expect(payloads(one)).toEqual([]);
  });
});

describe('bounds of a reader', () => {
  it('P-RECEIVE-MAX no more unacknowledged messages than it takes, also when it comes back with a smaller maximum', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', {
      ...LASTING,
      properties: { sessionExpiryInterval: 600, receiveMaximum: 8 },
    });
    await reader.subscribe(['a/#', 1]);
    const writer = await stage.connected(under.port, 'writer');
    for (let number = 1; number <= 20; number++) writer.publish(`a/${number}`, `${number}`, 1, false, number);
    expect(await messages(reader)).toHaveLength(8);
    reader.drop();
    await reader.untilClosed();
    const back = await stage.connected(under.port, 'reader', {
      ...LASTING,
      properties: { sessionExpiryInterval: 600, receiveMaximum: 2 },
    });
    const came = await messages(back);
    expect(came.map(({ dup }) => dup)).toEqual([true, true]);
    back.acknowledges = true;
    await expect
      .poll(() => new Set(back.received.map((packet) => (packet.cmd === 'publish' ? packet.topic : ''))).size)
      .toBeGreaterThanOrEqual(20);
  });

  it('P-RECEIVE-MAX a reader of 5 that acknowledges nothing gets no more than it takes', async () => {
    const clock = new MovingClock();
    const under = await stage.start({ clock });
    const reader = await stage.connected(under.port, 'reader', { ...V5, keepalive: 0 });
    await reader.subscribe(['a/#', 1]);
    const writer = await stage.connected(under.port, 'writer', { keepalive: 0 });
    for (let number = 1; number <= 100; number++) writer.publish(`a/${number}`, `${number}`, 1, false, number);
    await reader.quiet();
    clock.aheadMs += 10_000;
    expect(await messages(reader, 2_500)).toHaveLength(LIMITS.inFlightPerReader);
  });

  it('P-MAX-PACKET a message that is too large for it is left out, the next one comes', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', { ...V5, properties: { maximumPacketSize: 100 } });
    await reader.subscribe(['a', 1]);
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('a', 'x'.repeat(200), 1, false, 1);
    writer.publish('a', 'small', 1, false, 2);
    expect((await reader.next('publish')).payload.toString()).toBe('small');
    await expect
      .poll(() => under.incidents.map(({ detail }) => detail))
      .toContain('1 messages were left out: it takes packets of 100 bytes');
  });

  it('a reader that refuses a message of QoS 2 with its PUBREC gets no PUBREL', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', V5);
    await reader.subscribe(['a', 2]);
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('a', '1', 2);
    const { messageId = 0 } = await reader.next('publish');
    reader.send({ cmd: 'pubrec', messageId, reasonCode: 0x80 });
    expect(await reader.quiet()).toEqual([]);
  });
});

describe('sessions', () => {
  it('P-SESSION a session ends by its own time, within two seconds', async () => {
    const clock = new MovingClock();
    const under = await stage.start({ clock });
    const reader = await stage.connected(under.port, 'reader', {
      ...LASTING,
      properties: { sessionExpiryInterval: 30 },
    });
    await reader.subscribe(['a', 1]);
    reader.drop();
    await expect.poll(() => under.broker.counters().connections).toBe(0);
    clock.aheadMs += 28_000;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(under.broker.counters().sessions).toBe(1);
    clock.aheadMs += 2_000;
    await expect.poll(() => under.broker.counters().sessions).toBe(0);
  });

  it.each([
    ['a machine', 'RF-1'],
    ['another client', 'reader'],
  ])('P-SESSION without an expiry %s has no session when it comes back', async (_, id) => {
    const under = await stage.start();
    const first = await stage.connected(under.port, id, { ...V5, clean: false });
    await first.subscribe([`${ROOT}/command`, 1]);
    first.drop();
    await first.untilClosed();
    await expect.poll(() => under.broker.counters().connections).toBe(0);
    expect(await sessionPresent(under, id, LASTING)).toBe(false);
  });

  it.each([
    ['from 3.1.1 to 5', { clean: false }, LASTING],
    ['from 5 to 3.1.1', LASTING, { clean: false }],
  ])('P-SESSION a session goes on when its client changes %s', async (_, before, after) => {
    for (const id of ['RF-1', 'reader']) {
      const under = await stage.start();
      const first = await stage.connected(under.port, id, before);
      await first.subscribe([`${ROOT}/command`, 1], ['news', 1]);
      first.drop();
      await first.untilClosed();
      await expect.poll(() => under.broker.counters().connections).toBe(0);
      const back = await stage.connected(under.port, id, after);
      const writer = await stage.connected(under.port, 'writer');
      writer.publish('news', '1', 1);
      await expect
        .poll(() => back.received.some((packet) => packet.cmd === 'publish' && packet.topic === 'news'))
        .toBe(true);
    }
  });

  it('P-SESSION a DISCONNECT may end the session', async () => {
    const under = await stage.start();
    for (const id of ['RF-1', 'reader']) {
      const first = await stage.connected(under.port, id, LASTING);
      await first.subscribe(['news', 1]);
      first.send({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 0 } });
      await first.untilClosed();
      await expect.poll(() => under.broker.counters().connections).toBe(0);
      expect(await sessionPresent(under, id, LASTING)).toBe(false);
    }
  });

  it('a DISCONNECT cannot give a session to a client without one', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'reader', V5);
    client.send({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 60 } });
    expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x82 });
  });

  it.each([
    ['5 by 3.1.1', V5, {}],
    ['3.1.1 by 5', {}, V5],
    ['5 by 5', V5, V5],
  ])('P-TAKEOVER a client of %s with the same id takes over', async (_, before, after) => {
    const under = await stage.start();
    for (const id of ['hmi', 'RF-1']) {
      const first = await stage.connected(under.port, id, before);
      const second = await stage.connected(under.port, id, after);
      await first.untilClosed();
      second.publish(`${ROOT}/status`, '{}', 1);
      await second.next('puback');
      expect(first.received.map(({ cmd }) => cmd)).toEqual(before === V5 ? ['disconnect'] : []);
    }
  });

  it.each([
    ['5', '3.1.1', V5, {}],
    ['3.1.1', '5', {}, V5],
  ])('P-RETAIN a message that a client of %s retains comes to one of %s', async (_, __, writes, reads) => {
    const under = await stage.start();
    const writer = await stage.connected(under.port, 'writer', writes);
    const properties = writes === V5 ? { properties: { contentType: 'text/plain' } } : {};
    writer.send(publishOf('plan', 'now', { retain: true, ...properties }));
    await writer.next('puback');
    const reader = await stage.connected(under.port, 'reader', reads);
    await reader.subscribe(['plan', 1]);
    expect(await reader.next('publish')).toMatchObject({ retain: true, payload: Buffer.from('now') });
  });

  it('P-CONNACK a client without an id gets one', async () => {
    const under = await stage.start();
    const client = await stage.socket5(under.port);
    client.send({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 5, clean: true, clientId: '', keepalive: 60 });
    const { properties } = await client.next('connack');
    expect(properties?.assignedClientIdentifier).toMatch(/^plantgate-/);
  });

  it('P-VERSION the list of clients names the version of each', async () => {
    const under = await stage.start();
    await stage.connected(under.port, 'new', V5);
    await stage.connected(under.port, 'RF-1', V5);
    await stage.connected(under.port, 'old');
    const versions = [...under.broker.clients()].map(({ clientId, version }) => [clientId, version]);
    expect(new Map(versions as [string, number][])).toEqual(
      new Map([
        ['new', 5],
        ['RF-1', 5],
        ['old', 4],
      ]),
    );
  });
});

describe('publications of other clients in MQTT 5', () => {
  it('P-REASON a command topic is refused, nobody hears an unknown topic', async () => {
    const under = await stage.start();
    const writer = await stage.connected(under.port, 'writer', V5);
    writer.publish(`${ROOT}/command`, '1', 1, false, 1);
    expect(await writer.next('puback')).toMatchObject({ reasonCode: 0x87 });
    writer.publish('nobody/hears', '1', 1, false, 2);
    expect(await writer.next('puback')).toMatchObject({ reasonCode: 0x10 });
    const reader = await stage.connected(under.port, 'reader');
    await reader.subscribe(['nobody/hears', 0]);
    writer.publish('nobody/hears', '1', 1, false, 3);
    expect(await writer.next('puback')).toMatchObject({ reasonCode: 0 });
  });

  it('P-REASON a relay reads what is wrong with a machine’s message', async () => {
    const under = await stage.start();
    under.inbox.report = { kind: 'refused', detail: 'goodPart: found "x", expected an integer' };
    const writer = await stage.connected(under.port, 'node-red', V5);
    writer.publish(`${ROOT}/status/goodPart`, 'x', 1);
    expect(await writer.next('puback')).toMatchObject({
      reasonCode: 0x99,
      properties: { reasonString: 'goodPart: found "x", expected an integer' },
    });
  });

  it('a status of a relay is answered for the machine', async () => {
    const under = await stage.start();
    const machine = await stage.connected(under.port, 'RF-1', V5);
    await machine.subscribe([`${ROOT}/command`, 1]);
    const relay = await stage.connected(under.port, 'node-red', V5);
    relay.publish(`${ROOT}/status`, '{}', 1);
    expect(JSON.parse((await machine.next('publish')).payload.toString())).toMatchObject(MAY_RUN);
  });
});

describe('P-WILL wills in MQTT 5', () => {
  const will = {
    topic: 'line/gone',
    payload: Buffer.from('bye'),
    qos: 1,
    retain: false,
    properties: { willDelayInterval: 20, contentType: 'text/plain', messageExpiryInterval: 90 },
  } as const;
  const properties = { contentType: 'text/plain', messageExpiryInterval: 90 };

  async function watched(clock: MovingClock, more: Partial<ConnectPacket> = LASTING) {
    const under = await stage.start({ clock });
    const reader = await stage.connected(under.port, 'watch', { ...V5, keepalive: 0 });
    await reader.subscribe(['line/gone', 1]);
    reader.acknowledges = true;
    const client = await stage.connected(under.port, 'hmi', { ...more, will, keepalive: 0 });
    return { under, reader, client };
  }

  it('comes after its delay, with its properties', async () => {
    const clock = new MovingClock();
    const { reader, client } = await watched(clock);
    client.drop();
    expect(await messages(reader, 1_200)).toEqual([]);
    clock.aheadMs += 21_000;
    const message = await reader.next('publish');
    expect(message.properties).toEqual(properties);
  });

  it('does not come for a client that is back in time', async () => {
    const clock = new MovingClock();
    const { under, reader, client } = await watched(clock);
    client.drop();
    await client.untilClosed();
    await stage.connected(under.port, 'hmi', { ...LASTING, keepalive: 0 });
    clock.aheadMs += 21_000;
    expect(await messages(reader, 1_200)).toEqual([]);
  });

  it('comes at once if the client is back without its session', async () => {
    const clock = new MovingClock();
    const { under, reader, client } = await watched(clock);
    client.drop();
    await client.untilClosed();
    await stage.connected(under.port, 'hmi', { ...LASTING, clean: true, keepalive: 0 });
    expect((await reader.next('publish')).payload.toString()).toBe('bye');
  });

  it('comes with the end of the session at the latest', async () => {
    const { reader, client } = await watched(new MovingClock(), V5);
    client.drop();
    expect((await reader.next('publish')).payload.toString()).toBe('bye');
  });

  it.each([
    [0x00, 0],
    [0x04, 1],
  ])('DISCONNECT with code %i publishes it %i times', async (reasonCode, times) => {
    const { reader, client } = await watched(new MovingClock(), V5);
    client.send({ cmd: 'disconnect', reasonCode });
    expect(await messages(reader, 300)).toHaveLength(times);
  });

  it('P-RESTART a delayed will outlives a restart', async () => {
    const clock = new MovingClock();
    const { under, client } = await watched(clock);
    client.drop();
    await expect.poll(() => [...under.journal.rows.keys()].some((key) => key.startsWith('will '))).toBe(true);
    const again = await stage.restart(under, { clock });
    const reader = await stage.connected(again.port, 'watch', { ...V5, keepalive: 0 });
    await reader.subscribe(['line/gone', 1]);
    clock.aheadMs += 100_000;
    expect((await reader.next('publish')).payload.toString()).toBe('bye');
  });

  it('a machine’s will with a delay: a short break is no absence', async () => {
    const clock = new MovingClock();
    const under = await stage.start({ clock });
    const lwt = { topic: `${ROOT}/lwt`, payload: Buffer.from('false'), qos: 1, retain: true } as const;
    const more = { ...LASTING, keepalive: 0, will: { ...lwt, properties: { willDelayInterval: 30 } } } as const;
    const first = await stage.connected(under.port, 'RF-1', more);
    first.drop();
    await first.untilClosed();
    const second = await stage.connected(under.port, 'RF-1', more);
    clock.aheadMs += 31_000;
    await second.quiet(1_200);
    expect(under.inbox.heard).toEqual([]);
    second.drop();
    await second.untilClosed();
    await second.quiet(100);
    clock.aheadMs += 31_000;
    await expect.poll(() => under.inbox.heard).toEqual(['RF-1 lwt false']);
  });

  it('on a command topic goes nowhere', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'watch');
    await reader.subscribe([`${ROOT}/#`, 0]);
    const foreign = { topic: `${ROOT}/command`, payload: Buffer.from('1'), qos: 0, retain: false } as const;
    const client = await stage.connected(under.port, 'hmi', { ...V5, will: foreign });
    client.drop();
    expect(await messages(reader, 300)).toEqual([]);
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'forbiddenPublish', subject: 'hmi' }));
  });
});

async function sessionPresent(
  under: BrokerUnderTest,
  clientId: string,
  more: Partial<ConnectPacket>,
): Promise<boolean> {
  const client = await stage.socket5(under.port);
  client.send({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 5,
    keepalive: 60,
    ...more,
    clean: false,
    clientId,
  });
  const connack = await client.next('connack');
  client.drop();
  return connack.sessionPresent;
}
