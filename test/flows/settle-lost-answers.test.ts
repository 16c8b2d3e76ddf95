import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Operation } from '../../src/domain/sync/operation.ts';
import type { TaskOperation } from '../../src/domain/warehouse/task.ts';
import { PROFILE_CONTENT } from '../domain/profile/any-profile.ts';
import {
  ask,
  begin,
  central,
  done,
  drained,
  entityQueues,
  IMPATIENT_MS,
  incidents,
  inProcess,
  inTransit,
  order,
  profile,
  queue,
  server,
  useLanes,
} from './lanes-under-test.ts';

useLanes();

const UNATTAINABLE: Operation = {
  type: 'taskOperation',
  taskId: 'T-1',
  operation: { type: 'unattainable', unattainableCode: 'U-1', userName: 'Pat' },
};

const LOST = ['doesThenCuts', 'doesThenHangs', 'doesThenFails', 'cuts', 'hangs', 'fails'] as const;

describe('writes whose answer was lost', () => {
  beforeEach(async () => {
    entityQueues.pause();
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
  } as const satisfies Readonly<Record<string, () => readonly Operation[]>>;
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
    // An operation that changes nothing when it is done twice is sent again.
    const inEffect = name.endsWith('task') ? ids.filter((id, place) => id !== ids[place - 1]) : ids;
    expect(inEffect).toEqual(writes.map((_, place) => `op-${place}`));
  });

  /** Sends until an answer was lost; the row is still there then. */
  async function untilLost(): Promise<void> {
    entityQueues.start();
    await vi.waitFor(() => expect(central.next).toEqual([]), { timeout: 20_000, interval: 1 });
    entityQueues.pause();
    await entityQueues.settled();
    expect(queue.rows).toHaveLength(1);
  }

  it.each<readonly [string, Operation, Readonly<Record<string, unknown>>]>([
    ['inProcess', inProcess('T-1', 'Pat'), { taskState: 'InProcess', userName: 'Pat' }],
    ['unattainable', UNATTAINABLE, { unattainableReason: 'U-1', userName: 'Pat' }],
  ])(
    'D-30, D-31 are sent again for %s although the state there matches, so that the operator’s name arrives',
    async (_, act, shown) => {
      central.plant.tasks.set('T-1', { taskId: 'T-1', taskState: 'InProcess', unattainableReason: 'U-1' });
      queue.act(act, 'op-1', Date.now());
      central.next.push('cuts');
      await untilLost();
      begin();
      await drained();
      expect(central.writes.filter(({ isDone }) => isDone).map(({ operationId }) => operationId)).toEqual(['op-1']);
      expect(central.plant.tasks.get('T-1')).toMatchObject(shown);
    },
  );

  const there = { taskId: 'T-1', taskState: 'InTransit', selectedCoilId: 'C-1', userName: 'Pat', overrideReason: null };
  const repeated: readonly { readonly what: string; readonly before: object; readonly operation: TaskOperation }[] = [
    { what: 'a reason', before: there, operation: transit('OR-1', 'Pat') },
    { what: 'another reason', before: { ...there, overrideReason: 'OR-1' }, operation: transit('OR-2', 'Pat') },
    { what: 'an operator', before: there, operation: transit(null, 'Kim') },
    { what: 'a reason and an operator', before: there, operation: transit('OR-1', 'Kim') },
    { what: 'a release', before: { ...there, taskState: 'Ready', selectedCoilId: null }, operation: { type: 'ready' } },
  ];
  const inBothWays = repeated.flatMap((one) => [
    { ...one, manner: 'cuts' as const },
    { ...one, manner: 'doesThenCuts' as const },
  ]);

  it.each(inBothWays)(
    'D-30 UP-02 are not taken as done by what the task showed before: $what, $manner',
    async (one) => {
      await waitLonger();
      central.plant.tasks.set('T-1', { ...one.before });
      queue.act({ type: 'taskOperation', taskId: 'T-1', operation: one.operation });
      central.next.push(one.manner);
      await drained();
      expect(queue.setAside).toEqual([]);
      expect(done()).toHaveLength(1);
      const { operation } = one;
      const { overrideReason, userName } =
        operation.type === 'inTransit' ? operation : { overrideReason: null, userName: null };
      expect(central.plant.tasks.get('T-1')).toMatchObject({ overrideReason, userName });
    },
  );

  it('D-30 are sent again as a whole for a changed order, because its summary does not tell versions apart', async () => {
    central.plant.orders.set('D-1', { documentID: 'D-1', orderCode: 'old' });
    queue.act(order('D-1', false));
    central.next.push('doesThenCuts');
    await drained();
    expect(queue.setAside).toEqual([]);
    expect(done()).toEqual(['POST /api/v1/orders/add', 'POST /api/v1/orders/add']);
    expect(central.plant.orders.get('D-1')).toMatchObject({ orderCode: 'code of D-1' });
  });

  it.each([
    { field: 'salesOrder', value: '1200' },
    { field: 'orderCode', value: '1200' },
    { field: 'pieces', value: 1200 },
    { field: 'lengthFt', value: 1200 },
    { field: 'documentID', value: '11200' },
  ])(
    'D-30 UP-02 are not taken as done for an order whose id is the $field of another one',
    async ({ field, value }) => {
      central.plant.summaryRow = asListItem;
      central.plant.orders.set('other', { documentID: 'D-0', orderCode: 'A', [field]: value });
      queue.act(order('1200'));
      central.next.push('cuts');
      await drained();
      expect(queue.setAside).toEqual([]);
      expect(done()).toEqual(['POST /api/v1/orders/add']);
      central.plant.orders.delete('1200');
      queue.act(order('1200'));
      central.next.push('cuts', 'rejects');
      await drained();
      expect(queue.setAside).toMatchObject([{ reason: expect.stringContaining('HTTP 400') }]);
    },
  );

  it.each<{ readonly what: string; readonly act: Operation; readonly isSent: boolean }>([
    { what: 'a new order is sent again, because a Put replaces', act: order('D-1'), isSent: true },
    { what: 'a new order without a documentID is set aside', act: orderByCode('C-1'), isSent: false },
    { what: 'a removal is set aside', act: removal('D-1'), isSent: false },
  ])('D-30 D-20 are not guessed from a summary that does not name orders: $what', async ({ act, isSent }) => {
    await waitLonger();
    central.plant.summaryRow = () => '- customer: "D-1"\n  material: "C-1"\n';
    central.plant.orders.set('D-0', { documentID: 'D-0' });
    queue.act(act);
    central.next.push('cuts');
    await drained();
    expect(done()).toHaveLength(isSent ? 1 : 0);
    const reason = expect.stringContaining('does not show whether it has the order');
    expect(queue.setAside).toEqual(isSent ? [] : [{ entity: expect.any(String), reason }]);
  });

  it('D-30 UP-05 are not guessed from a summary too long to search, and do not block other entities', async () => {
    await waitLonger();
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

  it('D-21 are looked up in the summary of orders under its other name if it has that name', async () => {
    central.plant.summaryPath = 'orderSummaries';
    queue.act(order('D-1'));
    central.next.push('doesThenCuts');
    await drained();
    expect(done()).toEqual(['POST /api/v1/orders/add']);
    expect(central.requests.map(({ path }) => path)).toContain('/api/v1/orders/orderSummaries');
  });

  it.each([
    ['isBehindMissingPage', 'isBehindMissingPage'],
    ['isBehindPlainText', 'isBehindPlainText'],
    ['talksNonsense', 'talksNonsense'],
    ['isBehindMissingPage', 'missesWithProblem'],
    ['missesWithProblem', 'isBehindPlainText'],
  ] as const)(
    'D-30 D-51 are not settled by another program: a removal waits if the server %s and %s at the summaries of orders',
    async (first, second) => {
      await waitLonger();
      central.plant.orders.set('D-1', { documentID: 'D-1' });
      central.manner = (method, path) => {
        if (method !== 'GET') return 'works';
        return path.endsWith('/orderSummary') ? first : second;
      };
      queue.act(removal('D-1'));
      central.next.push('cuts');
      await vi.waitFor(() => {
        entityQueues.start();
        entityQueues.wake(true);
        expect(incidents).toContainEqual(expect.stringContaining('not the answer of a central server'));
      });
      expect(queue.rows).toHaveLength(1);
      expect(done()).toEqual([]);
      central.behave();
      await drained();
      expect(queue.setAside).toEqual([]);
      expect(done()).toEqual(['DELETE /api/v1/orders/D-1']);
    },
  );

  it('D-30 D-51 are set aside for a removal if the server has neither summary of orders', async () => {
    await waitLonger();
    central.plant.orders.set('D-1', { documentID: 'D-1' });
    central.manner = (method) => (method === 'GET' ? 'missesWithProblem' : 'works');
    queue.act(removal('D-1'));
    central.next.push('cuts');
    await drained();
    expect(queue.setAside).toMatchObject([
      { reason: expect.stringContaining('does not show whether it has the order') },
    ]);
  });

  it('D-21 D-51 are looked up under the other name if another program answers at the first', async () => {
    await waitLonger();
    central.plant.summaryPath = 'orderSummaries';
    central.manner = (_, path) => (path.endsWith('/orderSummary') ? 'isBehindMissingPage' : 'works');
    queue.act(order('D-1'));
    central.next.push('doesThenCuts');
    await drained();
    expect(done()).toEqual(['POST /api/v1/orders/add']);
  });

  it('D-30 D-51 are not done twice because a page came instead of the record', async () => {
    await waitLonger();
    central.manner = (method) => (method === 'GET' ? 'talksNonsense' : 'works');
    central.plant.tasks.set('T-1', { taskId: 'T-1', taskState: 'InProcess' });
    queue.act(inTransit('T-1', 'C-1', 'Pat'));
    central.next.push('doesThenCuts');
    await vi.waitFor(() => {
      entityQueues.start();
      entityQueues.wake(true);
      expect(incidents).toContainEqual(expect.stringContaining('with a page for people'));
    });
    central.behave();
    await drained();
    expect(done()).toHaveLength(1);
  });

  it('D-30 are not guessed if two of our profiles are alike', async () => {
    for (const profileId of ['X-1', 'X-2']) {
      const stamps = { createdBy: 'gateway', createdDate: new Date().toISOString() };
      central.plant.profiles.set(profileId, { ...PROFILE_CONTENT, profileId, ...stamps });
    }
    queue.act(profile('P-1'), 'a', Date.now());
    central.next.push('cuts');
    await drained();
    expect(queue.setAside).toMatchObject([{ reason: expect.stringContaining('2 profiles there are equal') }]);
    expect(done()).toEqual([]);
  });

  const MANNERS = ['works', 'cuts', 'fails', 'doesThenCuts', 'doesThenFails'] as const;
  const pairs = MANNERS.flatMap((one) => MANNERS.map((other) => ({ one, other })));

  it.each(pairs)('D-30 UP-02 give equal profiles an id each: the first $one, the second $other', async (manners) => {
    await waitLonger();
    central.next.push(manners.one, manners.other);
    queue.act(profile('P-1'), 'a', Date.now());
    queue.act(profile('P-2'), 'b', Date.now());
    await drained();
    expect(central.plant.profiles.size).toBe(2);
    const ids = [...queue.names.values()].map(({ upstreamId }) => upstreamId);
    expect(new Set(ids).size).toBe(ids.length);
    // Of two that arrived without an answer, nobody can tell which is which.
    const areAlike = manners.one.startsWith('does') && manners.other.startsWith('does');
    expect(queue.setAside).toHaveLength(areAlike ? 2 : 0);
  });

  it('D-30 UP-02 leave out an equal profile that was named before the gateway was killed', async () => {
    await waitLonger();
    queue.act(profile('P-1'), 'a', Date.now());
    await drained();
    entityQueues.pause();
    begin();
    central.next.push('cuts');
    queue.act(profile('P-2'), 'b', Date.now());
    await drained();
    expect(new Set([...queue.names.values()].map(({ upstreamId }) => upstreamId)).size).toBe(2);
    expect(central.plant.profiles.size).toBe(2);
  });

  it.each([
    { atOnce: 1_000, manner: 'pages as it is asked for' },
    { atOnce: 50, manner: 'shorter pages' },
    { atOnce: null, manner: 'all of it each time' },
  ])(
    'D-30 are found for a new profile in a long list without a filter by name that gives $manner',
    async ({ atOnce }) => {
      central.plant.profilesAtOnce = atOnce;
      fillLibrary(450);
      queue.act(profile('P-1'), 'a', Date.now());
      central.next.push('doesThenCuts');
      await drained();
      expect(queue.setAside).toEqual([]);
      expect(done()).toEqual(['POST /api/v1/profiles']);
    },
  );

  it('D-30 are not guessed from a list of profiles without a visible end', async () => {
    central.plant.profilesAtOnce = null;
    fillLibrary(200);
    queue.act(profile('P-1'), 'a', Date.now());
    central.next.push('cuts');
    await drained();
    expect(queue.setAside).toMatchObject([{ reason: expect.stringContaining('cannot be read to its end') }]);
    expect(done()).toEqual([]);
  });

  it('D-30 are looked up again if the list of profiles changes during the reading', async () => {
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

  /** A busy machine may take longer than the time limit: then an answer is lost that should not be. */
  async function waitLonger(): Promise<void> {
    entityQueues.pause();
    await server.close();
    ask(5_000);
    begin();
  }

  /** Adds profiles of another author. */
  function fillLibrary(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const profileId = `X-${index}`;
      central.plant.profiles.set(profileId, { ...PROFILE_CONTENT, profileId, profileName: profileId });
    }
  }

  function transit(overrideReason: string | null, userName: string): TaskOperation {
    return { type: 'inTransit', coilId: 'C-1', overrideReason, userName };
  }

  function asListItem(row: object): string {
    const lines = Object.entries({ ...row, products: [] }).map(
      ([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`,
    );
    return lines.join('').replace(/^ /, '-');
  }

  function orderByCode(orderCode: string): Operation {
    const json = JSON.stringify({ orderCode, products: [] });
    return { type: 'orderPut', orderKey: `orderCode ${orderCode}`, json, isNew: true };
  }

  function removal(documentID: string): Operation {
    return { type: 'orderRemoved', orderKey: `documentID ${documentID}`, ordId: documentID };
  }

  function archiving(profileId: string): Operation {
    return { type: 'profileArchived', profileId };
  }
});
