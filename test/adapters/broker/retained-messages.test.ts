import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { GatheredCommits } from '../../../src/adapters/broker/persistence/gathered-commits.ts';
import { RetainedMessages } from '../../../src/adapters/broker/persistence/retained-messages.ts';
import { payloadOf } from '../../../src/adapters/broker/readers/payload.ts';
import { BrokerStage, ROOT } from './broker-stage.ts';

const journal = { record: () => undefined, write: () => Promise.resolve() };

describe('RetainedMessages', () => {
  it('MQTT-12 beyond the bound names the sender, not the topics that the sender invented', () => {
    const named: string[] = [];
    const retained = new RetainedMessages({ journal, commits: new GatheredCommits(journal) }, [], (subject) =>
      named.push(subject),
    );
    const payload = payloadOf('x');
    for (let count = 0; count <= LIMITS.retainedMessages; count++)
      retained.store({ topic: `made/up/${count}`, payload, qos: 0 }, 'flooder');
    expect(named).toEqual(['flooder']);
    expect(retained.size).toBe(LIMITS.retainedMessages);
  });
});

const stage = new BrokerStage();

describe('a retained variable of a machine', () => {
  it.each(['vars', 'vars/lineSpeed'])(
    'VAR-04 %s gets its PUBACK when the retained message is on disk',
    async (suffix) => {
      const under = await stage.start();
      const client = await stage.device(under);
      const held = Promise.withResolvers<void>();
      under.journal.held = held.promise;
      client.publish(`${ROOT}/${suffix}`, '{"lineSpeed":1}', 1, true, 77);
      await expect.poll(() => under.inbox.heard).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(client.received).toEqual([]);
      held.resolve();
      expect((await client.next('puback')).messageId).toBe(77);
    },
  );

  it('VAR-04 gets no PUBACK if its retained message cannot be stored', async () => {
    const under = await stage.start();
    const client = await stage.device(under);
    const held = Promise.withResolvers<void>();
    under.journal.held = held.promise;
    client.publish(`${ROOT}/vars`, '{}', 1, true, 77);
    await expect.poll(() => under.inbox.heard).toHaveLength(1);
    held.reject(new Error('the disk is full'));
    await expect.poll(() => under.incidents).toContainEqual(expect.objectContaining({ subject: 'RF-1' }));
    expect(client.received).toEqual([]);
  });
});
