import { get as httpGet, type IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ChangedMachines } from '../../../src/adapters/http/events/changed-machines.ts';
import { EventLog } from '../../../src/adapters/http/events/event-log.ts';
import { LIMITS } from '../../../src/adapters/http/limits.ts';
import { WHOLE_SIGHT } from '../../../src/domain/plant/sight.ts';
import {
  call,
  type GatewayUnderTest,
  keyOf,
  LOCAL_KEY,
  machineOf,
  startGateway,
  statusOf,
} from './gateway-under-test.ts';

interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A listener that keeps its events, and ends with the test. */
class Listener {
  readonly response: IncomingMessage;
  text = '';

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      this.text += chunk;
    });
    response.on('error', () => response.destroy());
  }

  get events(): readonly ReceivedEvent[] {
    return this.text.split('\n\n').flatMap((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const event = field('event');
      return event === undefined ? [] : [{ id: field('id') ?? '', event, data: JSON.parse(field('data') ?? '{}') }];
    });
  }

  /** The last id that it got, as a browser would remember it. */
  get lastId(): string {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
  }

  of(event: string): readonly ReceivedEvent[] {
    return this.events.filter((received) => received.event === event);
  }

  /** The events of these machines. Machines of other tests fall silent meanwhile. */
  ofMachines(...machineIds: readonly string[]): readonly ReceivedEvent[] {
    return this.of('machine').filter(({ data }) => machineIds.includes(String(data.machineId)));
  }
}

async function listen(
  to: GatewayUnderTest,
  headers: Readonly<Record<string, string>> = {},
  key = keyOf('technician'),
  query = '',
) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = { authorization: `ApiKey ${key}`, ...headers };
    httpGet(`${to.url}/api/local/events${query}`, { headers: sent, agent: false }, resolve).on('error', reject);
  });
  onTestFinished(() => {
    response.destroy();
  });
  const listener = new Listener(response);
  if (response.statusCode === 200) await expect.poll(() => listener.text).toContain('retry:');
  return listener;
}

let gateway: GatewayUnderTest;
let uptime = 1_000;
beforeAll(async () => {
  gateway = await startGateway({ machines: Array.from({ length: 200 }, (_, place) => machineOf(`M-${place}`)) });
});
afterAll(() => gateway.close());

function status(machineId: string, overrides: Readonly<Record<string, unknown>> = {}) {
  uptime += 10;
  return gateway.postStatus(statusOf({ machineId, partId: 'P-100', mSecSinceBoot: uptime, ...overrides }));
}

describe('/api/local/events', () => {
  it('answers HEAD at once, and counts no listener for it', async () => {
    const quiet = await startGateway();
    onTestFinished(() => quiet.close());
    const headers = { authorization: `ApiKey ${keyOf('technician')}` };
    for (let count = 0; count <= LIMITS.eventClients; count++) {
      const { status, headers: sent } = await call(`${quiet.url}/api/local/events`, 'HEAD', undefined, headers);
      expect([status, sent['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    }
    expect((await quiet.call('GET', '/metrics')).text).toContain('plantgate_event_listeners 0');
  });

  it('D-36 sends each message of a machine to its followers only', async () => {
    const follower = await listen(gateway, {}, keyOf('technician'), '?messages=M-8,M-9');
    const other = await listen(gateway);
    for (const goodPart of [1, 2, 3]) await status('M-9', { goodPart });
    await status('M-7');
    await gateway.postStatus({ machineId: 'M-8' });
    await expect.poll(() => follower.of('message').map(({ data }) => data.machineId)).toHaveLength(4);
    const ofNine = follower.of('message').filter(({ data }) => data.machineId === 'M-9');
    expect(ofNine.map(({ data }) => [data.number, data.outcome])).toEqual([
      [1, 'taken'],
      [2, 'taken'],
      [3, 'taken'],
    ]);
    expect(JSON.parse(String(ofNine[2]?.data.text))).toMatchObject({ goodPart: 3 });
    expect(follower.of('message').find(({ data }) => data.machineId === 'M-8')?.data).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('running: found nothing'),
    });
    await expect.poll(() => other.of('machine')).not.toHaveLength(0);
    expect(other.of('message')).toEqual([]);
  });

  it('D-36 bounds the number of machines that one listener follows', async () => {
    const many = Array.from({ length: LIMITS.followedMachines + 1 }, (_, place) => `M-${place}`).join();
    const refused = await listen(gateway, {}, keyOf('technician'), `?messages=${many}`);
    expect(refused.response.statusCode).toBe(400);
  });

  it('sends a sign of life as an event without an id, so that no client resumes from it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const quiet = await startGateway();
    onTestFinished(() => quiet.close());
    const listener = await listen(quiet);
    const { lastId } = listener;
    vi.advanceTimersByTime(LIMITS.heartbeatMs);
    await expect.poll(() => listener.of('beat')).toEqual([{ id: '', event: 'beat', data: {} }]);
    expect(listener.lastId).toBe(lastId);
  });

  it('DEV-10 D-05 sends each change of a machine as the whole record, with a number', async () => {
    const listener = await listen(gateway);
    expect(listener.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    await status('M-0');
    const ofZero = () => listener.ofMachines('M-0')[0];
    await expect.poll(ofZero).toBeDefined();
    expect(ofZero()).toMatchObject({
      id: expect.stringMatching(/^\w+-\d+$/),
      data: { machineId: 'M-0', decision: { runEnabled: true } },
    });
  });

  it('sends the changed fields of a machine alone to those who ask for them, which together are the whole record', async () => {
    const whole = await listen(gateway);
    const changed = await listen(gateway, {}, keyOf('technician'), '?fields=changed');
    const machines = ['M-20', 'M-21'];
    const eventsOf = (listener: Listener) => listener.ofMachines(...machines);
    for (let round = 1; round <= 4; round++) {
      for (const machineId of machines) await status(machineId, { cycle: round, override: round === 3 });
      await new Promise((resolve) => setTimeout(resolve, 2 * LIMITS.machineEventIntervalMs));
    }
    await expect.poll(() => eventsOf(changed).map(({ id }) => id)).toEqual(eventsOf(whole).map(({ id }) => id));
    expect(eventsOf(whole).length).toBeGreaterThan(4);
    const merged = new Map<unknown, object>();
    for (const [place, { data }] of eventsOf(whole).entries()) {
      const before = merged.get(data.machineId) ?? {};
      const change = eventsOf(changed)[place]?.data ?? {};
      merged.set(data.machineId, { ...before, ...change });
      expect(merged.get(data.machineId)).toEqual(data);
      const same = Object.entries(change).filter(([name, value]) =>
        isDeepStrictEqual(Reflect.get(before, name), value),
      );
      expect(same.map(([name]) => name)).toEqual('machineId' in before ? ['machineId'] : []);
    }
  });

  it('gives a client that asks for changed fields the whole records that it missed', async () => {
    const first = await listen(gateway, {}, keyOf('technician'), '?fields=changed');
    await status('M-22', { cycle: 1 });
    await expect.poll(() => first.ofMachines('M-22')).not.toHaveLength(0);
    first.response.destroy();
    await status('M-22', { cycle: 2 });
    await new Promise((resolve) => setTimeout(resolve, 2 * LIMITS.machineEventIntervalMs));
    const again = await listen(gateway, { 'last-event-id': first.lastId }, keyOf('technician'), '?fields=changed');
    const machine = (await gateway.as(keyOf('technician'), 'GET', '/api/local/machines/M-22')).body;
    await expect.poll(() => again.ofMachines('M-22')[0]?.data).toEqual(machine);
  });

  it('refuses an unknown word for the fields, and lists the known words', async () => {
    const refused = await gateway.as(keyOf('technician'), 'GET', '/api/local/events?fields=some');
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [expect.stringMatching(/^fields: .*whole.*changed/)] },
    });
  });

  it('D-07 sends a downtime when it begins, is categorized or is removed by a merge', async () => {
    const listener = await listen(gateway);
    await status('M-1');
    await status('M-1', { running: false });
    await expect.poll(() => listener.of('downtime')).toHaveLength(1);
    const { downtimeId } = listener.of('downtime')[0]?.data ?? {};
    await gateway.as(keyOf('technician'), 'PUT', `/api/local/downtimes/${downtimeId}/category`, { reasonId: 'DT-01' });
    await expect.poll(() => listener.of('downtime').at(-1)?.data).toMatchObject({ downtimeId, reasonId: 'DT-01' });
    await status('M-1', { running: true });
    await status('M-1', { running: false });
    await expect.poll(() => new Set(listener.of('downtime').map(({ data }) => data.downtimeId)).size).toBe(2);
    const downtimeIds = [...new Set(listener.of('downtime').map(({ data }) => data.downtimeId))];
    await gateway.as(keyOf('technician'), 'POST', '/api/local/downtimes/merge', { downtimeIds });
    await expect
      .poll(() => listener.of('downtime').map(({ data }) => data))
      .toContainEqual({ downtimeId, removed: true });
  });

  it('sends changes of the plant, and incidents', async () => {
    const listener = await listen(gateway);
    await gateway.as(keyOf('supervisor'), 'PUT', '/api/local/plant/parts/P-9', { partId: 'P-9', partName: 'Nine' });
    await gateway.postStatus('nonsense');
    await expect.poll(() => listener.of('plant')).toHaveLength(1);
    await expect.poll(() => listener.of('diagnostics'), { timeout: 20_000 }).not.toHaveLength(0);
  });

  it('D-12 sends a machine at most every 250 ms, and its newest state in the end', async () => {
    const listener = await listen(gateway);
    const startedAt = performance.now();
    for (let cycle = 1; cycle <= 100; cycle++) await status('M-2', { cycle });
    const tookMs = performance.now() - startedAt;
    await expect.poll(() => listener.ofMachines('M-2').at(-1)?.data.status).toMatchObject({ cycle: 100 });
    expect(listener.ofMachines('M-2').length).toBeLessThanOrEqual(
      2 + Math.ceil((tookMs + 600) / LIMITS.machineEventIntervalMs),
    );
  });

  it('gives a client that comes back the events it missed, once and in order', async () => {
    const first = await listen(gateway);
    await status('M-3');
    await expect.poll(() => first.ofMachines('M-3')).not.toHaveLength(0);
    const lastId = first.lastId;
    first.response.destroy();
    await status('M-4', { cycle: 1 });
    await status('M-5', { cycle: 1 });
    await new Promise((resolve) => setTimeout(resolve, 400));
    const again = await listen(gateway, { 'last-event-id': lastId });
    const ids = () => again.ofMachines('M-4', 'M-5').map(({ data }) => data.machineId);
    await expect.poll(ids).toEqual(['M-4', 'M-5']);
    expect(again.of('reset')).toEqual([]);
    // A client that is cut off in between comes back with its last id: no id may be ahead of the missed events.
    const { text, events } = again;
    const told = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    expect(told.slice(0, 2)).toEqual(events.slice(0, 2).map(({ id }) => id));
  });

  it.each(['other-1', '1', 'x-y', '', `${'9'.repeat(40)}`])(
    'answers an unknown Last-Event-ID %j with reset',
    async (id) => {
      const listener = await listen(gateway, { 'last-event-id': id });
      expect(listener.of('reset')).toHaveLength(id === '' ? 0 : 1);
    },
  );

  it('D-25 refuses a key of the role business and an unknown key', async () => {
    expect((await listen(gateway, {}, keyOf('business'))).response.statusCode).toBe(403);
    expect((await listen(gateway, {}, 'nobody')).response.statusCode).toBe(401);
  });

  it('has room for a bounded number of listeners', async () => {
    const keys = Array.from(
      { length: LIMITS.eventClients / LIMITS.eventStreamsOfOne },
      (_, place) => `key-of-${place}`,
    );
    const role = 'technician' as const;
    const apiKeys = ['', ...keys].map((key) => ({ principal: key, role, key: key === '' ? keyOf(role) : key }));
    const crowded = await startGateway({ plantFile: { apiKeys } });
    const places = keys.flatMap((key) => Array<string>(LIMITS.eventStreamsOfOne).fill(key));
    const listeners = await Promise.all(places.map((key) => listen(crowded, {}, key)));
    expect((await listen(crowded)).response.statusCode).toBe(429);
    for (const { response } of listeners) response.destroy();
    await expect
      .poll(async () => (await crowded.call('GET', '/metrics')).text)
      .toContain('plantgate_event_listeners 0');
    expect((await listen(crowded)).response.statusCode).toBe(200);
    await crowded.close();
  });

  it('ends the oldest stream of a key that has too many, with the reason; streams of other keys stay', async () => {
    const other = await listen(gateway, {}, keyOf('admin'));
    const own: Listener[] = [];
    for (let count = 0; count <= LIMITS.eventStreamsOfOne; count++) own.push(await listen(gateway));
    await expect
      .poll(() => own.map(({ response }) => response.readableEnded))
      .toEqual([true, ...own.slice(1).map(() => false)]);
    const told = `more than ${LIMITS.eventStreamsOfOne} event streams of one session, panel or key`;
    expect(own[0]?.text).toContain(`: ${told}`);
    expect(gateway.incidents.entries('limitReached').map(({ detail }) => detail)).toEqual([
      expect.stringContaining(told),
    ]);
    expect(other.response.readableEnded).toBe(false);
  });

  it('drops a listener that does not read, and no other', { timeout: 60_000 }, async () => {
    const slow = await listen(gateway);
    slow.response.socket.pause();
    const quick = await listen(gateway);
    const changes = () => gateway.incidents.entries('slowReader').length;
    for (let round = 0; round < 400 && changes() === 0; round++) {
      for (let place = 0; place < 200; place++) {
        const live = gateway.registry.get(`M-${place}`);
        if (live !== undefined) {
          live.connection = round % 2 === 0 ? 'online' : 'offline';
          gateway.registry.announce(live);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(changes()).toBe(1);
    expect(quick.response.destroyed).toBe(false);
    const heard = quick.of('machine').length;
    await status('M-0', { fault: true });
    await expect.poll(() => quick.of('machine').length).toBeGreaterThan(heard);
  });

  it('ends with the gateway', async () => {
    const closing = await startGateway();
    const listener = await listen(closing);
    await closing.close();
    await expect.poll(() => listener.response.complete).toBe(true);
  });
});

describe('remembered events', () => {
  it('are the newest event about each thing, in order', () => {
    const log = new EventLog('run');
    const start = log.lastId;
    log.append('machine', 'A', '{"cycle":1}');
    const b = log.append('machine', 'B', '{"cycle":1}');
    const a = log.append('machine', 'A', '{"cycle":2}');
    expect(log.since(start, WHOLE_SIGHT)).toBe(b.text + a.text);
    expect(log.since(log.lastId, WHOLE_SIGHT)).toBe('');
    expect(log.since('run-99', WHOLE_SIGHT)).toBeNull();
  });

  it('are bounded, and a client that missed a forgotten event has to load everything again', () => {
    const log = new EventLog('run');
    log.append('machine', 'first', '{}');
    const afterFirst = log.lastId;
    for (let place = 0; place < LIMITS.rememberedEvents; place++) log.append('machine', `${place}`, '{}');
    expect(log.since('run-0', WHOLE_SIGHT)).toBeNull();
    expect(log.since(afterFirst, WHOLE_SIGHT)).not.toBeNull();
    log.append('machine', 'last', '{}');
    expect(log.since(afterFirst, WHOLE_SIGHT)).toBeNull();
  });

  it('do not reach back over a time in which no event was recorded', () => {
    const log = new EventLog('run');
    log.append('machine', 'A', '{}');
    const before = log.lastId;
    log.interrupt();
    expect(log.since(before, WHOLE_SIGHT)).toBeNull();
    expect(log.since(log.lastId, WHOLE_SIGHT)).toBe('');
  });
});

describe('the order of machine events', () => {
  it('puts important changes before changes of counters, and sends a bounded number of the latter at every second tick', () => {
    const changed = new ChangedMachines();
    for (let place = 0; place < 500; place++) changed.mark(`M-${place}`, false);
    changed.mark('M-400', true);
    const due = [...changed.due(0)];
    expect(due[0]).toBe('M-400');
    expect(due).toHaveLength(1 + LIMITS.routineMachinesAtOnce);
    changed.mark('M-401', true);
    expect([...changed.due(LIMITS.routineIntervalMs - 1)]).toEqual(['M-401']);
    expect([...changed.due(LIMITS.routineIntervalMs)][0]).toBe(`M-${LIMITS.routineMachinesAtOnce}`);
  });

  it('does not show a machine twice within 250 ms', () => {
    const changed = new ChangedMachines();
    changed.mark('A', true);
    expect([...changed.due(0)]).toEqual(['A']);
    changed.mark('A', true);
    expect([...changed.due(249)]).toEqual([]);
    expect(changed.isEmpty).toBe(false);
    expect([...changed.due(250)]).toEqual(['A']);
    expect(changed.isEmpty).toBe(true);
  });
});

it('AUTH-02 a listener whose key is revoked is cut off at once; the others go on listening', async () => {
  const key = 'key-that-will-go';
  await gateway.as(LOCAL_KEY, 'POST', '/api/local/plant/apiKeys', { principal: 'leaver', role: 'technician', key });
  const [leaver, stayer] = await Promise.all([listen(gateway, {}, key), listen(gateway)]);
  await gateway.as(LOCAL_KEY, 'DELETE', '/api/local/plant/apiKeys/leaver');
  await expect.poll(() => leaver.response.complete).toBe(true);
  expect(stayer.response.complete).toBe(false);
});
