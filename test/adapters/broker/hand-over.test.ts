import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { BrokerStage, COMMAND_TOPICS, knownMachine, MAY_RUN, ROOT } from './broker-under-test.ts';

const stage = new BrokerStage();
const RF_1 = knownMachine('RF-1');
const SUBSCRIBE_MORE = generate({ cmd: 'subscribe', messageId: 12, subscriptions: [{ topic: 'news', qos: 1 }] });

describe('a machine that asks for more than its commands', () => {
  it('VAR-04 gets the PUBACK of variables that are stored meanwhile', async () => {
    const stored = Promise.withResolvers<void>();
    const under = await stage.start();
    under.inbox.stored = stored.promise;
    const client = await stage.device(under);
    client.publish(`${ROOT}/vars`, '{}', 1, false, 77);
    client.socket.write(SUBSCRIBE_MORE);
    await client.next('suback');
    expect(client.received).toEqual([]);
    stored.resolve();
    expect((await client.next('puback')).messageId).toBe(77);
  });

  it.each([true, false])('MQTT-12 loses no packet sent after that SUBSCRIBE (clean session: %s)', async (clean) => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1', { clean });
    const field = { cmd: 'publish', topic: `${ROOT}/status/goodPart`, qos: 0, retain: false, dup: false } as const;
    const fields = Array.from({ length: 600 }, (_, count) => generate({ ...field, payload: `${count}` }));
    client.socket.write(Buffer.concat([SUBSCRIBE_MORE, ...fields]));
    await client.next('suback');
    await expect.poll(() => under.inbox.heard.length).toBe(600);
    expect(under.inbox.heard).toEqual(fields.map((_, count) => `RF-1 field goodPart=${count}`));
  });

  it('4.4.0-1 gets the commands again that it did not acknowledge, each once', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    under.broker.send(RF_1, MAY_RUN, 'all');
    for (const _ of COMMAND_TOPICS) await client.next('publish');
    client.socket.write(SUBSCRIBE_MORE);
    await client.next('suback');
    client.drop();
    await expect.poll(() => under.broker.counters().connections).toBe(0);
    const back = await stage.connected(under.port, 'RF-1', { clean: false });
    const got = [];
    for (const _ of COMMAND_TOPICS) got.push((await back.next('publish')).topic);
    expect(got.sort()).toEqual([...COMMAND_TOPICS].sort());
  });

  it('MQTT-07 keeps its will', async () => {
    const under = await stage.start();
    const will = { topic: `${ROOT}/lwt`, payload: Buffer.from('false'), qos: 1, retain: true } as const;
    const client = await stage.connected(under.port, 'RF-1', { will });
    client.socket.write(SUBSCRIBE_MORE);
    await client.next('suback');
    client.drop();
    await expect.poll(() => under.inbox.heard).toEqual(['RF-1 lwt false']);
  });
});

describe('a client that does not wait for its CONNACK', () => {
  it('MQTT-10 loses no packet, and their order is kept', async () => {
    const under = await stage.start();
    const listener = await stage.connected(under.port, 'listener');
    await listener.subscribe(['news', 0]);
    const client = await stage.socket(under.port);
    const connect = generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId: 'writer',
      keepalive: 60,
    });
    const news = (count: number) =>
      generate({ cmd: 'publish', topic: 'news', payload: `${count}`, qos: 0, retain: false, dup: false });
    client.socket.write(Buffer.concat([connect, ...Array.from({ length: 300 }, (_, count) => news(count))]));
    await client.next('connack');
    client.socket.write(Buffer.concat(Array.from({ length: 300 }, (_, count) => news(300 + count))));
    await expect.poll(() => listener.received.length).toBe(600);
    const got = listener.received.map((packet) => packet.cmd === 'publish' && Number(packet.payload));
    expect(got).toEqual(got.map((_, count) => count));
  });
});
