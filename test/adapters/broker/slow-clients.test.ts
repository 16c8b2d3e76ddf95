import { setImmediate as immediate } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { BrokerStage, ROOT } from './broker-under-test.ts';

const stage = new BrokerStage();
const GATHERED = 400;

function publications(count: number): Buffer {
  const packet = { cmd: 'publish', topic: `${ROOT}/other`, payload: '', qos: 1, retain: false, dup: false } as const;
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => generate({ ...packet, messageId: (index % 65_535) + 1 })),
  );
}

describe('clients that send and do not read', () => {
  it('a machine that never reads its answers is cut off and named', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1', { clean: true });
    client.socket.pause();
    const flood = publications(20_000);
    let sentBytes = 0;
    while (under.incidents.every(({ kind }) => kind !== 'slowReader') && sentBytes < 200 * flood.length) {
      client.socket.write(flood);
      sentBytes += flood.length;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'slowReader', subject: 'RF-1' }));
    await expect.poll(() => under.broker.counters().connections).toBe(0);
  });

  it('MQTT-12 packets that gather while the disk is held up are all answered afterwards', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'gatherer', { clean: false });
    const publish = {
      cmd: 'publish',
      topic: 'q/2',
      payload: 'x'.repeat(2_000),
      qos: 2,
      retain: false,
      dup: false,
    } as const;
    const { promise, resolve } = Promise.withResolvers<void>();
    under.journal.held = promise;
    for (let messageId = 1; messageId <= GATHERED; messageId++) {
      client.socket.write(generate({ ...publish, messageId }));
      await immediate();
    }
    resolve();
    const answers = () => client.received.filter(({ cmd }) => cmd === 'pubrec').length;
    await expect.poll(answers, { timeout: 20_000 }).toBe(GATHERED);
  });
});
