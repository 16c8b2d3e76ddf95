import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, type TaskSeed } from '../../../end-to-end/warehouse-plant.ts';
import { LegacyAgentServer } from '../../../fakes/legacy-agent-server.ts';
import type { Answer } from '../gateway-under-test.ts';
import { WarehouseUnderTest } from './warehouse-under-test.ts';

const BODIES = {
  ready: undefined,
  inProcess: {},
  inTransit: { coilId: 'C-1' },
  complete: { location: 'RF-01' },
  unattainable: { unattainableCode: 'UR-1' },
  cancel: { coilId: 'C-1', location: 'WH-A1' },
} as const;
type Operation = keyof typeof BODIES;
const OPERATIONS = Object.keys(BODIES) as readonly Operation[];

function seed(taskId: string, taskState: TaskSeed['taskState'] = 'Ready', more: object = {}): TaskSeed {
  const isUnderWay = taskState === 'InTransit' || taskState === 'Complete';
  return { taskId, taskState, ...(isUnderWay && { selectedCoilId: 'C-1', userName: 'ann' }), ...more };
}

/** One task for each test, so that no test depends on another. */
const TASKS: readonly TaskSeed[] = [
  seed('flow', 'Pending'),
  seed('released', 'InProcess', { userName: 'ann', startedDate: '2026-02-01T00:00:00Z' }),
  seed('inherited'),
  seed('cancelled', 'InTransit', { selectedCoilId: 'C-2', overrideReason: 'OR-1' }),
  seed('unlicensed', 'InTransit', { machineId: 'RF-02' }),
  seed('bodies', 'InTransit'),
  seed('waiting', 'InTransit', { selectedCoilId: 'C-3' }),
  seed('told'),
  seed('begun without a body'),
  seed('released without a body'),
  seed('a%2Fb ü'),
];

let agent: LegacyAgentServer;
let warehouse: WarehouseUnderTest;

beforeAll(async () => {
  agent = new LegacyAgentServer();
  await agent.start();
  warehouse = await WarehouseUnderTest.start({ tasks: TASKS, agentUrl: agent.url });
});

afterAll(async () => {
  await warehouse.close();
  await agent.stop();
});

function errorsOf({ body }: Answer): readonly string[] {
  expect(body).toEqual({ errors: expect.any(Array) });
  return (body as { errors: string[] }).errors;
}

describe('the course of a task', () => {
  it('D-14 D-15 TASK-06 TASK-07 TASK-08 TASK-09 TASK-12 Pending, Ready, InProcess, InTransit, Complete; each step on disk when it is answered', async () => {
    const steps = [
      ['ready', undefined, { taskState: 'Ready', availableDate: expect.stringMatching(/Z$/), userName: null }],
      [
        'inProcess',
        { userName: 'bob' },
        { taskState: 'InProcess', startedDate: expect.stringMatching(/Z$/), userName: 'bob' },
      ],
      [
        'inTransit',
        { coilId: 'C-4', overrideReason: 'OR-1' },
        { taskState: 'InTransit', selectedCoilId: 'C-4', overrideReason: 'OR-1' },
      ],
      [
        'complete',
        { location: 'RF-01' },
        { taskState: 'Complete', completedDate: expect.stringMatching(/Z$/), userName: 'bob' },
      ],
    ] as const;
    for (const [operation, body, after] of steps) {
      expect((await warehouse.operate('flow', operation, body)).status).toBe(202);
      expect(await warehouse.task('flow')).toMatchObject(after);
      // The same request again, as after a lost answer.
      expect((await warehouse.operate('flow', operation, body)).status).toBe(202);
      expect(await warehouse.task('flow')).toMatchObject(after);
    }
    expect(await warehouse.locationOf('C-4')).toBe('RF-01');
    expect(agent.asked.filter(({ coilId }) => coilId === 'C-4')).toHaveLength(1);
    const late = await warehouse.operate('flow', 'complete', { location: 'WH-A1' });
    expect([late.status, errorsOf(late)]).toEqual([
      400,
      ['taskState: found Complete, expected InTransit for complete'],
    ]);
  });

  it('TASK-06 ready clears in-progress fields and userName', async () => {
    expect((await warehouse.operate('released', 'ready')).status).toBe(202);
    expect(await warehouse.task('released')).toMatchObject({
      taskState: 'Ready',
      startedDate: null,
      selectedCoilId: null,
      userName: null,
    });
  });

  it('TASK-13 the key’s principal is the operator if no other is named, and later operations inherit it', async () => {
    await warehouse.api('POST', '/warehouseTasks/inherited/inProcess', undefined, {
      authorization: `ApiKey ${keyOf(2)}`,
    });
    expect((await warehouse.task('inherited')).userName).toBe('forklift-2');
    await warehouse.api(
      'POST',
      '/warehouseTasks/inherited/inTransit',
      { coilId: 'C-5', userName: null },
      { authorization: `ApiKey ${keyOf(3)}` },
    );
    expect((await warehouse.task('inherited')).userName).toBe('forklift-2');
  });

  it('TASK-11 cancel: the coil stays in its place in both systems; the task is as if it had not begun', async () => {
    const body = { coilId: 'C-2', location: 'WH-A3' };
    expect((await warehouse.operate('cancelled', 'cancel', body)).status).toBe(202);
    expect(await warehouse.task('cancelled')).toMatchObject({
      taskState: 'Ready',
      selectedCoilId: null,
      overrideReason: null,
      userName: null,
    });
    expect([await warehouse.locationOf('C-2'), agent.locations.get('C-2')]).toEqual(['WH-A3', 'WH-A3']);
    expect((await warehouse.operate('cancelled', 'cancel', body)).status).toBe(202);
  });

  it('TASK-12 an id may have a percent sign, a space and letters beyond ASCII', async () => {
    expect((await warehouse.operate('a%2Fb ü', 'inProcess')).status).toBe(202);
    expect((await warehouse.task('a%2Fb ü')).taskState).toBe('InProcess');
  });
});

describe('refusals', () => {
  it.each(OPERATIONS)('TASK-03 ERR-01 %s of a task on an unlicensed machine: 403', async (operation) => {
    const answer = await warehouse.operate('unlicensed', operation, BODIES[operation]);
    expect([answer.status, answer.body]).toEqual([403, { errors: ['NotLicensedForMachineWarehouse'] }]);
  });

  it.each(OPERATIONS)('TASK-04 ERR-01 %s of an unknown task: 404', async (operation) => {
    const answer = await warehouse.operate('T-none', operation, BODIES[operation]);
    expect([answer.status, answer.body]).toEqual([404, { errors: ['No warehouse task with id T-none'] }]);
  });

  const LONG = 'x'.repeat(257);
  it.each<readonly [Operation, unknown, string | RegExp]>([
    ['ready', { userName: 'ann' }, 'userName: unknown field'],
    ['ready', [], 'body: found an array, expected an object'],
    ['inProcess', { username: 'ann' }, 'username: unknown field; did you mean userName?'],
    ['inProcess', { userName: 7 }, 'userName: found 7, expected text or null'],
    ['inProcess', { userName: '' }, /^userName: found "", expected .*1/],
    ['inProcess', { userName: LONG }, /^userName: found "x{60}…", expected .*256/],
    ['inProcess', '{"userName":"a","userName":"b"}', 'body: found "userName" twice, expected each key once'],
    ['inProcess', '{"userName":', /^body: invalid JSON/],
    ['inTransit', undefined, 'body: found nothing, expected a JSON object'],
    ['inTransit', {}, 'coilId: found nothing, expected a value'],
    ['inTransit', { coilId: null }, 'coilId: found null, expected text'],
    ['inTransit', { coilId: ['C-1'] }, 'coilId: found an array, expected text'],
    ['inTransit', { coilId: 'C-99' }, 'coilId: found "C-99", expected the id of a coil'],
    [
      'inTransit',
      { coilId: 'C-1', overrideReason: 'UR-1' },
      'overrideReason: found "UR-1", expected the id of a reason code of OverrideReasons',
    ],
    ['inTransit', { coilId: 'C-1', location: 'WH-A1' }, 'location: unknown field'],
    ['inTransit', '{"coilId":"C-1","__proto__":{"userName":"ann"}}', '__proto__: unknown field'],
    ['complete', {}, 'location: found nothing, expected a value'],
    ['complete', { location: 'WH-Z9' }, 'location: found "WH-Z9", expected the code of an existing location'],
    ['complete', { location: 'Locations/WH-A1' }, /^location: found "Locations\/WH-A1", expected the code/],
    ['complete', { location: {} }, 'location: found an object, expected text'],
    ['unattainable', {}, 'unattainableCode: found nothing, expected a value'],
    [
      'unattainable',
      { unattainableCode: 'OR-1' },
      'unattainableCode: found "OR-1", expected the id of a reason code of UnattainableReasons',
    ],
    ['cancel', { coilId: 'C-1' }, 'location: found nothing, expected a value'],
    ['cancel', { location: 'WH-A1' }, 'coilId: found nothing, expected a value'],
    ['cancel', { coilId: 'C-1', location: 'WH-A1', userName: 'ann' }, 'userName: unknown field'],
    ['cancel', { coilId: 'C-2', location: 'WH-A1' }, 'coilId: found "C-2", expected "C-1", which the task selected'],
    ['cancel', { coilId: 'C-99', location: 'WH-A1' }, 'coilId: found "C-99", expected the id of a coil'],
  ])('TASK-08 TASK-10 TASK-11 TASK-14 ERR-01 %s with %j', async (operation, body, error) => {
    const before = await warehouse.task('bodies');
    const answer = await warehouse.operate('bodies', operation, body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(416);
    const errors = errorsOf(answer);
    if (typeof error === 'string') expect(errors[0]).toBe(error);
    else expect(errors[0]).toMatch(error);
    expect(await warehouse.task('bodies')).toEqual(before);
  });

  it('TASK-07 an empty object, an explicit null and no body mean the same', async () => {
    for (const body of [{}, { userName: null }, undefined, '']) {
      expect((await warehouse.operate('bodies', 'unattainable', { unattainableCode: 'UR-1' })).status).toBe(202);
      expect((await warehouse.operate('begun without a body', 'inProcess', body)).status).toBe(202);
      expect((await warehouse.operate('released without a body', 'ready', body === '' ? undefined : {})).status).toBe(
        202,
      );
    }
  });

  it('AUTH-01 without a key: 401, and nothing changes', async () => {
    for (const headers of [{ authorization: '' }, { authorization: 'ApiKey wrong' }]) {
      const answer = await warehouse.api('POST', '/warehouseTasks/bodies/ready', undefined, headers);
      expect(answer.status).toBe(401);
    }
  });

  it('operations of one task wait for one another, up to a limit', async () => {
    agent.slowMs = 150;
    agent.next.push('slow');
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => warehouse.operate('waiting', 'complete', { location: 'RF-01' })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(new Set(statuses)).toEqual(new Set([202, 429]));
    expect(agent.asked.filter(({ coilId }) => coilId === 'C-3')).toHaveLength(1);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused?.body).toEqual({
      errors: ['Too many operations on task "waiting" at once, at most 10 are allowed: try again in a few seconds'],
    });
  });
});

it('an operation announces the changed task and coil', async () => {
  const watching = new AbortController();
  const events = await fetch(warehouse.eventsUrl, {
    headers: { authorization: `ApiKey ${warehouse.localKey}` },
    signal: watching.signal,
  });
  await warehouse.operate('told', 'inProcess', { userName: 'bob' });
  await warehouse.move('C-6', 'WH-A2');
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of events.body ?? []) {
    text += decoder.decode(chunk);
    if (text.includes('event: task') && text.includes('event: coil')) break;
  }
  watching.abort();
  expect(text).toMatch(/event: task\ndata: \{[^\n]*"taskId":"told"[^\n]*"taskState":"InProcess"[^\n]*"userName":"bob"/);
  expect(text).not.toContain('lastOperation');
  expect(text).toMatch(/event: coil\ndata: \{[^\n]*"coilId":"C-6"[^\n]*"location":"WH-A2"/);
});
