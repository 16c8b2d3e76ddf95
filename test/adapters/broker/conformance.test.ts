import { generate } from 'mqtt-packet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { topicMatches } from '../../../src/adapters/broker/mqtt/topic-filter.ts';
import { type BrokerUnderTest, startBroker } from './broker-under-test.ts';
import { connectOf, RawClient } from './raw-client.ts';

/**
 * MQTT 3.1.1 by its normative statements, for a client that is no machine and for a machine's client. The second starts
 * as a machine and is handed over in the middle, which must not be noticeable.
 */
describe.each([
  { who: 'any client', clientId: 'client-1', base: 'hall/a' },
  { who: "a machine's own client", clientId: 'RF-1', base: 'plant/rf-1/x' },
])('MQTT-10 MQTT 3.1.1 for $who', ({ clientId, base }) => {
  let under: BrokerUnderTest;
  const open: RawClient[] = [];

  const connected = async (id = clientId, more: Parameters<typeof RawClient.connected>[2] = {}) => {
    const client = await RawClient.connected(under.port, id, more);
    open.push(client);
    return client;
  };

  beforeEach(async () => {
    under = await startBroker();
  });
  afterEach(async () => {
    for (const client of open.splice(0)) client.drop();
    await under.broker.close();
  });

  it('3.1.0-1 the first packet must be a CONNECT', async () => {
    const client = await RawClient.open(under.port);
    client.send({ cmd: 'pingreq' });
    await client.untilClosed();
  });

  it('3.1.0-2 a second CONNECT ends the connection', async () => {
    const client = await connected();
    client.send(connectOf(clientId));
    await client.untilClosed();
  });

  const text = (words: string) => [0, words.length, ...Buffer.from(words)];

  it.each([
    ['3.1.2-14 a will of QoS 3', 0x1e, [...text('wills/t'), ...text('gone')]],
    ['3.1.2-14 a retained will of QoS 3', 0x3e, [...text('wills/t'), ...text('gone')]],
    ['3.1.2-22 a password without a user name', 0x42, text('secret')],
    ['3.1.4-1 more behind the last field', 0x02, [0]],
    ['3.1.4-1 more behind the last field, with a will', 0x06, [...text('wills/t'), ...text('gone'), ...text('more')]],
  ])('%s ends the connection without an answer', async (_, flags, fields) => {
    const client = await RawClient.open(under.port);
    const body = [...text('MQTT'), 4, flags, 0, 60, ...text(clientId), ...fields];
    client.sendBytes(0x10, body.length, ...body);
    await client.untilClosed();
    expect(client.received).toEqual([]);
  });

  it('3.1.2-2 an unknown protocol level is answered with 0x01', async () => {
    const client = await RawClient.open(under.port);
    client.sendBytes(
      0x10,
      12 + clientId.length,
      0,
      4,
      0x4d,
      0x51,
      0x54,
      0x54,
      6,
      2,
      0,
      60,
      0,
      clientId.length,
      ...Buffer.from(clientId),
    );
    await client.untilClosed();
    expect(client.received).toMatchObject([{ cmd: 'connack', returnCode: 1 }]);
  });

  it('3.1.3-8 an empty client id without a clean session is answered with 0x02', async () => {
    const client = await RawClient.open(under.port);
    client.send(connectOf(''));
    expect((await client.next('connack')).returnCode).toBe(0);
    const other = await RawClient.open(under.port);
    other.sendBytes(0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 0, 0, 60, 0, 0);
    expect((await other.next('connack')).returnCode).toBe(2);
    await other.untilClosed();
    client.drop();
  });

  it('3.1.4-2 a second client with the same id takes the place of the first', async () => {
    const first = await connected();
    const second = await connected();
    await first.untilClosed();
    second.send({ cmd: 'pingreq' });
    await second.next('pingresp');
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'duplicateClientId', subject: clientId }));
  });

  it('3.12.4-1 PINGREQ is answered', async () => {
    const client = await connected();
    client.send({ cmd: 'pingreq' });
    await client.next('pingresp');
  });

  it('3.1.2-24 a client silent for one and a half keepalives is cut off', async () => {
    const client = await connected(clientId, { keepalive: 1 });
    await client.untilClosed();
  });

  describe('MQTT-10 MQTT 3.1', () => {
    const asVersion31 = { protocolId: 'MQIsdp', protocolVersion: 3, clean: false } as const;
    const again = (packet: Parameters<typeof generate>[0]) => {
      const bytes = generate(packet);
      bytes[0] = (bytes[0] ?? 0) | 0x08;
      return bytes;
    };

    it.each([
      [
        'SUBSCRIBE',
        again({ cmd: 'subscribe', messageId: 5, subscriptions: [{ topic: `${base}/a`, qos: 1 }] }),
        'suback',
      ],
      ['UNSUBSCRIBE', again({ cmd: 'unsubscribe', messageId: 6, unsubscriptions: [`${base}/a`] }), 'unsuback'],
      ['PUBREL', again({ cmd: 'pubrel', messageId: 7 }), 'pubcomp'],
    ] as const)('a %s that is sent again, with the DUP flag, is answered', async (_, bytes, answer) => {
      const client = await connected(clientId, asVersion31);
      client.sendBytes(...bytes);
      expect(await client.next(answer)).toBeDefined();
      expect(client.closed).toBe(false);
    });

    it('the CONNACK of a session that is there has 0 in the byte that 3.1 reserves, and 1 for 3.1.1', async () => {
      const present = async (more: Parameters<typeof RawClient.connected>[2]) => {
        const client = await RawClient.open(under.port);
        open.push(client);
        client.send(connectOf(clientId, more));
        const { sessionPresent } = await client.next('connack');
        await client.subscribe([`${base}/a`, 1]);
        client.drop();
        return sessionPresent;
      };
      expect([await present(asVersion31), await present(asVersion31)]).toEqual([false, false]);
      await expect.poll(() => present({ clean: false })).toBe(true);
    });

    it('2.2.2-2 the DUP flag on a SUBSCRIBE of 3.1.1 ends the connection', async () => {
      const client = await connected();
      client.sendBytes(...again({ cmd: 'subscribe', messageId: 5, subscriptions: [{ topic: `${base}/a`, qos: 1 }] }));
      await client.untilClosed();
    });
  });

  it.each([0, 1, 2] as const)('4.3 a message of QoS %d is delivered with the QoS asked for, once', async (qos) => {
    const reader = await connected('reader');
    expect(await reader.subscribe([`${base}/#`, 2])).toEqual([2]);
    const writer = await connected();
    writer.publish(`${base}/t`, 'hello', qos);
    if (qos === 1) expect((await writer.next('puback')).messageId).toBe(21);
    if (qos === 2) {
      await writer.next('pubrec');
      writer.send({ cmd: 'pubrel', messageId: 21 });
      await writer.next('pubcomp');
    }
    const message = await reader.next('publish');
    expect(message).toMatchObject({ topic: `${base}/t`, qos, retain: false, dup: false });
    expect(message.payload.toString()).toBe('hello');
    expect(await reader.quiet()).toEqual([]);
  });

  it('3.8.4-6 a message is lowered to the QoS of the subscription', async () => {
    const reader = await connected('reader');
    await reader.subscribe([`${base}/+`, 1]);
    const writer = await connected();
    writer.publish(`${base}/t`, 'two', 2);
    await writer.next('pubrec');
    expect((await reader.next('publish')).qos).toBe(1);
    writer.publish(`${base}/t`, 'zero', 0);
    expect((await reader.next('publish')).qos).toBe(0);
  });

  describe.each([
    ['connected', true],
    ['away for a while', false],
  ])('3.3.5-1 where filters overlap, the highest QoS counts for a reader that is %s', (_, stays) => {
    it.each([
      [[['#', 1]], [['t', 0]], 1],
      [[['t', 0]], [['#', 1]], 1],
      [[['t', 1]], [['+', 0]], 1],
      [[['+', 0]], [['t', 1]], 1],
      [
        [
          ['#', 0],
          ['t', 1],
        ],
        [['+', 2]],
        2,
      ],
      [[['t', 2]], [['t', 1]], 1],
    ] as const)('%j, then %j', async (first, then, qos) => {
      const full = (filters: readonly (readonly [string, 0 | 1 | 2])[]) =>
        filters.map(([filter, wanted]) => [`${base}/${filter}`, wanted] as const);
      const reader = await connected('reader', { clean: stays });
      expect(await reader.subscribe(...full(first))).toEqual(first.map(([, wanted]) => wanted));
      expect(await reader.subscribe(...full(then))).toEqual(then.map(([, wanted]) => wanted));
      if (!stays) {
        reader.end();
        await reader.untilClosed();
      }
      const writer = await connected();
      writer.publish(`${base}/t`, 'once', 2);
      await writer.next('pubrec');
      writer.send({ cmd: 'pubrel', messageId: 21 });
      await writer.next('pubcomp');
      const listener = stays ? reader : await connected('reader', { clean: false });
      expect((await listener.next('publish')).qos).toBe(qos);
      expect((await listener.quiet()).filter(({ cmd }) => cmd === 'publish')).toEqual([]);
    });
  });

  it('3.8.4-1 SUBACK carries the packet id and a code for each filter, in order', async () => {
    const client = await connected();
    client.send({
      cmd: 'subscribe',
      messageId: 777,
      subscriptions: [
        { topic: `${base}/a`, qos: 2 },
        { topic: `${base}/b`, qos: 0 },
        { topic: `${base}/c`, qos: 1 },
      ],
    });
    expect(await client.next('suback')).toMatchObject({ messageId: 777, granted: [2, 0, 1] });
  });

  it('3.10.3-2 UNSUBSCRIBE of nothing ends the connection', async () => {
    const client = await connected();
    client.sendBytes(0xa2, 2, 0, 9);
    await client.untilClosed();
    expect(client.received.map(({ cmd }) => cmd)).not.toContain('unsuback');
  });

  it('3.10.4 UNSUBSCRIBE is answered even for an unknown filter, and no message comes any more', async () => {
    const client = await connected();
    await client.subscribe([`${base}/t`, 1]);
    client.send({ cmd: 'unsubscribe', messageId: 9, unsubscriptions: [`${base}/t`, `${base}/never`] });
    expect((await client.next('unsuback')).messageId).toBe(9);
    client.publish(`${base}/t`, 'x');
    expect(await client.quiet()).toEqual([]);
  });

  it('3.3.1-5 to 3.3.1-11 retained messages are kept, given to new subscribers with the flag, replaced and removed', async () => {
    const writer = await connected();
    writer.publish(`${base}/r`, 'one', 1, true);
    await writer.next('puback');
    writer.publish(`${base}/r`, 'two', 1, true);
    await writer.next('puback');
    const reader = await connected('reader');
    await reader.subscribe([`${base}/r`, 0]);
    const kept = await reader.next('publish');
    expect(kept).toMatchObject({ retain: true, qos: 0 });
    expect(kept.payload.toString()).toBe('two');
    writer.publish(`${base}/r`, 'live', 1, true);
    expect(await reader.next('publish')).toMatchObject({ retain: false });
    writer.publish(`${base}/r`, '', 1, true);
    await reader.next('publish');
    const late = await connected('late');
    await late.subscribe([`${base}/r`, 1]);
    expect(await late.quiet()).toEqual([]);
  });

  it('3.1.2-4 and 3.2.2-2 a session outlives its connection, and CONNACK says so', async () => {
    const first = await RawClient.open(under.port);
    first.send(connectOf(clientId, { clean: false }));
    expect((await first.next('connack')).sessionPresent).toBe(false);
    await first.subscribe([`${base}/s`, 1]);
    first.end();
    await first.untilClosed();
    const writer = await connected('writer');
    for (const text of ['a', 'b', 'c']) {
      writer.publish(`${base}/s`, text, 1);
      await writer.next('puback');
    }
    const back = await RawClient.open(under.port);
    open.push(back);
    back.send(connectOf(clientId, { clean: false }));
    expect((await back.next('connack')).sessionPresent).toBe(true);
    const texts = [];
    for (let count = 0; count < 3; count++) texts.push((await back.next('publish')).payload.toString());
    expect(texts).toEqual(['a', 'b', 'c']);
  });

  it('4.4.0-1 an unacknowledged message is sent again with DUP and the same packet id', async () => {
    const first = await connected(clientId, { clean: false });
    await first.subscribe([`${base}/s`, 1]);
    const writer = await connected('writer');
    writer.publish(`${base}/s`, 'again', 1);
    const sent = await first.next('publish');
    expect(sent.dup).toBe(false);
    first.drop();
    await first.untilClosed();
    const back = await connected(clientId, { clean: false });
    expect(await back.next('publish')).toMatchObject({ dup: true, messageId: sent.messageId });
  });

  it('3.2.2-2 a session without subscriptions is a session too', async () => {
    const first = await connected(clientId, { clean: false });
    first.end();
    await first.untilClosed();
    const back = await RawClient.open(under.port);
    open.push(back);
    back.send(connectOf(clientId, { clean: false }));
    expect((await back.next('connack')).sessionPresent).toBe(true);
  });

  it('3.1.2-6 a clean session starts from nothing and leaves nothing', async () => {
    const first = await connected(clientId, { clean: false });
    await first.subscribe([`${base}/s`, 1]);
    first.end();
    await first.untilClosed();
    const clean = await connected(clientId, { clean: true });
    clean.end();
    await clean.untilClosed();
    const back = await RawClient.open(under.port);
    open.push(back);
    back.send(connectOf(clientId, { clean: false }));
    expect((await back.next('connack')).sessionPresent).toBe(false);
  });

  it('3.1.2-8 a will is published when the connection breaks, and not after DISCONNECT', async () => {
    const reader = await connected('reader');
    await reader.subscribe([`${base}/will`, 1]);
    const will = { topic: `${base}/will`, payload: Buffer.from('gone'), qos: 1, retain: false } as const;
    const polite = await connected(clientId, { will });
    polite.end();
    await polite.untilClosed();
    expect(await reader.quiet()).toEqual([]);
    const broken = await connected(clientId, { will });
    broken.drop();
    expect((await reader.next('publish')).payload.toString()).toBe('gone');
  });

  it.each([
    ['a reserved packet type', [0xf0, 0]],
    ['flags that are reserved', [0xc1, 0]],
    ['QoS 3', [0x36, 5, 0, 1, 0x61, 0, 1]],
    ['DUP with QoS 0', [0x38, 3, 0, 1, 0x61]],
    ['packet id 0', [0x32, 5, 0, 1, 0x61, 0, 0]],
    ['an empty topic', [0x30, 2, 0, 0]],
    ['a wildcard in a topic', [0x30, 3, 0, 1, 0x23]],
    ['U+0000 in a topic', [0x30, 3, 0, 1, 0]],
    ['ill-formed UTF-8 in a topic', [0x30, 4, 0, 2, 0xc3, 0x28]],
    ['a SUBSCRIBE without filters', [0x82, 2, 0, 1]],
    ['a SUBSCRIBE with packet id 0', [0x82, 6, 0, 0, 0, 1, 0x61, 0]],
    ['a SUBSCRIBE for QoS 3', [0x82, 6, 0, 1, 0, 1, 0x61, 3]],
    ['a length of five bytes', [0x30, 0xff, 0xff, 0xff, 0xff, 1]],
    ['a topic longer than its packet', [0x30, 3, 0, 9, 0x61]],
  ])('%s ends the connection, and no other client notices', async (_what, bytes) => {
    const bystander = await connected('bystander');
    const client = await connected();
    client.sendBytes(...bytes);
    await client.untilClosed();
    bystander.send({ cmd: 'pingreq' });
    await bystander.next('pingresp');
  });

  it.each(['a/#/b', 'a#', 'a/b+', '++'])('4.7.1 the filter %s ends the connection', async (filter) => {
    const client = await connected();
    client.send({ cmd: 'subscribe', messageId: 5, subscriptions: [{ topic: filter, qos: 0 }] });
    await client.untilClosed();
  });

  it('4.6 messages of one publisher come in order', async () => {
    const reader = await connected('reader');
    await reader.subscribe([`${base}/o`, 1]);
    const writer = await connected();
    for (let number = 1; number <= 50; number++) writer.publish(`${base}/o`, String(number), 1, false, number);
    const texts: string[] = [];
    for (let count = 0; count < 50; count++) {
      const message = await reader.next('publish');
      texts.push(message.payload.toString());
      if (message.messageId !== undefined) reader.send({ cmd: 'puback', messageId: message.messageId });
    }
    expect(texts).toEqual(Array.from({ length: 50 }, (_, index) => String(index + 1)));
  });

  it('packets cut anywhere are put together again', async () => {
    const client = await RawClient.open(under.port);
    open.push(client);
    const { generate } = await import('mqtt-packet');
    const bytes = Buffer.concat([
      generate(connectOf(clientId)),
      generate({
        cmd: 'publish',
        topic: `${base}/t`,
        payload: 'x'.repeat(300),
        qos: 1,
        messageId: 3,
        dup: false,
        retain: false,
      }),
      generate({ cmd: 'pingreq' }),
    ]);
    for (const byte of bytes) {
      client.socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await client.next('connack');
    expect((await client.next('puback')).messageId).toBe(3);
    await client.next('pingresp');
  });
});

// The broker accepts no publication on such a topic, so only the rule itself can be shown.
it.each([
  ['#', '$SYS/x', false],
  ['+/x', '$SYS/x', false],
  ['$SYS/#', '$SYS/x', true],
  ['$SYS/+', '$SYS/x', true],
])('MQTT-10 4.7.2-1 a wildcard at the front matches no topic that begins with $: %s, %s', (filter, topic, expected) => {
  expect(topicMatches(filter, topic)).toBe(expected);
});
