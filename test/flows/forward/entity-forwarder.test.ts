import { describe, expect, it, vi } from 'vitest';
import { ENTITY_QUEUE_LIMITS } from '../../../src/flows/forward/entity-forwarder.ts';
import type { CentralManner } from '../../fakes/central-server.ts';
import {
  ask,
  begin,
  central,
  commands,
  drained,
  entityQueues,
  events,
  IMPATIENT_MS,
  incidents,
  inProcess,
  inTransit,
  order,
  profile,
  queue,
  refused,
  skip,
  status,
  useLanes,
} from '../lanes-under-test.ts';

/** Lets a person ask for another try when a minute has passed, long before the wait is over. */
function retryLater(): void {
  skip(ENTITY_QUEUE_LIMITS.condenseEveryMs);
  entityQueues.wake(true);
}

useLanes();

describe('rows to a server with the interface alone', () => {
  it('UP-02 UP-03 D-26 D-31 go to their endpoint, each act with its operation id and operator', async () => {
    queue.act(inProcess('T-1', 'Pat'), 'a');
    queue.act(inTransit('T-1', 'C-1', 'Pat'), 'b');
    queue.act({ type: 'coilMove', coilId: 'C-1', location: 'WH-A2' }, 'c');
    queue.act(order('D/1'), 'd');
    queue.act({ type: 'orderRemoved', orderKey: 'documentID D/1', ordId: 'D/1' }, 'e');
    queue.act(profile('P-1'), 'f');
    queue.act({ type: 'profileArchived', profileId: 'P-1' }, 'g');
    queue.status(status('RF-01', 1));
    await drained();
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InTransit', userName: 'Pat' });
    expect(central.plant.coils.get('C-1')?.location).toBe('WH-A2');
    expect(central.plant.orders.size).toBe(0);
    expect([...central.plant.profiles.values()]).toMatchObject([{ profileName: 'Z 200', archived: true }]);
    expect(central.plant.statuses.map(({ body }) => body)).toMatchObject([{ machineId: 'RF-01', goodPart: 1 }]);
    const ids = central.writes.map(({ operationId }) => operationId).filter((id) => id !== null);
    expect(ids.sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(queue.setAside).toEqual([]);
  });

  it('UP-02 of one entity go one after the other, beside those of other entities', async () => {
    central.delayMs = 5;
    for (let count = 1; count <= 20; count += 1) {
      for (const id of ['RF-01', 'RF-02', 'RF-03']) queue.status(status(id, count));
    }
    await drained();
    for (const id of ['RF-01', 'RF-02', 'RF-03']) {
      const counts = central.plant.statuses
        .filter((report) => report.machineId === id)
        .map(({ body }) => body.goodPart);
      expect(counts).toEqual(Array.from({ length: 20 }, (_, place) => place + 1));
    }
  });

  it('UP-05 D-18 that are refused become dead letters with the server’s words, are reported, and do not block other entities', async () => {
    central.plant.tasks.set('T-1', { taskId: 'T-1', taskState: 'Complete' });
    queue.act(inProcess('T-1', 'Pat'));
    queue.act(inProcess('T-404', 'Kim'));
    queue.act(inProcess('T-2', 'Lee'));
    await drained();
    expect(queue.setAside).toEqual([
      { entity: 'task:T-1', reason: 'HTTP 400: taskState: found Complete, expected Ready, InProcess' },
      { entity: 'task:T-404', reason: 'HTTP 404: No warehouse task with id T-404' },
    ]);
    expect(refused.map(({ entity }) => entity).sort()).toEqual(['task:T-1', 'task:T-404']);
    expect(central.plant.tasks.get('T-2')).toMatchObject({ taskState: 'InProcess', userName: 'Lee' });
  });

  it('UP-02 of an entity that cannot be taken now wait without delaying others, and go in the end', async () => {
    let failures = 3;
    central.manner = (_, path) => (path.includes('T-1') && failures-- > 0 ? 'fails' : 'works');
    queue.act(inProcess('T-1', 'Pat'));
    queue.act(inTransit('T-1', 'C-1', 'Pat'));
    for (let count = 1; count <= 30; count += 1) queue.status(status('RF-01', count));
    entityQueues.start();
    await vi.waitFor(() => expect(central.plant.statuses).toHaveLength(30));
    // The last status leaves the queue when its answer is read, a moment after the server has it.
    await vi.waitFor(() => expect(queue.rows.map(({ entity }) => entity)).toEqual(['task:T-1', 'task:T-1']));
    await vi.waitFor(() => {
      entityQueues.wake(true);
      expect(queue.rows).toEqual([]);
    });
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InTransit' });
    expect(events.some(({ type }) => type === 'failed')).toBe(false);
  });

  it('UP-02 behind a refused one wait no longer because of its failures', async () => {
    central.next.push('fails', 'rejects', 'fails');
    queue.act(inProcess('T-1', 'Pat'));
    queue.act(inProcess('T-1', 'Kim'));
    entityQueues.start();
    await vi.waitFor(() => expect(incidents).toHaveLength(1));
    skip(ENTITY_QUEUE_LIMITS.firstRetryMs);
    await vi.waitFor(() => expect(incidents).toHaveLength(2));
    expect(queue.setAside).toHaveLength(1);
    skip(ENTITY_QUEUE_LIMITS.firstRetryMs);
    await vi.waitFor(() => expect(queue.rows).toEqual([]), { timeout: 500 });
  });

  it('UP-02 that all fail are reported as a failed server', async () => {
    central.manner = (method) => (method === 'GET' ? 'works' : 'fails');
    for (let count = 1; count <= ENTITY_QUEUE_LIMITS.failuresInARow; count += 1) queue.status(status(`RF-${count}`, 1));
    entityQueues.start();
    await vi.waitFor(() =>
      expect(events).toContainEqual({ type: 'failed', detail: 'HTTP 500: the central server says 500' }),
    );
  });

  it('UP-02 are not confirmed by a web page instead of the server’s answer: they wait with the reason, and go later', async () => {
    central.manner = (method) => (method === 'GET' ? 'works' : 'talksNonsense');
    queue.act(inProcess('T-1', 'Pat'));
    queue.status(status('RF-01', 1));
    entityQueues.start();
    await vi.waitFor(() => expect(incidents).toHaveLength(2));
    for (const detail of incidents)
      expect(detail).toMatch(/^it cannot be taken at the moment: HTTP 200 with a page for people/);
    expect(queue.rows).toHaveLength(2);
    expect(refused).toEqual([]);
    central.behave();
    await drained();
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InProcess' });
    expect(central.plant.statuses).toHaveLength(1);
  });

  it.each(['rejects', 'forbids'] as const)(
    'UP-05 of other kinds go if the server %s one kind; only a forbidden row makes us check our key',
    async (manner) => {
      central.manner = (_, path) => (path.includes('/orders/') ? manner : 'works');
      for (let count = 1; count <= 12; count += 1) queue.act(order(`D-${count}`));
      queue.act(inProcess('T-1', 'Pat'));
      await drained();
      expect(queue.setAside).toHaveLength(12);
      expect(events.filter(({ type }) => type === 'doubted')).toHaveLength(manner === 'forbids' ? 12 : 0);
      expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InProcess' });
    },
  );

  it('UP-02 of other entities are not delayed by requests that are never answered, as many as go side by side', async () => {
    ask(IMPATIENT_MS);
    begin();
    central.manner = (_, path) => (path.includes('/orders/') ? 'hangs' : 'works');
    for (let count = 1; count <= 2 * ENTITY_QUEUE_LIMITS.sideBySide; count += 1) queue.act(order(`D-${count}`));
    queue.act(inProcess('T-1', 'Pat'));
    await vi.waitFor(
      () => {
        entityQueues.start();
        expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InProcess' });
      },
      { timeout: 20_000 },
    );
    expect(queue.rows).toHaveLength(2 * ENTITY_QUEUE_LIMITS.sideBySide);
  });

  it('UP-02 go again for a status whose positive answer breaks off', async () => {
    central.manner = () => 'truncates';
    queue.status(status('RF-01', 1));
    entityQueues.start();
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ detail: expect.stringContaining('was cut off') }));
    expect(queue.rows).toHaveLength(1);
    expect(commands).toEqual([]);
    central.behave();
    await drained();
    expect(central.plant.statuses).toHaveLength(1);
  });

  it('UP-02 are looked up for an act whose positive answer breaks off, and go again if it was not carried out', async () => {
    central.manner = (method) => (method === 'GET' ? 'works' : 'truncates');
    queue.act(inProcess('T-1', 'Pat'));
    entityQueues.start();
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ detail: expect.stringContaining('was cut off') }));
    expect(queue.rows).toHaveLength(1);
    central.behave();
    await drained();
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InProcess' });
  });

  it('UP-02 stay if the key is refused, which is reported', async () => {
    central.apiKey = 'another';
    queue.act(inProcess('T-1', 'Pat'));
    entityQueues.start();
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe('unauthorized'));
    expect(queue.rows).toHaveLength(1);
  });

  it('D-28 hand on the command of the server, and do nothing else with it', async () => {
    queue.status(status('RF-01', 1));
    await drained();
    expect(commands.map((text) => JSON.parse(text))).toMatchObject([{ machineId: 'RF-01', runEnabled: true }]);
  });

  it('UP-05 are set aside once for a machine that is unknown there, and its next ones wait', async () => {
    central.manner = (_, path) => (path === '/api/device/status' ? 'rejects' : 'works');
    queue.status(status('RF-01', 1));
    queue.status(status('RF-01', 2));
    queue.act(inProcess('T-1', 'Pat'));
    entityQueues.start();
    await vi.waitFor(() => expect(queue.rows).toHaveLength(1));
    expect(queue.setAside).toMatchObject([{ entity: 'machine:RF-01' }]);
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InProcess' });
  });

  it('UP-05 with a refused status wait five minutes, for any number of missing answers before', async () => {
    central.next.push('fails', 'fails', 'fails', 'fails');
    central.manner = (_, path) => (path === '/api/device/status' ? 'rejects' : 'works');
    queue.status(status('RF-01', 1));
    entityQueues.start();
    await vi.waitFor(() => {
      if (queue.setAside.length === 0) skip(ENTITY_QUEUE_LIMITS.longestRetryMs);
      expect(queue.setAside).toHaveLength(1);
    });
    queue.status(status('RF-01', 2));
    skip(ENTITY_QUEUE_LIMITS.firstRefusedStatusMs - 10_000);
    queue.act(inProcess('T-1', 'Pat'));
    entityQueues.wake();
    await vi.waitFor(() => expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InProcess' }));
    expect(queue.setAside).toHaveLength(1);
    skip(10_000);
    await vi.waitFor(() => expect(queue.setAside).toHaveLength(2));
  });

  it.each<readonly [string, CentralManner, () => void]>([
    ['a refused status', 'rejects', () => skip(ENTITY_QUEUE_LIMITS.firstRefusedStatusMs)],
    ['a status that could not be taken', 'fails', () => skip(ENTITY_QUEUE_LIMITS.condenseEveryMs)],
    ['a refused status, at the wish of a person', 'rejects', () => retryLater()],
  ])('D-26 behind %s are condensed before the next try', async (_, manner, endWait) => {
    const seen: string[] = [];
    central.manner = (_method, path) => {
      if (path !== '/api/device/status') return 'works';
      seen.push('asked');
      return manner;
    };
    const write = queue.write.bind(queue);
    queue.write = async (records) => {
      if (records.some(({ kind }) => kind === 'statusesCondensed')) seen.push('condensed');
      return write(records);
    };
    for (const count of [1, 2, 3]) queue.status(status('RF-01', count));
    entityQueues.start();
    await vi.waitFor(() => expect(queue.setAside.length + incidents.length).toBe(1));
    expect(seen).toEqual(['asked']);
    const beforeMs = Date.now();
    endWait();
    await vi.waitFor(() => expect(seen.slice(0, 3)).toEqual(['asked', 'condensed', 'asked']));
    const present = queue.condensedBefore.map((before) => before + ENTITY_QUEUE_LIMITS.presentStatusMs);
    expect(present[0]).toBeGreaterThanOrEqual(beforeMs);
    expect(present[0]).toBeLessThanOrEqual(Date.now());
  });

  it('D-26 behind refused statuses of several machines are condensed once a minute', async () => {
    central.manner = (_, path) => (path === '/api/device/status' ? 'fails' : 'works');
    for (const id of ['RF-01', 'RF-02']) queue.status(status(id, 1));
    entityQueues.start();
    await vi.waitFor(() => expect(incidents).toHaveLength(2));
    skip(ENTITY_QUEUE_LIMITS.condenseEveryMs);
    await vi.waitFor(() => expect(incidents).toHaveLength(4));
    skip(ENTITY_QUEUE_LIMITS.longestRetryMs / 2);
    await vi.waitFor(() => expect(incidents).toHaveLength(6));
    expect(queue.condensedBefore).toHaveLength(1);
  });

  it('D-26 are not tried again while they cannot be condensed', async () => {
    central.manner = (_, path) => (path === '/api/device/status' ? 'fails' : 'works');
    queue.status(status('RF-01', 1));
    entityQueues.start();
    await vi.waitFor(() => expect(incidents).toHaveLength(1));
    queue.isDown = true;
    skip(ENTITY_QUEUE_LIMITS.condenseEveryMs);
    await vi.waitFor(() => expect(incidents.join()).toContain('the disk is full'));
    expect(central.writes).toHaveLength(1);
    queue.isDown = false;
    entityQueues.wake();
    await vi.waitFor(() => expect(central.writes).toHaveLength(2));
    expect(queue.condensedBefore).toHaveLength(1);
  });

  it('UP-02 that the server took are not sent again if our own disk was full', async () => {
    const write = queue.write.bind(queue);
    let isFull = true;
    queue.write = async (records) => {
      if (isFull && records.some(({ kind }) => kind === 'rowsSent')) throw new Error('the disk is full');
      return write(records);
    };
    queue.status(status('RF-01', 1));
    entityQueues.start();
    await vi.waitFor(() => expect(incidents.join()).toContain('the disk is full'));
    isFull = false;
    await vi.waitFor(() => {
      entityQueues.wake(true);
      expect(queue.rows).toEqual([]);
    });
    expect(central.plant.statuses).toHaveLength(1);
  });
});

/** Manners in which a write is carried out, or not, without an answer. */
