import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BrokerStage, knownMachine, MAY_RUN, ROOT, RowJournal } from './broker-under-test.ts';

const stage = new BrokerStage();
const WILL = { topic: `${ROOT}/lwt`, payload: Buffer.from('false'), qos: 1, retain: true } as const;
/** Longer than a device has to come back after a restart of the gateway. */
const LONG_MS = 100_000;

/** aedes looks for the wills of dead processes this often. */
const WILL_INTERVAL_MS = 240_000;

/** A clock that tests can set forward. */
class MovingClock {
  aheadMs = 0;
  readonly now = () => ({ monotonicMs: performance.now() + this.aheadMs, wallMs: Date.now() + this.aheadMs });
}

function lwtCount(heard: readonly string[]): number {
  return heard.filter((text) => text === 'RF-1 lwt false').length;
}

/** The journal that a killed gateway leaves on disk. */
function copyOf(journal: RowJournal): RowJournal {
  const copy = new RowJournal();
  for (const [key, row] of journal.rows) copy.rows.set(key, row);
  return copy;
}

describe('wills and restarts of the gateway', () => {
  it('D-03 the will of a machine that reads more than its commands is not published when the gateway stops', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1', { clean: false, will: WILL });
    await client.subscribe([`${ROOT}/#`, 1]);
    await stage.stop(under);
    expect(lwtCount(under.inbox.heard)).toBe(0);
    const row = under.journal.rows.get('session device\u0000RF-1');
    expect(JSON.parse(Buffer.from(row?.value ?? '{}').toString()).will).toMatchObject({ topic: WILL.topic });
  });

  it('MQTT-07 the loss of a device that never came back after a restart is announced once', async () => {
    const clock = new MovingClock();
    const under = await stage.start({ clock });
    await stage.connected(under.port, 'RF-1', { clean: false, will: WILL });
    const again = await stage.restart(under, { clock });
    clock.aheadMs += LONG_MS;
    await expect.poll(() => lwtCount(again.inbox.heard), { timeout: 20_000 }).toBe(1);
  });

  it.each([
    ['left again', 0],
    ['vanished again', 1],
  ])('MQTT-07 a will from before a restart is void for a device that came back and %s', async (_, wills) => {
    const clock = new MovingClock();
    const under = await stage.start({ clock });
    await stage.connected(under.port, 'RF-1', { clean: false, will: WILL });
    const again = await stage.restart(under, { clock });
    const back = await stage.connected(again.port, 'RF-1', { clean: false, will: WILL });
    if (wills > 0) back.drop();
    else back.end();
    await back.untilClosed();
    await expect.poll(() => lwtCount(again.inbox.heard)).toBe(wills);
    clock.aheadMs += LONG_MS;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(lwtCount(again.inbox.heard)).toBe(wills);
  });

  it('MQTT-07 the will of a machine that read more than its commands is void once it comes back', async () => {
    const under = await stage.start();
    const client = await stage.connected(under.port, 'RF-1', { clean: true, will: WILL });
    await client.subscribe([`${ROOT}/#`, 1]);
    const again = await stage.start({}, copyOf(under.journal));
    const back = await stage.connected(again.port, 'RF-1', { clean: true });
    await back.subscribe([`${ROOT}/command`, 1]);
    expect([...again.journal.rows.values()].map(({ table }) => table)).not.toContain('will');
  });
});

describe('the wills of clients other than machines', () => {
  const will = { topic: 'line/hmi', payload: Buffer.from('gone'), qos: 1, retain: false } as const;

  afterEach(() => {
    vi.useRealTimers();
  });

  it('3.1.2-8 MQTT-07 are not published while their clients are connected, and are when one vanishes later', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const under = await stage.start();
    const hmi = await stage.connected(under.port, 'hmi', { will });
    const reader = await stage.connected(under.port, 'reader');
    await reader.subscribe([will.topic, 1]);
    vi.advanceTimersByTime(WILL_INTERVAL_MS);
    expect(await reader.quiet()).toEqual([]);
    hmi.drop();
    expect((await reader.next('publish')).payload.toString()).toBe('gone');
  });

  it('MQTT-07 from before a crash are published once for clients that do not come back', async () => {
    const under = await stage.start();
    const clock = new MovingClock();
    await stage.connected(under.port, 'hmi', { will });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const again = await stage.start({ clock }, copyOf(under.journal));
    clock.aheadMs += LONG_MS;
    const reader = await stage.connected(again.port, 'reader');
    await reader.subscribe([will.topic, 1]);
    vi.advanceTimersByTime(WILL_INTERVAL_MS);
    expect((await reader.next('publish')).payload.toString()).toBe('gone');
    vi.advanceTimersByTime(WILL_INTERVAL_MS);
    expect(await reader.quiet()).toEqual([]);
  });
});

describe('a broker that is closed', () => {
  it('takes a last command for a client that is away without an exception, and stores nothing any more', async () => {
    const under = await stage.start();
    const reader = await stage.connected(under.port, 'hmi', { clean: false });
    await reader.subscribe([`${ROOT}/command`, 1]);
    reader.end();
    await reader.untilClosed();
    await stage.stop(under);
    const rows = new Map(under.journal.rows);
    under.broker.send(knownMachine('RF-1'), MAY_RUN, 'all');
    // An exception that comes later ends this test file.
    await nextTurn();
    expect(under.journal.rows).toEqual(rows);
    expect(under.incidents).toEqual([]);
  });
});
