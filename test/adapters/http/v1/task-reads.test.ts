import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COIL_TYPE, taskEntryOf } from '../../store/thread/warehouse/warehouse-under-test.ts';
import { type GatewayUnderTest, keyOf, LOCAL_KEY, machineOf, startGateway } from '../gateway-under-test.ts';

const LICENSED = { claims: ['other', 'service.machine.warehouse'] };
const STATES = ['Pending', 'Ready', 'InProcess', 'InTransit', 'Complete'] as const;
const ODD_IDS = ['50 %', 'ä ö', '\u{1f9f5}', 'a?b#c', 'reason codes', "it's"];

/**
 * Ten tasks an hour apart, in all states, for two machines in turn; two tasks of a machine without the licence; odd
 * ids.
 */
const TASKS = [
  ...Array.from({ length: 10 }, (_, place) =>
    taskEntryOf({
      taskId: `T-${place}`,
      machineId: `RF-0${1 + (place % 2)}`,
      taskType: place % 3 === 0 ? 'MachineToWarehouse' : 'WarehouseToMachine',
      taskState: STATES[place % STATES.length] ?? 'Ready',
      destinationLocation: place % 2 === 0 ? 'RF-01' : 'WH-A1',
      requiredDate: `2026-03-04T${String(10 + place)}:00:00Z`,
    }),
  ),
  ...['X-1', 'X-2'].map((taskId) => taskEntryOf({ taskId, machineId: 'RF-03' })),
  ...ODD_IDS.map((taskId) =>
    taskEntryOf({ taskId, destinationLocation: 'wh-a1', requiredDate: '2027-01-01T00:00:00Z' }),
  ),
];

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({
    machines: [
      { ...machineOf('RF-01'), ...LICENSED },
      { ...machineOf('RF-02'), ...LICENSED },
      { ...machineOf('RF-03'), claims: ['service.machine'] },
    ],
    plantFile: {
      locations: ['WH-A1', 'wh-a1', 'RF-01'].map((code) => ({ code, name: code, category: 'Warehouse' })),
      coils: [{ coilId: 'C-1', location: 'WH-A1' }],
      tasks: TASKS,
    },
  });
});
afterAll(() => gateway.close());

let asked = 0;
/** The keys take turns, because the requests of each key are limited. */
function read(path: string) {
  asked += 1;
  const keys = [keyOf('business'), keyOf('technician'), keyOf('supervisor'), keyOf('admin'), LOCAL_KEY];
  return gateway.as(keys[asked % keys.length] ?? LOCAL_KEY, 'GET', `/api/v1/warehouseTasks${path}`);
}

async function ids(query: string): Promise<readonly string[]> {
  const { status, body } = await read(`?${query}`);
  expect(status).toBe(200);
  return (body as readonly { readonly taskId: string }[])
    .map(({ taskId }) => taskId)
    .filter((id) => id.startsWith('T'));
}

const T = (...places: readonly number[]) => places.map((place) => `T-${place}`);

describe('the list of tasks', () => {
  it('TASK-01 TASK-03 holds tasks of licensed machines alone, with the interface’s fields', async () => {
    const { status, headers, body } = await read('');
    const tasks = body as readonly Record<string, unknown>[];
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json; charset=utf-8' });
    expect(tasks.map(({ taskId }) => taskId)).toEqual([...T(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), ...[...ODD_IDS].sort()]);
    expect(tasks[1]).toEqual({
      taskId: 'T-1',
      taskType: 'WarehouseToMachine',
      taskState: 'Ready',
      coilType: COIL_TYPE,
      requiredFt: 1_200.5,
      sourceLocation: 'WH-A1',
      destinationLocation: 'WH-A1',
      requiredDate: '2026-03-04T11:00:00Z',
      availableDate: null,
      startedDate: null,
      completedDate: null,
      selectedCoilId: null,
      preferredCoilIds: [],
      userName: null,
      overrideReason: null,
      unattainableReason: null,
    });
  });

  it.each([
    ['', T(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)],
    ['onlyIncomplete=true', T(0, 1, 2, 3, 5, 6, 7, 8)],
    ['onlyIncomplete=false&taskState=Complete', T(4, 9)],
    ['onlyIncomplete=true&taskState=Complete', T()],
    ['taskState=Ready', T(1, 6)],
    ['taskState=READY', T(1, 6)],
    ['taskType=warehousetomachine&taskState=ready&destinationLocation=WH-A1&take=1000', T(1)],
    ['taskType=MachineToWarehouse', T(0, 3, 6, 9)],
    ['destinationLocation=RF-01', T(0, 2, 4, 6, 8)],
    ['destinationLocation=rf-01', T()],
    ['onlyIncomplete=True&destinationLocation=RF-01', T(0, 2, 6, 8)],
    ['onlyIncomplete=FALSE&taskState=Complete', T(4, 9)],
    ['requiredAfter=2026-03-04T17:00:00Z', T(7, 8, 9)],
    ['requiredAfter=2026-03-04T17:00:00.001Z', T(8, 9)],
    ['requiredBefore=2026-03-04T12:00:00Z', T(0, 1, 2)],
    ['requiredBefore=2026-03-04T11:59:59.999Z', T(0, 1)],
    ['requiredAfter=2026-03-04T13:00:00%2B01:00&requiredBefore=2026-03-04T08:00-06:00', T(2, 3, 4)],
    ['requiredAfter=2026-03-04T13:00:00+01:00&requiredBefore=2026-03-04T08:00-06:00', T(2, 3, 4)],
    ['requiredAfter=0001-01-01T00:00:00Z&requiredBefore=9999-12-31T23:59:59Z', T(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)],
    ['requiredAfter=2026-03-05T00:00:00Z&requiredBefore=2026-03-04T00:00:00Z', T()],
    ['skip=8&take=100', T(8, 9)],
    ['skip=3&take=2', T(3, 4)],
    ['skip=999999999', T()],
    ['take=1', T(0)],
    ['taskType=WarehouseToMachine&taskState=Ready&destinationLocation=WH-A1&take=1000', T(1)],
  ])('TASK-02 ?%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it.each([
    ['onlyIncomplete=1', 'onlyIncomplete: found "1", expected true or false'],
    ['onlyIncomplete=yes', 'onlyIncomplete: found "yes", expected true or false'],
    ['taskState=redy', 'taskState: found "redy", expected Pending, Ready, InProcess, InTransit or Complete'],
    ['taskType=Any', 'taskType: found "Any", expected WarehouseToMachine or MachineToWarehouse'],
    ['take=0', 'take: found 0, expected at least 1'],
    ['take=1001', 'take: found 1001, expected at most 1000'],
    ['take=ten', 'take: found "ten", expected a whole number'],
    ['take=1e2', 'take: found "1e2", expected a whole number'],
    ['take=0x10', 'take: found "0x10", expected a whole number'],
    ['take=%2010', 'take: found " 10", expected a whole number'],
    ['take=1.5', 'take: found "1.5", expected a whole number'],
    ['skip=-1', 'skip: found -1, expected at least 0'],
    ['skip=99999999999999999999', 'skip: found "99999999999999999999", expected a whole number'],
    ['skip=1&skip=2', 'skip: found an array, expected a whole number'],
    ['taskState=Ready&taskState=Pending', 'taskState: found an array, expected text'],
    ['requiredAfter=2026-03-04T10:00:00', 'requiredAfter: found "2026-03-04T10:00:00", expected a time as'],
    ['requiredBefore=2026-03-04', 'requiredBefore: found "2026-03-04", expected a time as'],
    ['requiredAfter=2026-02-30T00:00:00Z', 'requiredAfter: found "2026-02-30T00:00:00Z", expected a time as'],
    ['requiredAfter=0000-01-01T00:00:00Z', 'requiredAfter: found "0000-01-01T00:00:00Z", expected a time as'],
    ['requiredAfter=2026-03-04T25:00:00Z', 'requiredAfter: found "2026-03-04T25:00:00Z", expected a time as'],
    ['nothing=', 'nothing: unknown field'],
    ['take=&take=', 'take: found an array, expected a whole number'],
    ['destinationlocation=RF-01', 'destinationlocation: unknown field; did you mean destinationLocation?'],
    ['machineId=RF-01', 'machineId: unknown field'],
    ['__proto__=1', '__proto__: unknown field'],
  ])('TASK-02 TASK-14 ERR-01 ?%s is refused with 400 and the reason', async (query, message) => {
    const { status, body } = await read(`?${query}`);
    const { errors } = body as { readonly errors: readonly string[] };
    expect({ status, keys: Object.keys(body as object) }).toEqual({ status: 400, keys: ['errors'] });
    expect(
      errors.some((error) => error.startsWith(message)),
      String(errors),
    ).toBe(true);
  });

  it('TASK-02 D-44 finds a destination as it is spelled, beside one that differs in case alone', async () => {
    const found = async (location: string) =>
      ((await read(`?destinationLocation=${location}`)).body as { taskId: string }[]).map(({ taskId }) => taskId);
    expect(await found('WH-A1')).toEqual(T(1, 3, 5, 7, 9));
    expect(await found('wh-a1')).toEqual([...ODD_IDS].sort());
  });

  it.each([
    'onlyIncomplete',
    'taskState',
    'taskType',
    'destinationLocation',
    'requiredAfter',
    'requiredBefore',
    'skip',
    'take',
  ])('TASK-02 D-52 counts %s without a value as left out', async (name) => {
    expect(await read(`?${name}=`)).toMatchObject({ status: 200, body: (await read('')).body });
  });

  it('TASK-02 names every fault at once', async () => {
    const { body } = await read('?take=0&skip=-1&taskState=x');
    expect((body as { readonly errors: readonly string[] }).errors).toHaveLength(3);
  });

  it('TASK-03 follows the licences as they change', async () => {
    const grant = (claims: readonly string[]) =>
      gateway.as(LOCAL_KEY, 'PUT', '/api/local/plant/machines/RF-03', { ...machineOf('RF-03'), claims });
    await grant(LICENSED.claims);
    expect((await read('/X-1')).status).toBe(200);
    expect((await read('')).text).toContain('"X-1"');
    await grant([]);
    expect((await read('')).text).not.toContain('"X-1"');
  });
});

describe('a task by its id', () => {
  it.each([...T(0, 9), ...ODD_IDS])('TASK-01 is read: %s', async (taskId) => {
    const { status, body } = await read(`/${encodeURIComponent(taskId)}`);
    expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ taskId }) });
    expect(Object.keys(body as object)).not.toContain('machineId');
  });

  it('TASK-03 is 403 if the machine has no licence', async () => {
    const { status, body } = await read('/X-2');
    expect({ status, body }).toEqual({ status: 403, body: { errors: ['NotLicensedForMachineWarehouse'] } });
  });

  it.each(['T-99', 't-1', 'MaterialTasks%2FT-1', 'T-1%20', 'Reasoncodes', '__proto__'])(
    'TASK-04 is 404 for %s',
    async (id) => {
      const { status, body } = await read(`/${id}`);
      expect(status).toBe(404);
      expect((body as { readonly errors: readonly string[] }).errors[0]).toMatch(/^No warehouse task with id /);
    },
  );

  it.each(['/T-1?take=1', '/reasonCodes?x=1', '/locations?category=Rack'])(
    'TASK-14 is refused for %s',
    async (path) => {
      expect((await read(path)).status).toBe(400);
    },
  );

  it('AUTH-01 shows nothing to clients without a key', async () => {
    for (const path of ['', '/T-1', '/T-99', '/X-1', '/reasonCodes', '/locations']) {
      expect((await gateway.call('GET', `/api/v1/warehouseTasks${path}`)).status).toBe(401);
    }
  });
});
