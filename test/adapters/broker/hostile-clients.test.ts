import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { BrokerStage, ROOT } from './broker-under-test.ts';

const stage = new BrokerStage();

describe('bad input from machines', () => {
  it.each([
    ['MQTT', 0],
    ['MQTT', 1],
    ['MQTT', 2],
    ['MQTT', 6],
    ['MQTT', 134],
    ['MQIsdp', 7],
  ])('MQTT-01 a CONNECT of %s, version %i, is refused as an unsupported version', async (name, version) => {
    const { port } = await stage.start();
    const client = await stage.socket(port);
    const body = [0, name.length, ...Buffer.from(name), version, 2, 0, 60, 0, 1, 0x61];
    client.sendBytes(0x10, body.length, ...body);
    expect(await client.next('connack')).toMatchObject({ returnCode: 1, sessionPresent: false });
    await client.untilClosed();
  });

  it.each(['RF-1', 'plc'])(
    'MQTT-12 a message of %s on a topic of a thousand levels is dropped and named',
    async (id) => {
      const under = await stage.start();
      const client = await stage.connected(under.port, id);
      client.publish(`${ROOT}/${'a/'.repeat(400)}`, 'x', 1);
      await client.next('puback');
      expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'limitReached', subject: id }));
      client.publish(`${ROOT}/status`, '{}', 1);
      await client.next('puback');
    },
  );

  it.each([
    ['RF-1', true],
    ['RF-1', false],
    ['reader', true],
    ['reader', false],
  ])('MQTT-12 a filter of %s with 33 levels is refused by SUBACK and named (clean session: %s)', async (id, clean) => {
    const under = await stage.start();
    const client = await stage.connected(under.port, id, { clean });
    expect(await client.subscribe(['a/'.repeat(LIMITS.topicLevels), 1], ['a', 1])).toEqual([0x80, 1]);
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'limitReached', subject: id }));
  });
});
