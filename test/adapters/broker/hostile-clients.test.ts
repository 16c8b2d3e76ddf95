import { describe, expect, it } from 'vitest';
import { BrokerStage, ROOT } from './broker-stage.ts';

const stage = new BrokerStage();

describe('bad input from machines', () => {
  it.each([
    ['MQTT', 0],
    ['MQTT', 1],
    ['MQTT', 2],
    ['MQTT', 5],
    ['MQTT', 6],
    ['MQTT', 133],
    ['MQIsdp', 7],
  ])('MQTT-01 a CONNECT of %s, version %i, is told that it is not spoken here', async (name, version) => {
    const { port } = await stage.start();
    const client = await stage.socket(port);
    const body = [0, name.length, ...Buffer.from(name), version, 2, 0, 60, ...(version === 5 ? [0] : []), 0, 1, 0x61];
    client.sendBytes(0x10, body.length, ...body);
    expect(await client.next('connack')).toMatchObject({ returnCode: 1, sessionPresent: false });
    await client.untilClosed();
  });

  it('MQTT-12 a topic of a thousand levels ends its own connection and nothing else', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1');
    client.publish(`${ROOT}/${'a/'.repeat(1_000)}`, 'x', 1);
    await client.untilClosed();
    const other = await stage.connected(under.port, 'RF-2');
    other.publish('plant/rf-2/status', '{}', 1);
    await other.next('puback');
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'protocolViolation', subject: 'RF-1' }));
  });
});
