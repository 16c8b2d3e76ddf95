import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../src/adapters/broker/limits.ts';
import { BrokerStage, type BrokerUnderTest } from '../broker-under-test.ts';
import type { ConnectPacket, RawClient } from '../raw-client.ts';
import { LASTING, MovingClock, messages, subscribe5, V5 } from './client.ts';

const stage = new BrokerStage();

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
