import { describe, expect, it } from 'vitest';
import { BrokerStage, type BrokerUnderTest, COMMAND_TOPICS, ROOT } from '../broker-under-test.ts';
import type { ConnectPacket } from '../raw-client.ts';
import { LASTING, publishOf, V5 } from './client.ts';

const stage = new BrokerStage();

async function machine(under: BrokerUnderTest, more: Partial<ConnectPacket> = {}) {
  const client = await stage.connected(under.port, 'RF-1', { ...LASTING, ...more });
  await client.subscribe(...COMMAND_TOPICS.map((topic) => [topic, 1] as const));
  return client;
}

describe('topic aliases of a machine', () => {
  it('P-ALIAS, D-70 an alias stands for its topic on this connection, and is checked like a topic each time', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1', V5);
    client.send({ ...publishOf(`${ROOT}/status`, '{"n":1}'), properties: { topicAlias: 7 } });
    await client.next('puback');
    client.send({ ...publishOf('', '{"n":2}'), properties: { topicAlias: 7 } });
    await client.next('puback');
    expect(under.inbox.heard).toEqual(['RF-1 status {"n":1}', 'RF-1 status {"n":2}']);
    client.send({ ...publishOf('plant/rf-2/status', '{}'), properties: { topicAlias: 8 } });
    expect((await client.next('puback')).reasonCode).toBe(0x87);
    client.send({ ...publishOf('', '{}'), properties: { topicAlias: 8 } });
    expect((await client.next('puback')).reasonCode).toBe(0x87);
    expect(under.inbox.heard).toHaveLength(2);
  });

  it.each([
    ['that was not set', 9, 0x82],
    ['of 0', 0, 0x94],
    ['beyond the maximum', 33, 0x94],
  ])('P-ALIAS an alias %s ends the connection with its reason', async (_, topicAlias, code) => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1', V5);
    client.sendBytes(0x30, 6, 0, 0, 3, 0x23, 0, topicAlias);
    expect(await client.next('disconnect')).toMatchObject({ reasonCode: code });
    await client.untilClosed();
  });
});

describe('P-DISCONNECT, D-72 a DISCONNECT tells why before the connection ends', () => {
  it('P-TAKEOVER another client with the id', async () => {
    const under = await stage.start();
    const client = await machine(under);
    await stage.connected(under.port, 'RF-1', LASTING);
    const told = await client.next('disconnect');
    expect(told.reasonCode).toBe(0x8e);
    expect(told.properties?.reasonString).toContain('127.0.0.1');
    await client.untilClosed();
  });

  it('the plant has changed', async () => {
    const under = await stage.start();
    const client = await machine(under);
    under.broker.configure([], []);
    expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x98 });
  });

  it('the gateway stops', async () => {
    const under = await stage.start();
    const client = await machine(under);
    await stage.stop(under);
    expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x8b });
  });

  it('the keep alive has run out', async () => {
    const under = await stage.start();
    const client = await machine(under, { keepalive: 1 });
    expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x8d });
  });

  it.each<readonly [string, number, readonly number[]]>([
    ['a length in more bytes than it needs', 0x81, [0xc0, 0x80, 0]],
    ['a second CONNECT', 0x82, [0x10, 0]],
    ['an AUTH', 0x82, [0xf0, 0]],
    ['an UNSUBSCRIBE of an empty filter', 0x81, [0xa2, 5, 0, 1, 0, 0, 0]],
    ['a property twice', 0x82, [0x30, 12, 0, 1, 65, 4, 0x01, 0, 0x01, 0, 1, 1, 1, 1]],
    ['a property of another packet', 0x81, [0x30, 6, 0, 1, 65, 2, 0x17, 1]],
    ['a topic that is no UTF-8', 0x81, [0x30, 4, 0, 1, 0xff, 0]],
    ['a topic with a wildcard', 0x90, [0x30, 4, 0, 1, 0x23, 0]],
    ['a PUBLISH without topic and alias', 0x82, [0x30, 3, 0, 0, 0]],
    ['QoS 3', 0x81, [0x36, 6, 0, 1, 65, 0, 1, 0]],
    ['a subscription identifier of a client', 0x82, [0x30, 6, 0, 1, 65, 2, 0x0b, 1]],
    ['a PUBACK with a code of another packet', 0x82, [0x40, 3, 0, 1, 0x8e]],
    ['a packet above the maximum', 0x95, [0x30, 0xff, 0xff, 0x7f]],
  ])('%s', async (_, code, bytes) => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1', V5);
    client.sendBytes(...bytes);
    const told = await client.next('disconnect');
    expect(told.reasonCode).toBe(code);
    expect(told.properties?.reasonString).not.toBe('');
    await client.untilClosed();
  });

  it('more messages than the receive maximum without acknowledgement', async () => {
    const under = await stage.start();
    under.inbox.stored = new Promise(() => undefined);
    const client = await stage.connected(under.port, 'RF-1', V5);
    for (let count = 1; count <= 257; count++) client.publish(`${ROOT}/vars`, '1', 1, false, count);
    expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x93 });
  });
});
