import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isIn } from '../../../src/domain/sync/expected.ts';
import { readingOf } from '../../../src/domain/sync/settle-operation.ts';
import type { TaskOperation } from '../../../src/domain/warehouse/task.ts';

const name = fc.constantFrom('Pat', 'Kim');
const reason = fc.constantFrom('OR-1', 'OR-2');
const coilId = fc.constantFrom('C-1', 'C-2');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const task = fc.record(
  {
    taskState: fc.constantFrom('Ready', 'InProcess', 'InTransit'),
    selectedCoilId: maybe(coilId),
    userName: maybe(name),
    overrideReason: maybe(reason),
  },
  { requiredKeys: ['taskState', 'selectedCoilId'] },
);
type Shown = Partial<Readonly<Record<'taskState' | 'selectedCoilId' | 'userName' | 'overrideReason', string | null>>>;

function isShown(operation: TaskOperation, record: Shown, operatorBefore: string | null = null): boolean | null {
  const reading = readingOf({ type: 'taskOperation', taskId: 'T-1', operation, operatorBefore }, null);
  if (reading.of !== 'path' || reading.expected.of === 'order') throw new Error(`a reading of ${reading.of}`);
  return isIn(JSON.stringify(record), reading.expected);
}

it('D-30 UP-02 inTransit is done if the task shows its coil, and its reason and operator where it shows such', () => {
  const inTransit = fc.record({
    type: fc.constant('inTransit' as const),
    coilId,
    overrideReason: maybe(reason),
    userName: maybe(name),
  });
  fc.assert(
    fc.property(inTransit, task, (operation, record: Shown) => {
      const { overrideReason = operation.overrideReason, userName = operation.userName } = record;
      const expected =
        record.taskState === 'InTransit' &&
        record.selectedCoilId === operation.coilId &&
        [overrideReason, null].includes(operation.overrideReason) &&
        [userName, null].includes(operation.userName);
      expect(isShown(operation, record)).toBe(expected);
    }),
  );
});

/** Whether another person than the operator before works on the task. */
function isTaken({ taskState, userName = null }: Shown, operatorBefore: string | null): boolean {
  return taskState !== 'Ready' && userName !== null && userName !== operatorBefore;
}

it('D-30 UP-02 ready is done if the task is Ready and shows no operator; not known if another person works on it', () => {
  fc.assert(
    fc.property(task, maybe(name), (record: Shown, operatorBefore) => {
      const isDone = record.taskState === 'Ready' && (record.userName ?? null) === null;
      expect(isShown({ type: 'ready' }, record, operatorBefore)).toBe(isTaken(record, operatorBefore) ? null : isDone);
    }),
  );
});

it('D-30 UP-02 cancel is done if the task is Ready without a coil; not known if another person works on it', () => {
  fc.assert(
    fc.property(task, maybe(name), (record: Shown, operatorBefore) => {
      const isDone = record.taskState === 'Ready' && record.selectedCoilId === null;
      const operation = { type: 'cancel', coilId: 'C-1', location: 'WH-A2' } as const;
      expect(isShown(operation, record, operatorBefore)).toBe(isTaken(record, operatorBefore) ? null : isDone);
    }),
  );
});
