import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/adapters/broker/limits.ts';
import { decodePacket } from '../../../src/adapters/broker/persistence/journal.ts';
import { processorMs } from '../../rounds.ts';
import { BrokerStage, type BrokerUnderTest, ROOT, RowJournal } from './broker-under-test.ts';

const stage = new BrokerStage();

function rows(under: BrokerUnderTest, table: string): readonly string[] {
  return [...under.journal.rows.values()].filter((row) => row.table === table).map(({ key }) => key);
}

describe('data that the broker keeps for clients', () => {
  it.each([
    ['subscriber', (count: number) => `t/${count}`],
    ['RF-1', (count: number) => `t/${count}`],
    ['RF-1', () => `${ROOT}/command`],
  ])('MQTT-12 a SUBSCRIBE of thousands of filters is refused before any is kept: %s', async (clientId, filter) => {
    const under = await stage.start();
    const client = await stage.connected(under.port, clientId, { clean: false });
    const subscriptions = Array.from({ length: 3_000 }, (_, count) => ({ topic: filter(count), qos: 1 as const }));
    const startedMs = processorMs();
    client.socket.write(generate({ cmd: 'subscribe', messageId: 1, subscriptions }));
    await client.untilClosed();
    expect(processorMs() - startedMs).toBeLessThan(500);
    expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'limitReached', subject: clientId }));
  });

  it.each(['subscriber', 'RF-1'])('MQTT-12 an UNSUBSCRIBE of thousands of filters is refused: %s', async (clientId) => {
    const under = await stage.start();
    const client = await stage.connected(under.port, clientId);
    const unsubscriptions = Array.from({ length: 3_000 }, (_, count) => `t/${count}`);
    client.send({ cmd: 'unsubscribe', messageId: 1, unsubscriptions });
    await client.untilClosed();
    const detail = `more than ${LIMITS.filtersPerUnsubscribe} filters in one UNSUBSCRIBE`;
    expect(under.incidents).toContainEqual({ kind: 'limitReached', subject: clientId, detail });
  });

  it('MQTT-12 a client may end all its subscriptions at once', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'subscriber');
    const unsubscriptions = Array.from({ length: LIMITS.subscriptionsPerClient }, (_, count) => `t/${count}`);
    client.send({ cmd: 'unsubscribe', messageId: 7, unsubscriptions });
    expect((await client.next('unsuback')).messageId).toBe(7);
  });

  it('MQTT-12 a client may connect again after a filter that MQTT forbids', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'reader', { clean: false });
    const filters = ['good', 'a/#/b'].map((topic) => ({ topic, qos: 1 as const }));
    client.socket.write(generate({ cmd: 'subscribe', messageId: 1, subscriptions: filters }));
    await client.untilClosed();
    const back = await stage.connected(under.port, 'reader', { clean: false });
    expect(await back.subscribe(['good', 1])).toEqual([1]);
  });

  it('MQTT-12 a persistent client cannot exceed its number of subscriptions', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'subscriber', { clean: false });
    for (let round = 0; round < 5; round++) {
      const filters = Array.from({ length: 80 }, (_, count) => [`t/${round}/${count}`, 1] as const);
      await client.subscribe(...filters);
    }
    const [row] = [...under.journal.rows.values()].filter(({ key }) => key === 'subscriber');
    const { subscriptions } = JSON.parse(Buffer.from(row?.value ?? []).toString());
    expect(subscriptions.length).toBeLessThanOrEqual(LIMITS.subscriptionsPerClient);
  });

  it('MQTT-12 messages of QoS 2 that are never completed are bounded over all connections of a client', async () => {
    const under = await stage.start();
    const payload = 'x'.repeat(100_000);
    let sent = 0;
    for (let round = 0; round < 4; round++) {
      const client = await stage.connected(under.port, 'writer', { clean: false });
      for (let count = 0; count < 10; count++) client.publish('news', payload, 2, false, ++sent);
      await client.quiet(100);
      client.drop();
    }
    const incoming = [...under.journal.rows.values()].filter(({ table }) => table === 'incoming');
    const bytes = incoming.map(({ value }) => decodePacket(value).payload?.length ?? 0);
    expect(bytes.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(LIMITS.incomingBytesPerClient);
  });
});

describe('messages of QoS 2 that were begun in a clean session', () => {
  const published = generate({
    cmd: 'publish',
    topic: 'news',
    payload: 'x',
    qos: 2,
    messageId: 5,
    retain: false,
    dup: false,
  });

  it('3.1.2-6 MQTT-12 are not kept if the client leaves in the same segment of TCP', async () => {
    const under = await stage.start();
    const writer = await stage.connected(under.port, 'writer');
    writer.socket.end(Buffer.concat([published, generate({ cmd: 'disconnect' })]));
    await writer.untilClosed();
    await expect.poll(() => under.broker.counters().clients).toBe(0);
    await writer.quiet();
    expect(rows(under, 'incoming')).toEqual([]);
  });

  it('3.1.2-6 MQTT-12 are not kept if the client leaves before its variables are on disk', async () => {
    const under = await stage.start();
    const stored = Promise.withResolvers<void>();
    under.inbox.stored = stored.promise;
    const writer = await stage.connected(under.port, 'writer');
    writer.publish(`${ROOT}/vars`, '{}', 2);
    await expect.poll(() => under.inbox.heard).toHaveLength(1);
    writer.drop();
    await expect.poll(() => under.broker.counters().clients).toBe(0);
    stored.resolve();
    await writer.quiet();
    expect(rows(under, 'incoming')).toEqual([]);
  });

  it('3.1.2-6 MQTT-12 are forgotten when the gateway starts again after a crash, and those of sessions are not', async () => {
    const under = await stage.start();
    for (const [clientId, clean] of [
      ['fleeting', true],
      ['lasting', false],
      ['RF-1', false],
      ['RF-2', true],
    ] as const) {
      const client = await stage.connected(under.port, clientId, { clean });
      client.publish(clientId === 'RF-2' ? 'plant/rf-2/vars' : `${ROOT}/vars`, '{}', 2);
      await client.next('pubrec');
    }
    await expect.poll(() => rows(under, 'session')).toHaveLength(3);
    const journal = new RowJournal();
    for (const [key, row] of under.journal.rows) journal.rows.set(key, row);
    const again = await stage.start({}, journal);
    expect(rows(again, 'incoming').map((key) => key.slice(0, -6))).toEqual(['lasting', 'RF-1']);
  });
});

describe('PUBACK after store', () => {
  it('VAR-04 a message whose sender left before the commit leaves no row behind', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', { clean: false });
    await reader.subscribe(['news', 1]);
    const held = Promise.withResolvers<void>();
    under.journal.held = held.promise;
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('news', 'x', 1);
    await writer.quiet();
    writer.drop();
    await expect.poll(() => under.broker.counters().connections).toBe(1);
    held.resolve();
    const published = (await reader.quiet()).filter(({ cmd }) => cmd === 'publish');
    expect(published.length).toBeLessThanOrEqual(1);
    expect(rows(under, 'incoming')).toEqual([]);
  });

  it('4.3.3 a message of QoS 2 sent again before its PUBREL is published once, and leaves no row behind', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'reader', { clean: false });
    await reader.subscribe(['news', 1]);
    const writer = await stage.connected(under.port, 'writer', { clean: false });
    writer.publish('news', 'x', 2, false, 5);
    await writer.next('pubrec');
    writer.publish('news', 'x', 2, false, 5, true);
    await writer.next('pubrec');
    writer.send({ cmd: 'pubrel', messageId: 5 });
    await writer.next('pubcomp');
    const published = (await reader.quiet()).filter(({ cmd }) => cmd === 'publish');
    expect(published).toHaveLength(1);
    expect(rows(under, 'incoming')).toEqual([]);
  });

  it.each([
    ['RF-1', 'on the same connection', false],
    ['RF-1', 'when it comes back', true],
    ['plc', 'on the same connection', false],
    ['plc', 'when it comes back', true],
  ])(
    '4.3.3-2 MQTT-01 a status of QoS 2 of %s sent again before its PUBREL is taken once: %s',
    async (clientId, _, comesBack) => {
      const under = await stage.start();
      let client = await stage.connected(under.port, clientId, { clean: false });
      client.publish(`${ROOT}/status`, '{"n":1}', 2, false, 50);
      await client.next('pubrec');
      client.publish(`${ROOT}/status`, '{"n":2}', 2, false, 51);
      await client.next('pubrec');
      if (comesBack) {
        client.drop();
        client = await stage.connected(under.port, clientId, { clean: false });
      }
      for (const [payload, messageId] of [
        ['{"n":1}', 50],
        ['{"n":2}', 51],
      ] as const) {
        client.publish(`${ROOT}/status`, payload, 2, false, messageId, true);
        await client.next('pubrec');
        client.send({ cmd: 'pubrel', messageId });
        await client.next('pubcomp');
      }
      const taken = () => under.inbox.heard.filter((line) => line.includes(' status '));
      expect(taken()).toEqual(['RF-1 status {"n":1}', 'RF-1 status {"n":2}']);
      client.publish(`${ROOT}/status`, '{"n":3}', 2, false, 50);
      await client.next('pubrec');
      expect(taken()).toHaveLength(3);
    },
  );

  it.each(['RF-1', 'plc'])(
    '4.3.3-2 MQTT-01 a new message of QoS 2 under the id of one from before the connection is taken: %s',
    async (clientId) => {
      const under = await stage.start();
      const before = await stage.connected(under.port, clientId, { clean: false });
      before.publish(`${ROOT}/status`, '{"n":1}', 2, false, 1);
      await before.next('pubrec');
      before.drop();
      const client = await stage.connected(under.port, clientId, { clean: false });
      client.publish(`${ROOT}/status`, '{"n":2}', 2, false, 1);
      await client.next('pubrec');
      client.publish(`${ROOT}/status`, '{"n":2}', 2, false, 1, true);
      await client.next('pubrec');
      client.send({ cmd: 'pubrel', messageId: 1 });
      await client.next('pubcomp');
      expect(under.inbox.heard).toEqual(['RF-1 status {"n":1}', 'RF-1 status {"n":2}']);
      expect(rows(under, 'incoming')).toEqual([]);
    },
  );

  it('MQTT-12 the broker goes on with a client whose message could not be stored', async () => {
    const under = await stage.start();
    under.inbox.stored = Promise.reject(new Error('no room'));
    under.inbox.stored.catch(() => undefined);
    const client = await stage.connected(under.port, 'plc');
    for (let count = 0; count < 5; count++) client.publish(`${ROOT}/vars`, '{}', 1, false, 1 + count);
    await client.quiet();
    client.publish(`${ROOT}/status`, '{}', 1, false, 99);
    expect((await client.next('puback')).messageId).toBe(99);
    client.send({ cmd: 'pingreq' });
    await client.next('pingresp');
  });
});

describe('rows on disk', () => {
  it.each(['session', 'retained', 'will', 'outgoing', 'incoming'] as const)(
    'D-03 a damaged %s row is left out and reported; a retained message beside it stays',
    async (table) => {
      const before = await stage.start();
      const writer = await stage.connected(before.port, 'writer');
      writer.publish('kept/sound', 'still here', 1, true, 7);
      await writer.next('puback');
      const { journal } = before;
      for (const key of ['damaged', 'device\u0000RF-1', 'someone\u0000run:1'])
        journal.rows.set(`${table} ${key}`, { table, key, value: Buffer.from('{"half') });
      const under = await stage.restart(before);
      const client = await stage.connected(under.port, 'RF-1', { clean: false });
      await client.subscribe([`${ROOT}/command`, 1]);
      const reader = await stage.connected(under.port, 'reader');
      await reader.subscribe(['kept/sound', 0]);
      expect((await reader.next('publish')).payload.toString()).toBe('still here');
      expect(under.incidents).toContainEqual(expect.objectContaining({ kind: 'store' }));
    },
  );
});
