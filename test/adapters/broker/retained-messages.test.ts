import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { GatheredCommits } from '../../../src/adapters/broker/persistence/gathered-commits.ts';
import { Lifetimes } from '../../../src/adapters/broker/persistence/lifetimes.ts';
import { RetainedMessages } from '../../../src/adapters/broker/persistence/retained-messages.ts';
import { NO_BYTES, payloadOf } from '../../../src/adapters/broker/readers/payload.ts';
import { BrokerStage, type BrokerUnderTest, ROOT } from './broker-under-test.ts';

const journal = { record: () => undefined, write: () => Promise.resolve(), synced: () => Promise.resolve() };

describe('RetainedMessages', () => {
  it('MQTT-12 beyond the bound names the sender, not the topics that the sender invented', () => {
    const named: string[] = [];
    const lifetimes = new Lifetimes({ now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }) });
    const retained = new RetainedMessages(
      { journal, commits: new GatheredCommits(journal), lifetimes },
      [],
      (subject) => named.push(subject),
    );
    const plain = { qos: 0, properties: NO_BYTES, expiresAtMs: Number.POSITIVE_INFINITY } as const;
    const payload = payloadOf('x');
    for (let count = 0; count <= LIMITS.retainedMessages; count++)
      retained.store({ topic: `made/up/${count}`, payload, ...plain }, 'flooder');
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

/** A write that waits. It may fail before the broker awaits it, which Node would take for an error that nobody handles. */
function heldWrite() {
  const held = Promise.withResolvers<void>();
  held.promise.catch(() => undefined);
  return held;
}

describe('a retained variable of a machine', () => {
  it.each(CASES)(
    'VAR-04 $suffix of $publisher gets no $answer while the disk stands still, and is on disk when it comes',
    async ({ clientId, suffix, qos, answer }) => {
      const under = await stage.start();
      const client = await stage.connected(under.port, clientId);
      const held = heldWrite();
      under.journal.held = held.promise;
      client.publish(`${ROOT}/${suffix}`, '{"lineSpeed":1}', qos, true, 77);
      await expect.poll(() => under.inbox.heard).toHaveLength(1);
      await delay(100);
      expect(client.received).toEqual([]);
      held.resolve();
      expect((await client.next(answer)).messageId).toBe(77);
      expect([...under.journal.rows.values()]).toContainEqual(RETAINED_ROW);
    },
  );

  it.each(PUBLISHERS)(
    'VAR-04 %s gets no PUBACK if its retained message cannot be stored, and the next try stores it',
    async (_, clientId) => {
      const under = await stage.start();
      const client = await stage.connected(under.port, clientId);
      const held = heldWrite();
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
    expect(await client.quiet()).toEqual([]);
    client.drop();
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
      const held = heldWrite();
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

describe('MQTT-10 retained messages of a persistent session', () => {
  /** A reader of the 40 retained messages below plant/plan that has acknowledged this many of them. */
  async function readerAfter(acknowledged: number) {
    const under = await stage.start();
    const writer = await stage.connected(under.port, 'writer');
    for (let number = 1; number <= 40; number++) writer.publish(`plant/plan/${number}`, 'x', 1, true, number);
    for (let number = 1; number <= 40; number++) await writer.next('puback');
    const reader = await stage.connected(under.port, 'reader', { clean: false });
    await reader.subscribe(['plant/plan/+', 1]);
    for (let number = 1; number <= acknowledged; number++) {
      const { messageId = 0 } = await reader.next('publish');
      reader.send({ cmd: 'puback', messageId });
    }
    return { under, reader };
  }

  async function topicsAtReturn(under: BrokerUnderTest): Promise<readonly string[]> {
    await expect.poll(() => under.broker.counters().connections).toBe(1);
    const back = await stage.connected(under.port, 'reader', { clean: false });
    back.acknowledges = true;
    const packets = await back.quiet(300);
    return packets.flatMap((packet) => (packet.cmd === 'publish' && packet.retain ? [packet.topic] : []));
  }

  it.each([
    ['none of them', 0],
    ['all but the last one', 39],
  ])('come again if the connection broke when the reader had acknowledged %s', async (_, acknowledged) => {
    const { under, reader } = await readerAfter(acknowledged);
    await reader.next('publish');
    reader.drop();
    const topics = await topicsAtReturn(under);
    for (let number = acknowledged + 1; number <= 40; number++) expect(topics).toContain(`plant/plan/${number}`);
  });

  it('do not come again if the reader had acknowledged all of them', async () => {
    const { under, reader } = await readerAfter(40);
    await reader.quiet();
    reader.drop();
    expect(await topicsAtReturn(under)).toEqual([]);
  });

  it('do not come again if the reader had ended the subscription', async () => {
    const { under, reader } = await readerAfter(3);
    reader.send({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: ['plant/plan/+'] });
    await reader.next('unsuback');
    reader.drop();
    expect(await topicsAtReturn(under)).toEqual([]);
  });
});
