import { describe, expect, it } from 'vitest';
import { BrokerStage, type BrokerUnderTest, MAY_RUN, ROOT } from '../broker-under-test.ts';
import type { ConnectPacket } from '../raw-client.ts';
import { LASTING, MovingClock, messages, publishOf, V5 } from './client.ts';

const stage = new BrokerStage();

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
