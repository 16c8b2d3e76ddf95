import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { BrokerStage, ROOT } from './broker-under-test.ts';

const stage = new BrokerStage();

describe('messages sent in one go', () => {
  it.each([
    ['RF-1', 'a machine'],
    ['plc', 'another client'],
  ])('MQTT-06 a client that subscribes to all topics gets each of them, from %s', async (clientId) => {
    const under = await stage.start();
    const listener = await stage.connected(under.port, 'listener');
    await listener.subscribe([`${ROOT}/#`, 1]);
    const client = await stage.connected(under.port, clientId);
    client.socket.write(
      Buffer.concat([
        generate({
          cmd: 'publish',
          topic: `${ROOT}/online`,
          payload: 'true',
          qos: 1,
          retain: true,
          dup: false,
          messageId: 1,
        }),
        generate({ cmd: 'publish', topic: `${ROOT}/a`, payload: '1', qos: 0, retain: true, dup: false }),
        generate({ cmd: 'publish', topic: `${ROOT}/b`, payload: '2', qos: 1, retain: false, dup: false, messageId: 2 }),
        generate({ cmd: 'publish', topic: `${ROOT}/c`, payload: '3', qos: 0, retain: false, dup: false }),
      ]),
    );
    const got = [];
    for (let count = 0; count < 4; count++) got.push((await listener.next('publish')).topic.slice(ROOT.length + 1));
    expect(got.sort()).toEqual(['a', 'b', 'c', 'online']);
  });
});
