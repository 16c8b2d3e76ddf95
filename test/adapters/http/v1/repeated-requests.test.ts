import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf as businessKeyOf } from '../../../end-to-end/warehouse-plant.ts';
import { LegacyAgentServer } from '../../../fakes/legacy-agent-server.ts';
import { type Answer, keyOf } from '../gateway-under-test.ts';
import { type LibraryUnderTest, profileOf, startLibrary, WarehouseUnderTest } from './warehouse-under-test.ts';

/** The coil and task of every run of a property. */
const COMMON_LOT = { coilId: 'C-common', taskId: 'T-common' };
/** Each test takes the next lot. */
const LOTS = Array.from({ length: 40 }, (_, index) => ({ coilId: `C-${index}`, taskId: `T-${index}` }));
const ALL_LOTS = [COMMON_LOT, ...LOTS];
type Lot = (typeof LOTS)[number];

let agent: LegacyAgentServer;
let warehouse: WarehouseUnderTest;
let library: LibraryUnderTest;
const lots = LOTS.values();
let requests = 0;

beforeAll(async () => {
  agent = new LegacyAgentServer(Object.fromEntries(ALL_LOTS.map(({ coilId }) => [coilId, 'WH-A1'])));
  await agent.start();
  warehouse = await WarehouseUnderTest.start({
    coilIds: ALL_LOTS.map(({ coilId }) => coilId),
    tasks: ALL_LOTS.map(({ taskId }) => ({ taskId, taskState: 'Ready' })),
    agentUrl: agent.url,
  });
  library = await startLibrary();
});

afterAll(async () => {
  await Promise.all([warehouse.close(), library.close()]);
  await agent.stop();
});

function nextLot(): Lot {
  const { value } = lots.next();
  if (value === undefined) throw new Error('more tests than lots');
  return value;
}

/** A name that no request had yet. */
function newName(): string {
  requests += 1;
  return `"request-${requests}"`;
}

/** The headers of a named request, from the same sender unless `sender` says otherwise. */
function named(name: string, sender = 0): Readonly<Record<string, string>> {
  return { authorization: `ApiKey ${businessKeyOf(sender)}`, 'idempotency-key': name };
}

type Operation = readonly [place: string, body?: object];

const OPERATIONS = {
  ready: ({ taskId }) => [`/warehouseTasks/${taskId}/ready`],
  inProcess: ({ taskId }) => [`/warehouseTasks/${taskId}/inProcess`, { userName: 'ann' }],
  inTransit: ({ taskId, coilId }) => [`/warehouseTasks/${taskId}/inTransit`, { coilId }],
  unattainable: ({ taskId }) => [`/warehouseTasks/${taskId}/unattainable`, { unattainableCode: 'UR-1' }],
  complete: ({ taskId }) => [`/warehouseTasks/${taskId}/complete`, { location: 'RF-01' }],
  cancel: ({ taskId, coilId }) => [`/warehouseTasks/${taskId}/cancel`, { coilId, location: 'WH-A3' }],
  move: ({ coilId }) => [`/coils/${coilId}/location`, { location: 'WH-A2' }],
} as const satisfies Readonly<Record<string, (lot: Lot) => Operation>>;
type OperationName = keyof typeof OPERATIONS;
const NAMES: readonly OperationName[] = [
  'ready',
  'inProcess',
  'inTransit',
  'unattainable',
  'complete',
  'cancel',
  'move',
];

function operate(name: OperationName, lot: Lot, headers?: Readonly<Record<string, string>>): Promise<Answer> {
  const [place, body] = OPERATIONS[name](lot);
  return warehouse.api('POST', place, body, headers);
}

/** The stored task and coil. */
async function kept({ taskId, coilId }: Lot): Promise<unknown> {
  const [task, coil] = await Promise.all([
    warehouse.local('GET', `/plant/tasks/${taskId}`),
    warehouse.local('GET', `/plant/coils/${coilId}`),
  ]);
  return [task.body, coil.body];
}

interface Case {
  readonly before: readonly OperationName[];
  readonly named: OperationName;
  /** The operations of others before the late copy comes. */
  readonly after: readonly OperationName[];
}

const IN_TRANSIT = ['inProcess', 'inTransit'] as const;

describe('contract.md, Upstream: Idempotency-Key', () => {
  it.each<Case>([
    { before: [], named: 'ready', after: ['inProcess'] },
    { before: [], named: 'inProcess', after: ['ready'] },
    { before: ['inProcess'], named: 'inTransit', after: ['cancel', 'inProcess'] },
    { before: [], named: 'unattainable', after: ['inProcess', 'ready'] },
    { before: IN_TRANSIT, named: 'cancel', after: IN_TRANSIT },
    { before: IN_TRANSIT, named: 'complete', after: ['move'] },
    { before: [], named: 'move', after: [...IN_TRANSIT, 'complete'] },
  ])('a late copy of $named gets the first answer, and is not done again', async ({ before, named: name, after }) => {
    const lot = nextLot();
    for (const one of before) expect((await operate(one, lot)).status).toBe(202);
    const request = named(newName());
    const first = await operate(name, lot, request);
    expect(first.status).toBe(name === 'move' ? 200 : 202);
    for (const one of after) expect((await operate(one, lot)).status).toBeLessThan(300);
    const present = await kept(lot);
    const asked = agent.asked.length;
    const late = await operate(name, lot, request);
    expect([late.status, late.text]).toEqual([first.status, first.text]);
    expect(await kept(lot)).toEqual(present);
    expect(agent.asked).toHaveLength(asked);
  });

  it('a refused or failed request is tried again under the same key', async () => {
    const lot = nextLot();
    const request = named(newName());
    expect((await operate('cancel', lot, request)).status).toBe(400);
    for (const one of IN_TRANSIT) await operate(one, lot);
    agent.next.push('rejects');
    expect((await operate('cancel', lot, request)).status).toBe(400);
    await agent.stop();
    expect((await operate('cancel', lot, request)).status).toBe(503);
    await agent.start();
    expect((await operate('cancel', lot, request)).status).toBe(202);
    expect((await operate('cancel', lot, request)).status).toBe(202);
  });

  it('D-16 an unconfirmed request is settled before its copy is judged, and done once', async () => {
    const lot = nextLot();
    for (const one of IN_TRANSIT) await operate(one, lot);
    const request = named(newName());
    agent.manner = 'doesThenHangs';
    agent.answersLooks = false;
    expect((await operate('cancel', lot, request)).status).toBe(503);
    expect((await operate('cancel', lot, request)).status).toBe(503);
    agent.behave();
    expect((await operate('cancel', lot, request)).status).toBe(202);
    for (const one of IN_TRANSIT) expect((await operate(one, lot)).status).toBe(202);
    expect((await operate('cancel', lot, request)).status).toBe(202);
    expect((await warehouse.task(lot.taskId)).taskState).toBe('InTransit');
  });

  it('copies that come while the first request is under way wait for it', async () => {
    const lot = nextLot();
    agent.behave();
    agent.manner = 'slow';
    agent.slowMs = 100;
    const request = named(newName());
    const copies = await Promise.all([1, 2, 3, 4].map(() => operate('move', lot, request)));
    expect(copies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(agent.asked).toHaveLength(1);
    agent.behave();
  });

  it.each(NAMES)('another request under a used key is 422, and the answer names the header (%s)', async (name) => {
    const [lot, other] = [nextLot(), nextLot()];
    const request = named(newName());
    expect((await operate('move', lot, request)).status).toBe(200);
    const answer = await operate(name, other, request);
    expect([answer.status, answer.body]).toEqual([
      422,
      { errors: [expect.stringMatching(/^Idempotency-Key: ".+" was used for another request already/)] },
    ]);
    expect((await kept(other)) as readonly object[]).toMatchObject([{ taskState: 'Ready' }, { location: 'WH-A1' }]);
  });

  it('two senders may use the same key', async () => {
    const lot = nextLot();
    const name = newName();
    expect((await operate('move', lot, named(name))).status).toBe(200);
    expect(
      (await warehouse.api('POST', `/coils/${lot.coilId}/location`, { location: 'WH-A3' }, named(name, 1))).status,
    ).toBe(200);
    expect(await warehouse.locationOf(lot.coilId)).toBe('WH-A3');
  });

  it.each([
    ['none', ''],
    ['a blank', 'a b'],
    ['not ASCII', 'schlüssel'],
    ['201 characters', 'x'.repeat(201)],
  ])('a key of %s is 400 before anything is done', async (_, name) => {
    const lot = nextLot();
    const answer = await operate('move', lot, named(name));
    expect([answer.status, answer.body]).toEqual([
      400,
      { errors: [expect.stringMatching(/^Idempotency-Key: .*expected 1 to 200 visible ASCII characters$/)] },
    ]);
    expect(await warehouse.locationOf(lot.coilId)).toBe('WH-A1');
    expect((await operate('move', lot, named('x'.repeat(200)))).status).toBeLessThan(423);
  });

  it('a copy of a completed request changes nothing, even if other clients wrote in between', async () => {
    let sender = 0;
    const step = fc.record({ name: fc.constantFrom(...NAMES), copies: fc.array(fc.nat(6), { maxLength: 2 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 7 }), async (steps) => {
        sender += 1;
        const done: Done[] = [];
        for (const { name, copies } of steps) {
          const request = named(newName(), sender);
          const { status } = await operate(name, COMMON_LOT, request);
          if (status < 300) done.push({ name, request, status });
          for (const back of copies) await expectUnchangedBy(done.at(-1 - back));
        }
      }),
      { numRuns: 12 },
    );
  });
});

interface Done {
  readonly name: OperationName;
  readonly request: Readonly<Record<string, string>>;
  readonly status: number;
}

async function expectUnchangedBy(copy: Done | undefined): Promise<void> {
  if (copy === undefined) return;
  const present = await kept(COMMON_LOT);
  expect((await operate(copy.name, COMMON_LOT, copy.request)).status).toBe(copy.status);
  expect(await kept(COMMON_LOT)).toEqual(present);
}

describe('contract.md, Upstream: Idempotency-Key of orders and profiles', () => {
  const named = (name: string) => ({ authorization: `ApiKey ${keyOf('business')}`, 'idempotency-key': name });
  const ask = (method: string, path: string, body: unknown, name?: string) =>
    library.call(method, `/api/v1${path}`, body, { ...named(name ?? newName()) });
  const order = (more: object = {}) => ({ documentID: newName(), orderCode: 'SO-1', products: [], ...more });
  const listed = async () => (await ask('GET', '/profiles', undefined)).body as readonly object[];

  it('a late copy of an order neither replaces a later order nor brings back a removed one', async () => {
    const [request, first] = [newName(), order({ customer: { name: 'first' } })];
    const answer = await ask('POST', '/orders/add', first, request);
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('first') });
    await ask('POST', '/orders/add', { ...first, customer: { name: 'second' } });
    expect(await ask('POST', '/orders/add', first, request)).toMatchObject({ status: 200, text: answer.text });
    const removal = newName();
    const ordId = encodeURIComponent(first.documentID);
    const removed = await ask('DELETE', `/orders/${ordId}`, undefined, removal);
    expect(removed).toMatchObject({ status: 200, text: expect.stringContaining('second') });
    expect(await ask('POST', '/orders/add', first, request)).toMatchObject({ status: 200, text: answer.text });
    expect((await ask('GET', '/orders/orderSummary?orderCode=SO-1', undefined)).text).toBe('[]\n');
    await ask('POST', '/orders/add', first);
    expect(await ask('DELETE', `/orders/${ordId}`, undefined, removal)).toMatchObject({
      status: 200,
      text: removed.text,
    });
    expect((await ask('GET', '/orders/orderSummary?orderCode=SO-1', undefined)).text).toContain('first');
  });

  it('D-37 a late copy of an order names the unknown fields as the first answer did, also if the order is gone', async () => {
    const [request, odd] = [newName(), order({ prio: 1, custommer: {} })];
    const { headers } = await ask('POST', '/orders/add', odd, request);
    expect(headers['plantgate-warnings']).toContain('prio: kept, not understood');
    await ask('DELETE', `/orders/${encodeURIComponent(odd.documentID)}`, undefined);
    const late = await ask('POST', '/orders/add', odd, request);
    expect(late.headers['plantgate-warnings']).toBe(headers['plantgate-warnings']);
  });

  it('a late copy of a new profile, an update or an archiving makes no second profile', async () => {
    const [creation, update, archiving] = [newName(), newName(), newName()];
    const created = await ask('POST', '/profiles', profileOf({ profileName: 'Ridge' }), creation);
    const { profileId } = created.body as { readonly profileId: string };
    const changed = await ask('PUT', `/profiles/${profileId}`, profileOf({ profileName: 'Ridge b' }), update);
    expect(changed).toMatchObject({ status: 200, body: { revision: 2 } });
    await ask('PUT', `/profiles/${profileId}`, profileOf({ profileName: 'Ridge c' }));
    const present = await listed();
    const late = [
      await ask('POST', '/profiles', profileOf({ profileName: 'Ridge' }), creation),
      await ask('PUT', `/profiles/${profileId}`, profileOf({ profileName: 'Ridge b' }), update),
    ];
    expect(late.map(({ status, body }) => [status, body])).toEqual([
      [200, created.body],
      [200, changed.body],
    ]);
    expect(await listed()).toEqual(present);
    expect((await ask('DELETE', `/profiles/${profileId}`, undefined, archiving)).status).toBe(204);
    expect((await ask('DELETE', `/profiles/${profileId}`, undefined, archiving)).status).toBe(204);
    expect((await ask('PUT', `/profiles/${profileId}`, profileOf({ profileName: 'Ridge b' }), update)).body).toEqual(
      changed.body,
    );
    expect((await ask('GET', `/profiles/${profileId}`, undefined)).body).toMatchObject({ revision: 4, archived: true });
  });

  it('D-30 a copy with its JSON in another notation is recognised, also an order or a profile of megabytes', async () => {
    const [creation, addition] = [newName(), newName()];
    const profile = profileOf({ description: 'x'.repeat(1_000) });
    const created = await ask('POST', '/profiles', profile, creation);
    const written = JSON.stringify(Object.fromEntries(Object.entries(profile).reverse()), null, 2);
    expect(await ask('POST', '/profiles', written, creation)).toMatchObject({ status: 200, body: created.body });
    const message = 'x'.repeat(2_000);
    const items = Array.from({ length: 1_000 }, (_, index) => ({ itemId: `I-${index}`, quantity: index, message }));
    const { documentID, orderCode } = order();
    const products = [{ workOrder: 'W-1', bundles: [{ bundleNumber: 1, items }] }];
    const added = await ask('POST', '/orders/add', { documentID, orderCode, products }, addition);
    expect(added.status).toBe(200);
    const late = await ask(
      'POST',
      '/orders/add',
      ` ${JSON.stringify({ products, orderCode, documentID })}\n`,
      addition,
    );
    expect(late).toMatchObject({ status: 200, text: added.text });
    items.reverse();
    expect((await ask('POST', '/orders/add', { documentID, orderCode, products }, addition)).status).toBe(422);
  });

  it('ERR-01 another body under the key, or a malformed key, is refused in each surface’s shape', async () => {
    const request = newName();
    await ask('POST', '/profiles', profileOf(), request);
    expect(await ask('POST', '/profiles', profileOf({ profileName: 'Other' }), request)).toMatchObject({
      status: 422,
      body: [expect.stringMatching(/^Idempotency-Key: /)],
    });
    const another = await ask('POST', '/orders/add', order(), request);
    expect(another).toMatchObject({ status: 422, body: { code: '422', message: 'Unprocessable Entity' } });
    expect(another.headers['plantgate-errors']).toContain('Idempotency-Key: ');
    expect(await ask('POST', '/profiles', profileOf(), 'a b')).toMatchObject({
      status: 400,
      body: [expect.stringMatching(/^Idempotency-Key: /)],
    });
    expect(await ask('POST', '/orders/add', order(), 'a b')).toMatchObject({ status: 400, body: { code: '400' } });
  });
});
