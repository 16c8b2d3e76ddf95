import { describe, expect, it } from 'vitest';
import { BrokerStage, ROOT } from './broker-stage.ts';

const stage = new BrokerStage();

describe('bad input from machines', () => {
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
