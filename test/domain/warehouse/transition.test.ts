import { describe, expect, it } from 'vitest';
import { anyOf } from '../../../src/domain/error.ts';
import { TASK_STATES, type Task } from '../../../src/domain/plant/plant.ts';
import {
  progressOf,
  type TaskOperation,
  type TaskOperationType,
  type TaskProgress,
  type WarehouseTask,
} from '../../../src/domain/warehouse/task.ts';
import {
  coilIdOf,
  TASK_TRANSITIONS,
  type TaskSurroundings,
  transition,
} from '../../../src/domain/warehouse/transition.ts';
import { coilOf, NOW, surroundingsOf, taskOf } from './warehouse-samples.ts';

const OPERATIONS: { readonly [Type in TaskOperationType]: Extract<TaskOperation, { type: Type }> } = {
  ready: { type: 'ready' },
  inProcess: { type: 'inProcess', userName: null },
  inTransit: { type: 'inTransit', coilId: 'C-1', overrideReason: null, userName: null },
  complete: { type: 'complete', location: 'RF-01', userName: null },
  unattainable: { type: 'unattainable', unattainableCode: 'UR-1', userName: null },
  cancel: { type: 'cancel', coilId: 'C-1', location: 'WH-A1' },
};
const TYPES = Object.keys(OPERATIONS) as readonly TaskOperationType[];

/** The table of D-14, written down a second time. */
const ACCEPTED: Readonly<Record<TaskOperationType, readonly Task['taskState'][]>> = {
  ready: ['Pending', 'Ready', 'InProcess'],
  inProcess: ['Ready', 'InProcess'],
  inTransit: ['InProcess', 'InTransit'],
  complete: ['InTransit'],
  unattainable: ['Pending', 'Ready', 'InProcess', 'InTransit'],
  cancel: ['InProcess', 'InTransit'],
};

/** A task in a state, with all fields that may be set in it. */
function busyTask(taskState: Task['taskState'], overrides: Partial<WarehouseTask> = {}): WarehouseTask {
  const isUnderWay = taskState === 'InTransit' || taskState === 'Complete';
  return taskOf({
    taskState,
    startedDate: '2026-02-28T00:00:00.000Z',
    selectedCoilId: isUnderWay ? 'C-1' : null,
    overrideReason: isUnderWay ? 'OR-2' : null,
    userName: 'ann',
    ...overrides,
  });
}

function changed(task: WarehouseTask, operation: TaskOperation, overrides: Partial<TaskSurroundings> = {}) {
  const outcome = transition(task, operation, surroundingsOf(overrides));
  if (outcome.kind !== 'changed') throw new Error(JSON.stringify(outcome));
  return outcome;
}

function progressAfter(
  task: WarehouseTask,
  operation: TaskOperation,
  overrides: Partial<TaskSurroundings> = {},
): Omit<TaskProgress, 'lastOperation'> {
  const { lastOperation, ...progress } = changed(task, operation, overrides).progress;
  return progress;
}

function faultsOf(task: WarehouseTask, operation: TaskOperation, overrides: Partial<TaskSurroundings> = {}) {
  const outcome = transition(task, operation, surroundingsOf(overrides));
  if (outcome.kind !== 'refused') throw new Error(JSON.stringify(outcome));
  expect(outcome.error.code).toBe('invalid-input');
  return outcome.error.faults;
}

describe('source states', () => {
  const pairs = TYPES.flatMap((type) => TASK_STATES.map((state) => [type, state] as const));

  it.each(pairs)('D-14 %s from %s: accepted, or refused naming the state', (type, state) => {
    const outcome = transition(busyTask(state), OPERATIONS[type], surroundingsOf());
    if (ACCEPTED[type].includes(state)) {
      expect(outcome.kind).not.toBe('refused');
      return;
    }
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'invalid-input' } });
    if (outcome.kind === 'refused') {
      expect(outcome.error.message).toBe(`taskState: found ${state}, expected ${anyOf(ACCEPTED[type])} for ${type}`);
    }
  });

  it.each(pairs)('D-14 %s from %s is not judged here if the central server judges it', (type, state) => {
    const task = { ...busyTask(state), selectedCoilId: 'C-1' };
    const outcome = transition(task, OPERATIONS[type], surroundingsOf({ enforcesSourceStates: false }));
    expect(outcome.kind).not.toBe('refused');
  });

  it('D-14 operations that write through need a coil, with or without a central server', () => {
    const task = { ...busyTask('InProcess'), selectedCoilId: null };
    const outcome = transition(task, OPERATIONS.complete, surroundingsOf({ enforcesSourceStates: false, coil: null }));
    expect(outcome).toMatchObject({ kind: 'refused', error: { faults: [{ path: 'selectedCoilId' }] } });
  });

  it.each(TYPES)('D-14 the table has the source states of %s', (type) => {
    expect(TASK_TRANSITIONS[type].from).toEqual(ACCEPTED[type]);
  });
});

describe('fields that an operation records and clears', () => {
  it.each(['ready', 'inProcess', 'cancel'] as const)(
    'TASK-06 TASK-07 TASK-11 D-14 %s begins the work anew: it clears the reason for unattainable',
    (type) => {
      const task = busyTask('InProcess', { unattainableReason: 'UR-1' });
      expect(progressAfter(task, OPERATIONS[type])).toMatchObject({ unattainableReason: null });
    },
  );

  it('TASK-06 ready: Ready, without in-progress fields, userName and the reason for unattainable', () => {
    const task = busyTask('InProcess', { unattainableReason: 'UR-1', overrideReason: 'OR-1' });
    expect(progressAfter(task, OPERATIONS.ready)).toEqual({
      taskState: 'Ready',
      availableDate: NOW,
      startedDate: null,
      completedDate: null,
      selectedCoilId: null,
      userName: null,
      overrideReason: null,
      unattainableReason: null,
    });
  });

  it('TASK-06 ready: a task keeps the first time at which it was available', () => {
    const task = busyTask('InProcess', { availableDate: '2026-02-01T00:00:00Z' });
    expect(progressAfter(task, OPERATIONS.ready).availableDate).toBe('2026-02-01T00:00:00Z');
  });

  it('D-15 ready takes a task out of Pending and says since when it is available', () => {
    expect(progressAfter(taskOf({ taskState: 'Pending' }), OPERATIONS.ready)).toMatchObject({
      taskState: 'Ready',
      availableDate: NOW,
    });
  });

  it('TASK-07 inProcess: InProcess, the operator and the start', () => {
    const before = taskOf({ availableDate: '2026-02-01T00:00:00Z' });
    expect(progressAfter(before, { type: 'inProcess', userName: 'bob' })).toEqual({
      ...withoutLast(before),
      taskState: 'InProcess',
      startedDate: NOW,
      userName: 'bob',
    });
  });

  it('TASK-07 inProcess by another operator takes the task over without restarting it', () => {
    const before = busyTask('InProcess');
    expect(progressAfter(before, { type: 'inProcess', userName: 'bob' })).toEqual({
      ...withoutLast(before),
      userName: 'bob',
    });
  });

  it('TASK-08 inTransit: InTransit, the coil, the reason, the operator', () => {
    const before = busyTask('InProcess');
    expect(progressAfter(before, { ...OPERATIONS.inTransit, overrideReason: 'OR-1' })).toEqual({
      ...withoutLast(before),
      taskState: 'InTransit',
      selectedCoilId: 'C-1',
      overrideReason: 'OR-1',
    });
  });

  it('TASK-08 inTransit enforces no override for a coil outside preferredCoilIds', () => {
    const coil = coilOf('C-9');
    const after = progressAfter(busyTask('InProcess'), { ...OPERATIONS.inTransit, coilId: 'C-9' }, { coil });
    expect(after).toMatchObject({ selectedCoilId: 'C-9', overrideReason: null });
  });

  it('TASK-08 an override reason belongs to one coil: another coil does not get it, the same coil keeps it', () => {
    const before = busyTask('InTransit');
    const other = progressAfter(before, { ...OPERATIONS.inTransit, coilId: 'C-2' }, { coil: coilOf('C-2') });
    expect(other).toMatchObject({ selectedCoilId: 'C-2', overrideReason: null });
    const same = progressAfter(before, { ...OPERATIONS.inTransit, userName: 'bob' });
    expect(same).toMatchObject({ selectedCoilId: 'C-1', overrideReason: 'OR-2', userName: 'bob' });
  });

  it('TASK-09 complete: Complete, when, by whom; the selected coil goes to the location', () => {
    const before = busyTask('InTransit');
    const outcome = changed(before, { ...OPERATIONS.complete, userName: 'bob' });
    expect(outcome.progress).toMatchObject({
      ...withoutLast(before),
      taskState: 'Complete',
      completedDate: NOW,
      userName: 'bob',
    });
    expect(outcome.move).toEqual({ type: 'complete', coilId: 'C-1', location: 'RF-01' });
  });

  it.each(TASK_STATES.filter((state) => state !== 'Complete'))(
    'TASK-10 unattainable in %s: state unchanged, reason and operator recorded',
    (state) => {
      const before = busyTask(state);
      expect(progressAfter(before, { ...OPERATIONS.unattainable, userName: 'bob' })).toEqual({
        ...withoutLast(before),
        unattainableReason: 'UR-1',
        userName: 'bob',
      });
    },
  );

  it.each(['InProcess', 'InTransit'] as const)(
    'TASK-11 cancel in %s: Ready, without coil, override and userName; the coil is moved to its present location',
    (state) => {
      const before = busyTask(state);
      const outcome = changed(before, OPERATIONS.cancel);
      expect(withoutLast({ ...before, ...outcome.progress })).toEqual({
        ...withoutLast(before),
        taskState: 'Ready',
        availableDate: NOW,
        startedDate: null,
        selectedCoilId: null,
        overrideReason: null,
        userName: null,
      });
      expect(outcome.move).toEqual({ type: 'cancel', coilId: 'C-1', location: 'WH-A1' });
    },
  );

  it.each(['ready', 'inProcess', 'inTransit', 'unattainable'] as const)('UP-04 %s moves no coil', (type) => {
    expect(
      changed(taskOf({ taskState: TASK_TRANSITIONS[type].from[0] ?? 'Ready', userName: 'x' }), OPERATIONS[type]).move,
    ).toBe(null);
  });

  function withoutLast(task: WarehouseTask): Omit<TaskProgress, 'lastOperation'> {
    const { lastOperation, ...progress } = progressOf(task);
    return progress;
  }
});

describe('operator', () => {
  const recording = ['inProcess', 'inTransit', 'complete', 'unattainable'] as const;
  const sources = [
    ['body.userName', 'bob', 'ann', 'bob'],
    ['the task’s userName', null, 'ann', 'ann'],
    ['the key’s principal', null, null, 'erp'],
  ] as const;

  it.each(recording.flatMap((type) => sources.map((source) => [type, ...source] as const)))(
    'TASK-13 %s: %s',
    (type, _, userName, taskUser, operator) => {
      const task = busyTask(TASK_TRANSITIONS[type].from[0] ?? 'Ready', {
        userName: taskUser,
        overrideReason: 'OR-1',
      });
      expect(progressAfter(task, { ...OPERATIONS[type], userName }).userName).toBe(operator);
    },
  );

  it('TASK-07 TASK-13 later transitions inherit the operator of inProcess', () => {
    let task = taskOf();
    for (const operation of [
      { type: 'inProcess', userName: 'bob' },
      OPERATIONS.inTransit,
      OPERATIONS.complete,
    ] as const) {
      task = { ...task, ...changed(task, operation, { principal: 'other' }).progress };
      expect(task.userName).toBe('bob');
    }
  });
});

describe('repetition', () => {
  it.each(TYPES)('D-14 %s repeated is accepted and changes nothing, under any key', (type) => {
    const before = busyTask(TASK_TRANSITIONS[type].from.at(-1) ?? 'Ready');
    const operation = { ...OPERATIONS[type], ...('userName' in OPERATIONS[type] && { userName: 'bob' }) };
    const after = { ...before, ...changed(before, operation).progress };
    const later = { wallMs: 0, principal: 'other' };
    expect(transition(after, operation, surroundingsOf(later))).toEqual({ kind: 'unchanged' });
    expect(transition(after, OPERATIONS[type], surroundingsOf(later))).toEqual({ kind: 'unchanged' });
  });

  it('D-14 complete and cancel are repetitions even if the coil lies elsewhere by now, or is gone', () => {
    for (const operation of [OPERATIONS.complete, OPERATIONS.cancel]) {
      const after = { ...taskOf(), ...changed(busyTask('InTransit'), operation).progress };
      expect(transition(after, operation, surroundingsOf({ coil: coilOf('C-1', { location: 'WH-A2' }) })).kind).toBe(
        'unchanged',
      );
      expect(transition(after, operation, surroundingsOf({ coil: null, isLocation: () => false })).kind).toBe(
        'unchanged',
      );
    }
  });

  it.each([
    ['another location', { type: 'complete', location: 'WH-A2', userName: null }],
    ['another operator', { type: 'complete', location: 'RF-01', userName: 'carl' }],
  ] as const)('D-14 complete with %s on a Complete task is refused', (_, operation) => {
    const after = { ...taskOf(), ...changed(busyTask('InTransit'), OPERATIONS.complete).progress };
    expect(faultsOf(after, operation)[0]).toMatchObject({ path: 'taskState', found: 'Complete' });
  });

  it('D-14 a task that was never cancelled does not take a cancel for a repetition, at any place of the coil', () => {
    expect(faultsOf(taskOf(), OPERATIONS.cancel)[0]).toMatchObject({ path: 'taskState', found: 'Ready' });
  });

  it('D-14 an operation that leaves every field as it is changes nothing', () => {
    const before = busyTask('InTransit');
    expect(transition(before, OPERATIONS.inTransit, surroundingsOf())).toEqual({ kind: 'unchanged' });
    expect(transition(busyTask('InProcess'), OPERATIONS.inProcess, surroundingsOf())).toEqual({ kind: 'unchanged' });
  });
});

describe('refusals', () => {
  it.each(TYPES)(
    'TASK-03 %s on an unlicensed machine: NotLicensedForMachineWarehouse, before anything else',
    (type) => {
      const outcome = transition(
        taskOf({ taskState: 'Complete' }),
        OPERATIONS[type],
        surroundingsOf({ isLicensed: false, coil: null }),
      );
      expect(outcome).toMatchObject({
        kind: 'refused',
        error: { code: 'not-licensed', message: 'NotLicensedForMachineWarehouse', faults: [] },
      });
    },
  );

  it('TASK-14 TASK-08 TASK-11 everything that is wrong is named at once', () => {
    const cancel = { type: 'cancel', coilId: 'C-9', location: 'WH-Z9' } as const;
    expect(faultsOf(busyTask('Ready'), cancel, { coil: null })).toMatchObject([
      { path: 'coilId', found: '"C-9"', expected: 'the id of a coil' },
      { path: 'location', found: '"WH-Z9"', expected: 'the code of an existing location' },
      { path: 'taskState', found: 'Ready' },
    ]);
  });
});

it('the transition names the coil of an operation', () => {
  const task = busyTask('InTransit');
  expect(TYPES.map((type) => coilIdOf(task, OPERATIONS[type]))).toEqual([null, null, 'C-1', 'C-1', null, 'C-1']);
});
