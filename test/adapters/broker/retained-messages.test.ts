import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { GatheredCommits } from '../../../src/adapters/broker/persistence/gathered-commits.ts';
import { RetainedMessages } from '../../../src/adapters/broker/persistence/retained-messages.ts';
import { payloadOf } from '../../../src/adapters/broker/readers/payload.ts';
import { BrokerStage, ROOT } from './broker-stage.ts';

const journal = { record: () => undefined, write: () => Promise.resolve(), synced: () => Promise.resolve() };

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

/** A machine's connection and the one of any other client take different paths. */
const PUBLISHERS = [
  ['a machine', 'RF-1'],
  ['another client', 'tablet'],
] as const;

const CASES = PUBLISHERS.flatMap(([publisher, clientId]) =>
  (['vars', 'vars/lineSpeed'] as const).flatMap((suffix) =>
    ([1, 2] as const).map(
      (qos) => ({ publisher, clientId, suffix, qos, answer: qos === 1 ? 'puback' : 'pubrec' }) as const,
    ),
  ),
);

const RETAINED_ROW = expect.objectContaining({ table: 'retained' });

describe('a retained variable of a machine', () => {
  it.each(CASES)(
    'VAR-04 $suffix of $publisher gets no $answer while the disk stands still',
    async ({ clientId, suffix, qos, answer }) => {
      const under = await stage.start();
      const client = await stage.connected(under.port, clientId);
      const held = Promise.withResolvers<void>();
      under.journal.held = held.promise;
      client.publish(`${ROOT}/${suffix}`, '{"lineSpeed":1}', qos, true, 77);
      await expect.poll(() => under.inbox.heard).toHaveLength(1);
      await delay(100);
      expect(client.received).toEqual([]);
      held.resolve();
      expect((await client.next(answer)).messageId).toBe(77);
    },
  );

  it.each(CASES)(
    'VAR-04 $suffix of $publisher is on disk when its $answer comes',
    async ({ clientId, suffix, qos, answer }) => {
      const under = await stage.start();
      const client = await stage.connected(under.port, clientId);
      client.publish(`${ROOT}/${suffix}`, '{"lineSpeed":1}', qos, true, 77);
      await client.next(answer);
      expect([...under.journal.rows.values()]).toContainEqual(RETAINED_ROW);
    },
  );

  it.each(PUBLISHERS)(
    'VAR-04 %s gets no PUBACK if its retained message cannot be stored, and the next try stores it',
    async (_, clientId) => {
      const under = await stage.start();
      const client = await stage.connected(under.port, clientId);
      const held = Promise.withResolvers<void>();
      under.journal.held = held.promise;
      client.publish(`${ROOT}/vars`, '{}', 1, true, 77);
      await expect.poll(() => under.inbox.heard).toHaveLength(1);
      held.reject(new Error('the disk is full'));
      await expect.poll(() => under.incidents).toContainEqual(expect.objectContaining({ subject: clientId }));
      expect(client.received).toEqual([]);
      under.journal.held = Promise.resolve();
      client.publish(`${ROOT}/vars`, '{}', 1, true, 77);
      await client.next('puback');
      expect([...under.journal.rows.values()]).toContainEqual(RETAINED_ROW);
    },
  );

  it('VAR-04 gets no PUBREC if its retained message cannot be stored, and the next try stores it', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'tablet', { clean: false });
    under.journal.fails = 'retained';
    client.publish(`${ROOT}/vars`, '{}', 2, true, 77);
    await client.untilClosed();
    expect(client.received).toEqual([]);
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'store', subject: 'tablet' }));
    under.journal.fails = null;
    const back = await stage.connected(under.port, 'tablet', { clean: false });
    back.publish(`${ROOT}/vars`, '{}', 2, true, 77, true);
    await back.next('pubrec');
    expect([...under.journal.rows.values()]).toContainEqual(RETAINED_ROW);
  });

  it.each([
    ['tablet', 'plant/plan', 'in the same packet of TCP', 0],
    ['tablet', 'plant/plan', 'a moment later', 50],
    ['RF-1', `${ROOT}/vars/lineSpeed`, 'in the same packet of TCP', 0],
    ['RF-1', `${ROOT}/vars/lineSpeed`, 'a moment later', 50],
  ] as const)(
    'MQTT-4.3.3-2, VAR-04 a message of QoS 2 from %s on %s that is sent again %s gets no PUBREC before the first one is on disk',
    async (clientId, topic, _, pauseMs) => {
      const under = await stage.start();
      const client = await stage.connected(under.port, clientId);
      const held = Promise.withResolvers<void>();
      under.journal.held = held.promise;
      client.publish(topic, '1', 2, true, 77);
      if (pauseMs > 0) await delay(pauseMs);
      client.publish(topic, '1', 2, true, 77, true);
      expect(await client.quiet()).toEqual([]);
      held.resolve();
      expect((await client.next('pubrec')).messageId).toBe(77);
    },
  );
});
