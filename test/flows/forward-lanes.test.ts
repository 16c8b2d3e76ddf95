import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settleAnswers } from '../../src/adapters/store/thread/settle-answers.ts';
import { HttpCentralServer } from '../../src/adapters/upstream/http-central-server.ts';
import { machineId } from '../../src/domain/machine/machine-id.ts';
import { createdProfile } from '../../src/domain/profile/library.ts';
import type { Act } from '../../src/domain/sync/act.ts';
import type { ConnectionEvent } from '../../src/domain/sync/connection.ts';
import { LANE_LIMITS, LaneForwarder, type RefusedRow } from '../../src/flows/forward-lanes.ts';
import { ActSender } from '../../src/flows/send-act.ts';
import { CentralServer } from '../fakes/central-server.ts';
import { QueueInMemory } from './queue-in-memory.ts';

let central: CentralServer;
let server: HttpCentralServer;
let queue: QueueInMemory;
let events: ConnectionEvent[];
let refused: RefusedRow[];
let incidents: string[];
let commands: string[];
let lanes: LaneForwarder;

function inProcess(taskId: string, userName: string): Act {
  return { type: 'taskOperation', taskId, operation: { type: 'inProcess', userName } };
}

function inTransit(taskId: string, coilId: string, userName: string): Act {
  return { type: 'taskOperation', taskId, operation: { type: 'inTransit', coilId, overrideReason: null, userName } };
}

function order(documentID: string, isNew = true): Act {
  const json = JSON.stringify({ documentID, orderCode: `code of ${documentID}`, action: 'Put', products: [] });
  return { type: 'orderPut', orderKey: `documentID ${documentID}`, json, isNew };
}

const CONTENT = {
  profileName: 'Z 200',
  description: null,
  owningCatalogId: 1,
  category: null,
  subCategory: null,
  paintedSide: null,
  features: [{ type: 'Straight', length: 12.5, hemHeight: 0 }],
} as const;

function profile(profileId: string, profileName = 'Z 200', revision = 1): Act {
  const edit = { principal: 'office', date: new Date().toISOString() };
  return { type: 'profilePut', profile: { ...createdProfile(profileId, { ...CONTENT, profileName }, edit), revision } };
}

function status(id: string, goodPart: number) {
  const named = machineId(id);
  if (named === null) throw new Error(`${id} is no machine id`);
  return { machineId: named, at: goodPart, why: 'change', json: JSON.stringify({ machineId: id, goodPart }) } as const;
}

/** Longer than a busy machine takes, so that no answer counts as lost that is none. */
const PATIENT_MS = 800;
/** Where answers are lost on purpose. */
const IMPATIENT_MS = 120;

function ask(timeoutMs: number): void {
  server = new HttpCentralServer({ url: central.url, apiKey: central.apiKey, timeoutMs });
}

beforeEach(async () => {
  central = new CentralServer();
  for (const taskId of ['T-1', 'T-2', 'T-3']) central.plant.tasks.set(taskId, { taskId, taskState: 'Ready' });
  central.plant.coils.set('C-1', { coilId: 'C-1', location: 'WH-A1' });
  await central.start();
  ask(PATIENT_MS);
  queue = new QueueInMemory();
  events = [];
  refused = [];
  incidents = [];
  commands = [];
  begin();
});

afterEach(async () => {
  lanes.pause();
  await lanes.settled();
  await server.close();
  await central.stop();
});

/** As the gateway does when it starts: what was in memory is gone, what was on disk is there. */
function begin(): void {
  lanes = new LaneForwarder({
    store: queue,
    server,
    acts: new ActSender({ store: queue, settling: settleAnswers, server }),
    clock: { now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }) },
    after: (delayMs, act) => {
      // Retries come soon, so that tests need not wait for them.
      const timer = setTimeout(act, Math.min(delayMs, 20));
      return () => clearTimeout(timer);
    },
    incidents: { report: ({ detail }) => incidents.push(detail) },
    onConnection: (event) => {
      events.push(event);
      if (event.type === 'failed') lanes.pause();
    },
    onSent: () => undefined,
    onRefused: (row) => refused.push(row),
    onCommand: (_, command) => commands.push(command),
  });
}

async function drained(): Promise<void> {
  await vi.waitFor(
    () => {
      lanes.start();
      lanes.nudge(true);
      expect(queue.rows).toEqual([]);
    },
    { timeout: 5_000, interval: 10 },
  );
  await lanes.settled();
}

/** What was carried out there, as `method path`. */
function done(): readonly string[] {
  return central.writes.filter(({ isDone }) => isDone).map(({ method, path }) => `${method} ${path}`);
}

describe('rows to a server with the interface alone', () => {
  it('UP-02 UP-03 D-26 D-31 each act goes to its endpoint with its operation id and operator', async () => {
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

  it('UP-02 rows of one entity go one behind the other, others beside them', async () => {
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

  it('UP-05 D-18 what is refused is set aside in its words and told, and blocks nobody else', async () => {
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

  it('UP-02 an entity that cannot be taken now waits for itself alone, and goes in the end', async () => {
    let failures = 3;
    central.manner = (_, path) => (path.includes('T-1') && failures-- > 0 ? 'fails' : 'works');
    queue.act(inProcess('T-1', 'Pat'));
    queue.act(inTransit('T-1', 'C-1', 'Pat'));
    for (let count = 1; count <= 30; count += 1) queue.status(status('RF-01', count));
    lanes.start();
    await vi.waitFor(() => expect(central.plant.statuses).toHaveLength(30));
    expect(queue.rows.map(({ entity }) => entity)).toEqual(['task:T-1', 'task:T-1']);
    await vi.waitFor(() => {
      lanes.nudge(true);
      expect(queue.rows).toEqual([]);
    });
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InTransit' });
    expect(events.some(({ type }) => type === 'failed')).toBe(false);
  });

  it('UP-02 a server that takes nothing of anybody is said to have failed', async () => {
    central.manner = (method) => (method === 'GET' ? 'works' : 'fails');
    for (let count = 1; count <= LANE_LIMITS.failuresInARow; count += 1) queue.status(status(`RF-${count}`, 1));
    lanes.start();
    await vi.waitFor(() =>
      expect(events).toContainEqual({ type: 'failed', detail: 'HTTP 500: the central server says 500' }),
    );
  });

  it('UP-02 what a page for people answers in the place of the server is taken by nobody: it waits, says why, and goes later', async () => {
    central.manner = (method) => (method === 'GET' ? 'works' : 'talksNonsense');
    queue.act(inProcess('T-1', 'Pat'));
    queue.status(status('RF-01', 1));
    lanes.start();
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

  it('UP-02 a key that is refused is told, and the row stays', async () => {
    central.apiKey = 'another';
    queue.act(inProcess('T-1', 'Pat'));
    lanes.start();
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe('unauthorized'));
    expect(queue.rows).toHaveLength(1);
  });

  it('D-28 what the server would command is handed on, and nothing else is done with it', async () => {
    queue.status(status('RF-01', 1));
    await drained();
    expect(commands.map((text) => JSON.parse(text))).toMatchObject([{ machineId: 'RF-01', runEnabled: true }]);
  });

  it('UP-05 a machine that is unknown there is set aside once, and its next statuses wait', async () => {
    central.manner = (_, path) => (path === '/api/device/status' ? 'rejects' : 'works');
    queue.status(status('RF-01', 1));
    queue.status(status('RF-01', 2));
    queue.act(inProcess('T-1', 'Pat'));
    lanes.start();
    await vi.waitFor(() => expect(queue.rows).toHaveLength(1));
    expect(queue.setAside).toMatchObject([{ entity: 'machine:RF-01' }]);
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InProcess' });
  });

  it('UP-02 what was taken is not sent again because our own disk was full', async () => {
    const write = queue.write.bind(queue);
    let isFull = true;
    queue.write = async (records) => {
      if (isFull && records.some(({ kind }) => kind === 'rowsSent')) throw new Error('the disk is full');
      return write(records);
    };
    queue.status(status('RF-01', 1));
    lanes.start();
    await vi.waitFor(() => expect(incidents.join()).toContain('the disk is full'));
    isFull = false;
    await vi.waitFor(() => {
      lanes.nudge(true);
      expect(queue.rows).toEqual([]);
    });
    expect(central.plant.statuses).toHaveLength(1);
  });
});

/** Manners in which a write is carried out, or not, and nobody is told. */
const LOST = ['doesThenCuts', 'doesThenHangs', 'doesThenFails', 'cuts', 'hangs', 'fails'] as const;

describe('writes whose answer was lost', () => {
  beforeEach(async () => {
    lanes.pause();
    await server.close();
    ask(IMPATIENT_MS);
    begin();
  });

  const acts = {
    order: () => [order('D-1')],
    'order, then its removal': () => [order('D-1'), removal('D-1')],
    profile: () => [profile('P-1')],
    'profile, changed, archived': () => [profile('P-1'), profile('P-1', 'Z 250', 2), archiving('P-1')],
    task: () => [inProcess('T-1', 'Pat'), inTransit('T-1', 'C-1', 'Pat')],
    'completed task': () => [
      inProcess('T-1', 'Pat'),
      inTransit('T-1', 'C-1', 'Pat'),
      { type: 'taskOperation', taskId: 'T-1', operation: { type: 'complete', location: 'WH-A2', userName: 'Pat' } },
    ],
  } as const satisfies Readonly<Record<string, () => readonly Act[]>>;
  const cases = Object.keys(acts).flatMap((name) =>
    LOST.flatMap((manner) => [
      { name: name as keyof typeof acts, manner, isKilled: false },
      { name: name as keyof typeof acts, manner, isKilled: true },
    ]),
  );

  it.each(cases)('D-30 UP-02 $name: $manner, killed then: $isKilled', async ({ name, manner, isKilled }) => {
    const writes = acts[name]();
    for (const [place, act] of writes.entries()) {
      queue.act(act, `op-${place}`, Date.now());
      central.next.push(manner);
      await untilLost();
      if (isKilled) begin();
      await drained();
    }
    expect(queue.setAside).toEqual([]);
    const ids = central.writes.filter(({ isDone }) => isDone).map(({ operationId }) => operationId);
    expect(ids).toEqual(writes.map((_, place) => `op-${place}`));
  });

  /** Sends until an answer was lost; the row is still there then. */
  async function untilLost(): Promise<void> {
    lanes.start();
    await vi.waitFor(() => expect(central.next).toEqual([]), { timeout: 5_000, interval: 1 });
    lanes.pause();
    await lanes.settled();
    expect(queue.rows).toHaveLength(1);
  }

  it('D-30 a changed order whose answer was lost is said again, as a whole: its summary does not tell versions apart', async () => {
    central.plant.orders.set('D-1', { documentID: 'D-1', orderCode: 'old' });
    queue.act(order('D-1', false));
    central.next.push('doesThenCuts');
    await drained();
    expect(queue.setAside).toEqual([]);
    expect(done()).toEqual(['POST /api/v1/orders/add', 'POST /api/v1/orders/add']);
    expect(central.plant.orders.get('D-1')).toMatchObject({ orderCode: 'code of D-1' });
  });

  it('D-30 UP-05 where the summary is too long to be looked through nothing is guessed, and it blocks nobody else', async () => {
    lanes.pause();
    await server.close();
    ask(5_000);
    begin();
    central.plant.orders.set('D-0', { documentID: 'D-0', orderCode: 'x'.repeat(17 * 1_048_576) });
    queue.act(order('D-1'));
    queue.act(inProcess('T-1', 'Pat'));
    central.next.push('doesThenCuts');
    await drained();
    expect(queue.setAside).toMatchObject([
      { entity: 'order:documentID D-1', reason: expect.stringContaining('longer than 16777216 bytes') },
    ]);
    expect(central.plant.tasks.get('T-1')).toMatchObject({ taskState: 'InProcess' });
  });

  it('D-21 the summary of orders is read under its other name where it has that', async () => {
    central.plant.summaryPath = 'orderSummaries';
    queue.act(order('D-1'));
    central.next.push('doesThenCuts');
    await drained();
    expect(done()).toEqual(['POST /api/v1/orders/add']);
    expect(central.requests.map(({ path }) => path)).toContain('/api/v1/orders/orderSummaries');
  });

  it('D-30 of two profiles of ours that are alike nothing is guessed', async () => {
    for (const profileId of ['X-1', 'X-2']) {
      const stamps = { createdBy: 'gateway', createdDate: new Date().toISOString() };
      central.plant.profiles.set(profileId, { ...CONTENT, profileId, ...stamps });
    }
    queue.act(profile('P-1'), 'a', Date.now());
    central.next.push('cuts');
    await drained();
    expect(queue.setAside).toMatchObject([{ reason: expect.stringContaining('2 profiles there are equal') }]);
    expect(done()).toEqual([]);
  });

  it.each([
    { atOnce: 1_000, manner: 'pages as it is asked for' },
    { atOnce: 50, manner: 'shorter pages' },
    { atOnce: null, manner: 'all of it each time' },
  ])('D-30 a new profile is found in a long list that knows no names and gives $manner', async ({ atOnce }) => {
    central.plant.profilesAtOnce = atOnce;
    fillLibrary(450);
    queue.act(profile('P-1'), 'a', Date.now());
    central.next.push('doesThenCuts');
    await drained();
    expect(queue.setAside).toEqual([]);
    expect(done()).toEqual(['POST /api/v1/profiles']);
  });

  it('D-30 in a list of profiles of which there is no end to be seen nothing is guessed', async () => {
    central.plant.profilesAtOnce = null;
    fillLibrary(200);
    queue.act(profile('P-1'), 'a', Date.now());
    central.next.push('cuts');
    await drained();
    expect(queue.setAside).toMatchObject([{ reason: expect.stringContaining('cannot be read to its end') }]);
    expect(done()).toEqual([]);
  });

  it('D-30 a list of profiles that moves while it is read is read again', async () => {
    fillLibrary(450);
    queue.act(profile('P-1'), 'a', Date.now());
    central.next.push('doesThenCuts');
    let pages = 0;
    central.manner = (method, path) => {
      if (method === 'GET' && path === '/api/v1/profiles') pages += 1;
      if (pages === 2) central.plant.profiles.delete('X-0');
      return 'works';
    };
    await drained();
    expect(queue.setAside).toEqual([]);
    expect(done()).toEqual(['POST /api/v1/profiles']);
    expect(pages).toBeGreaterThan(4);
  });

  /** Profiles that somebody else drew. */
  function fillLibrary(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const profileId = `X-${index}`;
      central.plant.profiles.set(profileId, { ...CONTENT, profileId, profileName: profileId });
    }
  }

  function removal(documentID: string): Act {
    return { type: 'orderRemoved', orderKey: `documentID ${documentID}`, ordId: documentID };
  }

  function archiving(profileId: string): Act {
    return { type: 'profileArchived', profileId };
  }
});
