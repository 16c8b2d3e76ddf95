import { describe, expect, it } from 'vitest';
import { BrokerStage, MAY_RUN, ROOT } from '../broker-under-test.ts';
import { LASTING, MovingClock, messages, publishOf, V5 } from './client.ts';

const stage = new BrokerStage();

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
