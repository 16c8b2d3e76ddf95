import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { BrokerStage, ROOT } from './broker-under-test.ts';
import type { RawClient } from './raw-client.ts';

const stage = new BrokerStage();
const CONNECT = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, keepalive: 60 } as const;

/** The number of open clients once everything has settled. */
async function stillOpen(clients: readonly RawClient[]): Promise<number> {
  const open = () => clients.filter(({ closed }) => !closed).length;
  await expect.poll(open, { timeout: 20_000 }).toBeLessThanOrEqual(1);
  // The others stay.
  await new Promise((resolve) => setTimeout(resolve, 200));
  return open();
}

describe('clients with the same id', () => {
  it.each([
    ['a machine that reads its commands', [`${ROOT}/command`, 1]],
    ['a machine that reads more', [`${ROOT}/#`, 1]],
  ] as const)('3.1.4-2 that come in at once: only the last one stays (%s)', async (_, filter) => {
    const verified: (() => void)[] = [];
    let letIn = true;
    const verifySecret = () =>
      new Promise<boolean>((resolve) => (letIn ? resolve(true) : verified.push(() => resolve(true))));
    const under = await stage.start({ access: 'password', verifySecret });
    const secret = { username: 'RF-1', password: Buffer.from('x'), clientId: 'RF-1' };
    const first = await stage.connected(under.port, 'RF-1', { clean: false, ...secret });
    await first.subscribe(filter);
    letIn = false;
    const rivals: RawClient[] = [];
    for (let count = 1; count <= 8; count++) {
      const rival = await stage.socket(under.port);
      rival.socket.write(generate({ ...CONNECT, ...secret, clean: count % 2 === 1 }));
      rivals.push(rival);
      await expect.poll(() => verified.length).toBe(count);
    }
    for (const comeIn of verified) comeIn();
    expect(await stillOpen([first, ...rivals])).toBe(1);
    const last = rivals.at(-1);
    await last?.subscribe([`${ROOT}/command`, 1]);
    last?.publish(`${ROOT}/status`, '{}', 1);
    expect((await last?.next('publish'))?.topic).toBe(`${ROOT}/command`);
  });

  it.each([0, 1, 2])('3.1.4-2 that come in %d turns apart: only one stays (any other client)', async (turns) => {
    const under = await stage.start();
    const first = await stage.connected(under.port, 'hmi', { clean: false });
    await first.subscribe(['a', 1], ['b/#', 1]);
    first.drop();
    await expect.poll(() => under.broker.counters().connections).toBe(0);
    const rivals = await Promise.all(Array.from({ length: 30 }, () => stage.socket(under.port)));
    for (const rival of rivals) {
      rival.socket.write(generate({ ...CONNECT, clientId: 'hmi', clean: false }));
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    }
    expect(await stillOpen(rivals)).toBe(1);
    expect(under.broker.counters().clients).toBe(1);
  });

  it('4.4.0-1 the newcomer gets the messages that the earlier client did not acknowledge, with DUP', async () => {
    const under = await stage.start();
    const first = await stage.connected(under.port, 'reader', { clean: false });
    await first.subscribe(['news', 1]);
    const writer = await stage.connected(under.port, 'writer');
    writer.publish('news', 'x', 1);
    const { messageId } = await first.next('publish');
    const second = await stage.connected(under.port, 'reader', { clean: false });
    expect(await second.next('publish')).toMatchObject({ dup: true, messageId });
  });

  it('MQTT-07 the will of the client that is cut off comes before any message of the newcomer', async () => {
    const under = await stage.start();
    const will = { topic: `${ROOT}/lwt`, payload: Buffer.from('false'), qos: 1, retain: true } as const;
    const first = await stage.connected(under.port, 'RF-1', { clean: false, will });
    await first.subscribe([`${ROOT}/#`, 1]);
    for (let round = 0; round < 5; round++) {
      under.inbox.heard.length = 0;
      const next = await stage.socket(under.port);
      const online = {
        cmd: 'publish',
        topic: `${ROOT}/online`,
        payload: 'true',
        qos: 1,
        retain: true,
        dup: false,
      } as const;
      next.socket.write(
        Buffer.concat([
          generate({ ...CONNECT, clientId: 'RF-1', clean: false, will }),
          generate({ ...online, messageId: 1 }),
        ]),
      );
      await next.next('puback');
      expect(under.inbox.heard).toEqual(['RF-1 lwt false', 'RF-1 online true']);
    }
  });
});

describe('clients that vanish while they connect', () => {
  it('MQTT-12 leave no data behind', async () => {
    const under = await stage.start();
    const will = { topic: 'gone', payload: Buffer.from('x'), qos: 1, retain: false } as const;
    const rounds = Array.from({ length: 200 }, async (_, index) => {
      const client = await stage.socket(under.port);
      client.socket.end(generate({ ...CONNECT, clientId: `fleeting-${index}`, clean: index % 2 === 0, will }));
      if (index % 3 === 0) setImmediate(() => client.drop());
      else client.drop();
    });
    await Promise.all(rounds);
    await expect.poll(() => under.broker.counters()).toMatchObject({ connections: 0, clients: 0 });
    expect([...under.journal.rows.values()].filter(({ table }) => table === 'will')).toEqual([]);
  });
});
