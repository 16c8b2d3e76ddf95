import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Paths } from '../../../../src/adapters/http/documents/open-api-document.ts';
import type { AuditEntry } from '../../../../src/domain/audit/audit-entry.ts';
import { LegacyAgentServer, type Manner } from '../../../fakes/legacy-agent-server.ts';
import type { Answer } from '../gateway-under-test.ts';
import { told, WarehouseUnderTest } from './warehouse-under-test.ts';

/** Coils at WH-A1, each with the task that has it in transit; a test takes the next. */
const OTHER = { coilId: 'C-other', taskId: 'T-other' };
const LOTS = [OTHER, ...Array.from({ length: 120 }, (_, index) => ({ coilId: `C-${index}`, taskId: `T-${index}` }))];
type Lot = (typeof LOTS)[number];

const NOTHING_CHANGED = { errors: ['AgentNotAvailable'] };
const UNCONFIRMED = { errors: ['AgentNotAvailable', expect.stringContaining('is unknown')] };

interface Write {
  readonly ask: (lot: Lot) => Promise<Answer>;
  readonly ok: number;
  readonly to: string;
  readonly state: string;
}

/** The operations that write through. */
const WRITES = {
  move: { ask: ({ coilId }) => warehouse.move(coilId, 'WH-A2'), ok: 200, to: 'WH-A2', state: 'InTransit' },
  complete: {
    ask: ({ taskId }) => warehouse.operate(taskId, 'complete', { location: 'RF-01' }),
    ok: 202,
    to: 'RF-01',
    state: 'Complete',
  },
  cancel: {
    ask: ({ coilId, taskId }) => warehouse.operate(taskId, 'cancel', { coilId, location: 'WH-A3' }),
    ok: 202,
    to: 'WH-A3',
    state: 'Ready',
  },
  /** A move to the present location in both records, so that a read proves nothing. */
  cancelInPlace: {
    ask: ({ coilId, taskId }) => warehouse.operate(taskId, 'cancel', { coilId, location: 'WH-A1' }),
    ok: 202,
    to: 'WH-A1',
    state: 'Ready',
  },
} as const satisfies Readonly<Record<string, Write>>;
type WriteName = keyof typeof WRITES;
const NAMES: readonly WriteName[] = ['move', 'complete', 'cancel', 'cancelInPlace'];

let agent: LegacyAgentServer;
let warehouse: WarehouseUnderTest;
let lot: Lot;
let lots = 1;

beforeAll(async () => {
  agent = new LegacyAgentServer(Object.fromEntries(LOTS.map(({ coilId }) => [coilId, 'WH-A1'])));
  await agent.start();
  warehouse = await WarehouseUnderTest.start({
    coilIds: LOTS.map(({ coilId }) => coilId),
    tasks: LOTS.map(({ coilId, taskId }) => ({
      taskId,
      taskState: 'InTransit',
      selectedCoilId: coilId,
      userName: 'ann',
    })),
    agentUrl: agent.url,
    timeoutSeconds: 0.2,
  });
});

afterAll(async () => {
  await warehouse.close();
  await agent.stop();
});

beforeEach(() => {
  agent.behave();
  const next = LOTS[lots++];
  if (next === undefined) throw new Error('more tests than lots');
  lot = next;
});

async function expectBoth(location: string, taskState: string): Promise<void> {
  expect({
    here: await warehouse.locationOf(lot.coilId),
    there: agent.locations.get(lot.coilId),
    taskState: (await warehouse.task(lot.taskId)).taskState,
  }).toEqual({ here: location, there: location, taskState });
}

async function expectDone(name: WriteName): Promise<void> {
  await expectBoth(WRITES[name].to, WRITES[name].state);
}

async function expectUntouched(): Promise<void> {
  await expectBoth('WH-A1', 'InTransit');
}

function noted(write: WriteName): Pick<AuditEntry, 'act' | 'subject'> {
  if (write === 'move') return { act: 'moveCoil', subject: lot.coilId };
  return { act: write === 'complete' ? 'task complete' : 'task cancel', subject: lot.taskId };
}

/** The audit entries of a coil and its task. */
async function actsOn({ coilId, taskId }: Lot): Promise<readonly AuditEntry[]> {
  const { body } = await warehouse.local('GET', '/audit?take=50');
  const { entries } = body as { readonly entries: readonly AuditEntry[] };
  return entries.filter(({ subject }) => subject === coilId || subject === taskId);
}

describe('an agent that misbehaves once, and the line to it', () => {
  const once: readonly Manner[] = [
    'works',
    'slow',
    'doesThenFails',
    'cuts',
    'doesThenCuts',
    'hangs',
    'doesThenHangs',
    'doesLate',
  ];

  it.each(NAMES.flatMap((write) => once.map((manner) => [write, manner] as const)))(
    'TASK-09 TASK-11 COIL-04 D-16 %s, agent %s: settled before it is answered, done in both systems, once',
    async (write, manner) => {
      agent.slowMs = 50;
      agent.next.push(manner);
      const answer = await WRITES[write].ask(lot);
      expect([answer.status, answer.text]).toEqual([WRITES[write].ok, '']);
      await expectDone(write);
      expect(new Set(agent.asked.map(({ operationId }) => operationId)).size).toBe(1);
      // A late write changes nothing any more.
      if (manner === 'doesLate') {
        expect((await warehouse.move(lot.coilId, 'WH-A2')).status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, agent.lateMs));
        expect([await warehouse.locationOf(lot.coilId), agent.locations.get(lot.coilId)]).toEqual(['WH-A2', 'WH-A2']);
      }
    },
  );
});

describe('an agent that says no, or is not there', () => {
  it.each(NAMES)('COIL-04 TASK-14 %s rejected: 400 in the agent’s words, nothing changes', async (write) => {
    agent.manner = 'rejects';
    expect(told(await WRITES[write].ask(lot))).toEqual([
      400,
      { errors: [`coil ${lot.coilId} is locked by the office`] },
    ]);
    await expectUntouched();
    agent.manner = 'works';
    expect((await WRITES[write].ask(lot)).status).toBe(WRITES[write].ok);
    await expectDone(write);
  });

  it.each(NAMES)(
    'UP-04 ERR-01 D-55 %s offline: 503 AgentNotAvailable, nothing changes; when the agent is back all goes on',
    async (write) => {
      await agent.stop();
      expect(told(await WRITES[write].ask(lot))).toEqual([503, NOTHING_CHANGED, 'unchanged']);
      expect(told(await WRITES[write].ask(lot))).toEqual([503, NOTHING_CHANGED, 'unchanged']);
      await expectUntouched();
      await agent.start();
      expect(agent.asked).toEqual([]);
      expect((await WRITES[write].ask(lot)).status).toBe(WRITES[write].ok);
      await expectDone(write);
    },
  );

  it.each(NAMES)('D-51 D-55 %s, a login page in its place: 503, nothing changes then or later', async (write) => {
    agent.manner = 'showsAPage';
    expect(told(await WRITES[write].ask(lot))).toEqual([503, NOTHING_CHANGED, 'unchanged']);
    agent.manner = 'works';
    expect((await warehouse.local('GET', '/lateWrites')).body).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(agent.asked).toHaveLength(1);
    await expectUntouched();
  });

  it.each(NAMES)('D-51 D-55 %s, a login page after a copy whose answer was lost: unknown', async (write) => {
    agent.next.push('cuts');
    agent.manner = 'showsAPage';
    expect(told(await WRITES[write].ask(lot))).toEqual([503, UNCONFIRMED, 'unknown']);
    agent.manner = 'works';
    expect((await warehouse.move(lot.coilId, 'WH-A3')).status).toBe(200);
    await expectBoth('WH-A3', WRITES[write].state);
  });

  it('UP-04 without a legacy agent every write is 503', async () => {
    const tasks = [{ taskId: 'T-1', taskState: 'InTransit', selectedCoilId: 'C-1' }] as const;
    const alone = await WarehouseUnderTest.start({ tasks, agentUrl: null });
    const asked = [
      alone.move('C-1', 'WH-A2'),
      alone.operate('T-1', 'complete', { location: 'RF-01' }),
      alone.operate('T-1', 'cancel', { coilId: 'C-1', location: 'WH-A2' }),
    ];
    for (const answer of await Promise.all(asked)) expect(told(answer)).toEqual([503, NOTHING_CHANGED, 'unchanged']);
    expect((await alone.operate('T-1', 'unattainable', { unattainableCode: 'UR-1' })).status).toBe(202);
    await alone.close();
  });
});

describe('an agent that says that it failed, and did nothing', () => {
  it.each(NAMES.filter((write) => write !== 'cancelInPlace'))(
    'UP-04 D-16 D-55 %s: 503 AgentNotAvailable, nothing changes then or later; a second request goes through',
    async (write) => {
      agent.next.push('fails');
      expect(told(await WRITES[write].ask(lot))).toEqual([503, NOTHING_CHANGED, 'unchanged']);
      expect(agent.looks).toEqual([lot.coilId]);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await expectUntouched();
      expect(agent.asked).toHaveLength(1);
      expect((await WRITES[write].ask(lot)).status).toBe(WRITES[write].ok);
      await expectDone(write);
    },
  );

  it('D-16 cancelInPlace: a read proves nothing, so the agent is asked again', async () => {
    agent.next.push('fails');
    expect((await WRITES.cancelInPlace.ask(lot)).status).toBe(WRITES.cancelInPlace.ok);
    await expectDone('cancelInPlace');
    expect(new Set(agent.asked.map(({ operationId }) => operationId)).size).toBe(1);
  });

  it.each(NAMES)('D-16 %s, and the agent does not say where the coil is: unconfirmed until it does', async (write) => {
    agent.manner = 'fails';
    agent.answersLooks = false;
    expect(told(await WRITES[write].ask(lot))).toEqual([503, UNCONFIRMED, 'unknown']);
    agent.behave();
    expect((await warehouse.move(lot.coilId, 'WH-A3')).status).toBe(200);
    await expectBoth('WH-A3', write === 'cancelInPlace' ? WRITES[write].state : 'InTransit');
  });
});

describe('an agent that stays bad', () => {
  const bad: readonly Manner[] = ['cuts', 'hangs'];

  it.each(NAMES.flatMap((write) => bad.map((manner) => [write, manner] as const)))(
    'D-16 D-55 %s, agent %s: unconfirmed, 503; coil and task take no other write; the next one settles it first',
    async (write, manner) => {
      agent.manner = manner;
      expect(told(await WRITES[write].ask(lot))).toEqual([503, UNCONFIRMED, 'unknown']);
      expect(told(await warehouse.move(lot.coilId, 'WH-A3'))).toEqual([503, UNCONFIRMED, 'unknown']);
      await expectUntouched();
      if (write !== 'move') {
        const other = await warehouse.operate(lot.taskId, 'unattainable', { unattainableCode: 'UR-1' });
        expect(told(other)).toEqual([503, UNCONFIRMED, 'unknown']);
      }
      expect((await warehouse.operate(OTHER.taskId, 'unattainable', { unattainableCode: 'UR-1' })).status).toBe(202);
      agent.manner = 'works';
      expect((await warehouse.move(lot.coilId, 'WH-A3')).status).toBe(200);
      await expectBoth('WH-A3', WRITES[write].state);
    },
  );

  it.each(NAMES)('D-16 %s unconfirmed settles by itself', async (write) => {
    agent.manner = 'cuts';
    expect(told(await WRITES[write].ask(lot))).toEqual([503, UNCONFIRMED, 'unknown']);
    agent.manner = 'works';
    const isDone = () =>
      expectDone(write).then(
        () => true,
        () => false,
      );
    await expect.poll(isDone, { timeout: 20_000 }).toBe(true);
  });

  it.each(NAMES)(
    'D-16 %s done, then the agent dies: unconfirmed until it is back, and asked first for the next write',
    async (write) => {
      agent.manner = 'doesThenHangs';
      agent.answersLooks = false;
      const asked = WRITES[write].ask(lot);
      await expect.poll(() => agent.asked.length).toBe(1);
      await agent.stop();
      expect(told(await asked)).toEqual([503, UNCONFIRMED, 'unknown']);
      agent.manner = 'works';
      agent.answersLooks = true;
      await agent.start();
      expect((await warehouse.move(lot.coilId, 'WH-A2')).status).toBe(200);
      await expectBoth('WH-A2', WRITES[write].state);
    },
  );

  it.each(NAMES)(
    'D-16 D-55 %s unconfirmed is listed and announced until it is settled, then its outcome',
    async (write) => {
      const events = await warehouse.follow('lateWrite');
      agent.manner = 'cuts';
      expect(told(await WRITES[write].ask(lot))).toEqual([503, UNCONFIRMED, 'unknown']);
      const view = { coilId: lot.coilId, location: WRITES[write].to, taskId: write === 'move' ? null : lot.taskId };
      expect((await warehouse.local('GET', '/lateWrites')).body).toMatchObject([{ ...view, outcome: 'unknown' }]);
      agent.manner = 'rejects';
      const heard = () => events.heard.filter(({ coilId }) => coilId === lot.coilId);
      await expect.poll(heard, { timeout: 20_000 }).toMatchObject([
        { ...view, outcome: 'unknown' },
        { ...view, outcome: 'rejected' },
      ]);
      expect((await warehouse.local('GET', '/lateWrites')).body).toEqual([]);
      await expectUntouched();
      await expect.poll(() => actsOn(lot)).toMatchObject([noted(write)]);
      const [entry] = await actsOn(lot);
      expect(JSON.parse(entry?.after ?? '')).toMatchObject({ location: WRITES[write].to, outcome: 'rejected' });
      events.stop();
    },
  );

  it.each(NAMES)('D-16 %s unconfirmed has one audit entry of its person, once it is settled', async (write) => {
    agent.manner = 'cuts';
    expect(told(await WRITES[write].ask(lot))).toEqual([503, UNCONFIRMED, 'unknown']);
    expect(await actsOn(lot)).toEqual([]);
    agent.manner = 'works';
    await expect.poll(() => actsOn(lot), { timeout: 20_000 }).toHaveLength(1);
    await expectDone(write);
    const [entry] = await actsOn(lot);
    const { act, subject } = noted(write);
    expect(entry).toMatchObject({ who: expect.stringMatching(/^forklift-\d$/), act, subject });
    expect(JSON.parse(entry?.before ?? '')).toEqual({ location: 'WH-A1' });
    expect(JSON.parse(entry?.after ?? '')).toMatchObject({ coilId: lot.coilId, location: WRITES[write].to });
  });

  it.each(NAMES)('%s that is settled before its answer has one audit entry, with its request', async (write) => {
    agent.next.push('doesThenCuts');
    expect((await WRITES[write].ask(lot)).status).toBe(WRITES[write].ok);
    expect(await actsOn(lot)).toMatchObject([{ ...noted(write), role: 'business' }]);
  });

  it('D-16 diagnostics name an unconfirmed write by its coil', async () => {
    agent.manner = 'hangs';
    await warehouse.move(lot.coilId, 'WH-A2');
    const { body } = await warehouse.local('GET', '/diagnostics');
    expect(body).toMatchObject({
      legacyAgent: expect.arrayContaining([
        expect.objectContaining({ subject: lot.coilId, detail: expect.stringContaining('unconfirmed') }),
      ]),
    });
  });
});

it('D-55 the published document has the outcome in each 503 of an operation, and in no other answer', async () => {
  const { paths } = (await warehouse.local('GET', '/../../openapi.json')).body as { paths: Paths };
  const told503 = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, { headers }]) =>
        headers?.['Plantgate-Outcome'] === undefined ? [] : [`${method} ${path} ${status}`],
      ),
    ),
  );
  expect(told503.sort()).toEqual([
    'post /api/v1/coils/{coilId}/location 503',
    ...['cancel', 'complete', 'inProcess', 'inTransit', 'ready', 'unattainable'].map(
      (type) => `post /api/v1/warehouseTasks/{taskId}/${type} 503`,
    ),
  ]);
});
