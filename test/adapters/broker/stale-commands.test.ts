import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/domain/machine/decision.ts';
import { BrokerStage, COMMAND_TOPICS, knownMachine, MAY_RUN, ROOT } from './broker-under-test.ts';
import type { RawClient } from './raw-client.ts';

const stage = new BrokerStage();
const RF_1 = knownMachine('RF-1');
const POWER_OFF: Decision = { runEnabled: false, attentionNeeded: false, message: 'Machine power is off' };

/** The payloads that came on one topic, in their order. */
function payloads({ received: packets }: RawClient, topic: string): readonly string[] {
  return packets.flatMap((packet) =>
    packet.cmd === 'publish' && packet.topic === topic ? [packet.payload.toString()] : [],
  );
}

/** The same, once no more can be expected. */
async function received(client: RawClient, topic: string): Promise<readonly string[]> {
  await client.quiet(300);
  return payloads(client, topic);
}

describe('D-06 an old runEnabled never comes after a newer one', () => {
  it('while the queue of a returning client is still being sent', async () => {
    const under = await stage.start();
    const topic = `${ROOT}/command/run-enabled`;
    const reader = await stage.connected(under.port, 'plc', { clean: false });
    await reader.subscribe(['news', 1], [topic, 1]);
    reader.end();
    await reader.untilClosed();
    const writer = await stage.connected(under.port, 'writer');
    for (let count = 0; count < 300; count++) writer.publish('news', `${count}`, 1, false, count + 1);
    await expect.poll(() => writer.received.length).toBe(300);
    under.broker.send(RF_1, MAY_RUN, 'all');
    const back = await stage.connected(under.port, 'plc', { clean: false });
    back.acknowledges = true;
    await back.next('publish');
    under.broker.send(RF_1, POWER_OFF, 'all');
    await expect.poll(() => payloads(back, 'news').at(-1)).toBe('299');
    expect(await received(back, topic)).toEqual(['0']);
  });

  it('when the device came back to a subscription that it has lowered to QoS 0', async () => {
    const under = await stage.start();
    const topic = `${ROOT}/command/run-enabled`;
    const client = await stage.connected(under.port, 'RF-1', { clean: false });
    await client.subscribe([topic, 1]);
    under.broker.send(RF_1, MAY_RUN, 'all');
    await client.next('publish');
    await client.subscribe([topic, 0]);
    under.broker.send(RF_1, POWER_OFF, 'all');
    expect(await client.next('publish')).toMatchObject({ qos: 0 });
    await client.subscribe([topic, 1]);
    client.drop();
    await expect.poll(() => under.broker.counters().devices).toBe(0);
    const back = await stage.connected(under.port, 'RF-1', { clean: false });
    expect(await received(back, topic)).toEqual([]);
  });

  it('when the last command was published on the 0/1 topics alone', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    client.end();
    await client.untilClosed();
    under.broker.send(RF_1, MAY_RUN, 'all');
    under.broker.send(RF_1, POWER_OFF, 'bits');
    under.inbox.present = POWER_OFF;
    const back = await stage.connected(under.port, 'RF-1', { clean: false });
    const [json] = await received(back, `${ROOT}/command`);
    expect(JSON.parse(json ?? '')).toMatchObject(POWER_OFF);
  });
});

describe('D-06 after a restart with another decision, before the device was back', () => {
  async function backAfterRestart() {
    const under = await stage.start();
    const client = await stage.device(under);
    client.end();
    await client.untilClosed();
    const again = await stage.restart(under);
    again.inbox.present = POWER_OFF;
    again.broker.send(RF_1, POWER_OFF, 'all');
    const back = await stage.connected(again.port, 'RF-1', { clean: false });
    return { again, back };
  }

  /** The commands that a client got, once no more can be expected. */
  async function commands(client: RawClient) {
    return (await client.quiet(300)).flatMap((packet) => (packet.cmd === 'publish' ? [packet] : []));
  }

  it('each command comes once', async () => {
    const { back } = await backAfterRestart();
    const came = await commands(back);
    expect(came.map(({ topic }) => topic)).toEqual(COMMAND_TOPICS);
    expect(came.some(({ dup }) => dup)).toBe(false);
  });

  it('D-67 each topic without an acknowledgement gets the present decision once more on the next connection', async () => {
    const { again, back } = await backAfterRestart();
    await commands(back);
    back.drop();
    await expect.poll(() => again.broker.counters().devices).toBe(0);
    const resent = await commands(await stage.connected(again.port, 'RF-1', { clean: false }));
    expect(resent.map(({ topic }) => topic)).toEqual(COMMAND_TOPICS);
    expect(resent.some(({ dup }) => dup)).toBe(false);
  });
});
