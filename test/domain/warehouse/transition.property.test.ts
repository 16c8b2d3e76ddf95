import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TASK_STATES } from '../../../src/domain/plant/plant.ts';
import { progressOf, type TaskOperation, type WarehouseTask } from '../../../src/domain/warehouse/task.ts';
import { coilIdOf, TASK_TRANSITIONS, transition } from '../../../src/domain/warehouse/transition.ts';
import { coilOf, surroundingsOf, taskOf } from './warehouse-samples.ts';

const COIL_IDS = ['C-1', 'C-2', 'C-9'];
const coilId = fc.constantFrom(...COIL_IDS);
const location = fc.constantFrom('WH-A1', 'WH-A2', 'RF-01', 'WH-Z9');
const userName = fc.constantFrom(null, 'ann', 'bob');
const operations: fc.Arbitrary<TaskOperation> = fc.oneof(
  fc.record({ type: fc.constant('ready' as const) }),
  fc.record({ type: fc.constant('inProcess' as const), userName }),
  fc.record({
    type: fc.constant('inTransit' as const),
    coilId,
    overrideReason: fc.constantFrom(null, 'OR-1', 'OR-2', 'UR-1'),
    userName,
  }),
  fc.record({ type: fc.constant('complete' as const), location, userName }),
  fc.record({
    type: fc.constant('unattainable' as const),
    unattainableCode: fc.constantFrom('UR-1', 'UR-2', 'OR-1'),
    userName,
  }),
  fc.record({ type: fc.constant('cancel' as const), coilId, location }),
);

/** C-9 does not exist. */
function coilNamed(id: string | null) {
  return id === null || id === 'C-9' ? null : coilOf(id);
}

function around(task: WarehouseTask, operation: TaskOperation, wallMs: number) {
  return surroundingsOf({ coil: coilNamed(coilIdOf(task, operation)), wallMs });
}

/** Checks the rules that hold for a task changed only by operations, in any order. */
function expectSound(task: WarehouseTask): void {
  const isUnderWay = task.taskState === 'InTransit' || task.taskState === 'Complete';
  expect(task.selectedCoilId !== null).toBe(isUnderWay);
  if (!isUnderWay) expect(task.overrideReason).toBe(null);
  expect(task.completedDate !== null).toBe(task.taskState === 'Complete');
  expect(task.startedDate !== null).toBe(isUnderWay || task.taskState === 'InProcess');
  if (isUnderWay || task.taskState === 'InProcess') expect(task.userName).not.toBe(null);
  expect(TASK_STATES).toContain(task.taskState);
}

/** Applies an operation and gives the task after it. */
function operated(task: WarehouseTask, operation: TaskOperation, wallMs: number): WarehouseTask {
  const outcome = transition(task, operation, around(task, operation, wallMs));
  if (outcome.kind !== 'changed') return task;
  const { from, movesCoil } = TASK_TRANSITIONS[operation.type];
  expect(from).toContain(task.taskState);
  expect(outcome.move?.coilId).toBe(movesCoil ? coilIdOf(task, operation) : undefined);
  return { ...task, ...outcome.progress };
}

describe('any sequence of operations', () => {
  it('TASK-06 to TASK-14 D-14 D-15 keeps the task sound, and each accepted operation repeated changes nothing', () => {
    fc.assert(
      fc.property(fc.array(operations, { maxLength: 30 }), (sequence) => {
        let task = taskOf({ taskState: 'Pending' });
        for (const [at, operation] of sequence.entries()) {
          const before = structuredClone(task);
          const isAccepted = transition(task, operation, around(task, operation, at)).kind !== 'refused';
          const after = operated(task, operation, at);
          expect(task).toEqual(before);
          expectSound(after);
          if (isAccepted) expect(transition(after, operation, around(after, operation, at + 1)).kind).toBe('unchanged');
          task = after;
        }
        expect(Object.keys(progressOf(task))).toHaveLength(9);
      }),
      { numRuns: 500 },
    );
  });
});
