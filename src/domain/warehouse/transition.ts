import { anyOf, type CodedError, type Fault, foundText, invalidInput } from '../error.ts';
import type { Coil, ReasonCode, Task } from '../plant/plant.ts';
import { notLicensed } from './refusals.ts';
import {
  progressOf,
  type TaskOperation,
  type TaskOperationType,
  type TaskProgress,
  type WarehouseTask,
} from './task.ts';

/** The records around a task that its operations depend on. */
export interface TaskSurroundings {
  /** Whether the task's machine has the warehouse licence (TASK-03). */
  readonly isLicensed: boolean;
  /** The owner of the API key. */
  readonly principal: string;
  readonly wallMs: number;
  readonly reasonCodes: readonly ReasonCode[];
  readonly isLocation: (code: string) => boolean;
  /** The coil that `coilIdOf` names; null if it does not exist. */
  readonly coil: Coil | null;
  /** False if the central server judges the source states of an operation (D-14). */
  readonly enforcesSourceStates: boolean;
}

export type TransitionOutcome =
  | { readonly kind: 'refused'; readonly error: CodedError }
  /** The operation is a repetition, or changes nothing. */
  | { readonly kind: 'unchanged' }
  /** `move`: the write that the legacy system has to accept first; null if none is needed. */
  | { readonly kind: 'changed'; readonly progress: TaskProgress; readonly move: CoilMove | null };

export interface CoilMove {
  readonly type: 'complete' | 'cancel';
  readonly coilId: string;
  readonly location: string;
}

/**
 * Applies an operation to a task (interface.md, Warehouse tasks). Refuses with `not-licensed`, or with `invalid-input`
 * that names every wrong field and the wrong source state. An operation that equals the last accepted one, with the
 * same operator, is a repetition: it counts as done, even if the task has changed since. An operation that would leave
 * every field unchanged counts as done, too (D-14).
 */
export function transition(
  task: WarehouseTask,
  operation: TaskOperation,
  surroundings: TaskSurroundings,
): TransitionOutcome {
  if (!surroundings.isLicensed) return { kind: 'refused', error: notLicensed() };
  const operator = operatorOf(task, operation, surroundings.principal);
  const lastOperation = JSON.stringify({ ...operation, userName: operator });
  if (lastOperation === task.lastOperation) return { kind: 'unchanged' };
  const judged = surroundings.enforcesSourceStates ? stateFaults(task, operation) : [];
  const faults = [...bodyFaults(task, operation, surroundings), ...judged];
  if (faults.length > 0) return { kind: 'refused', error: invalidInput(faults) };
  const progress = { ...advanced(task, operation, operator, surroundings.wallMs), lastOperation };
  if (isSame(progress, { ...progressOf(task), lastOperation })) return { kind: 'unchanged' };
  return { kind: 'changed', progress, move: moveOf(operation, surroundings.coil) };
}

/** The id of the coil of an operation; null for an operation without a coil. */
export function coilIdOf(task: WarehouseTask, operation: TaskOperation): string | null {
  if (operation.type === 'complete') return task.selectedCoilId;
  return 'coilId' in operation ? operation.coilId : null;
}

/** The operator (TASK-13); null for operations that release the task. */
function operatorOf(task: WarehouseTask, operation: TaskOperation, principal: string): string | null {
  return 'userName' in operation ? (operation.userName ?? task.userName ?? principal) : null;
}

function stateFaults({ taskState }: WarehouseTask, { type }: TaskOperation): readonly Fault[] {
  const { from } = TASK_TRANSITIONS[type];
  if (from.includes(taskState)) return [];
  return [{ path: 'taskState', found: taskState, expected: `${anyOf(from)} for ${type}` }];
}

function bodyFaults(
  task: WarehouseTask,
  operation: TaskOperation,
  { reasonCodes, isLocation, coil, enforcesSourceStates }: TaskSurroundings,
): readonly Fault[] {
  const reasonFaults = (path: string, id: string, codeSet: ReasonCode['codeSet']) =>
    reasonCodes.some((code) => code.id === id && code.codeSet === codeSet)
      ? []
      : [{ path, found: foundText(id), expected: `the id of a reason code of ${codeSet}` }];
  switch (operation.type) {
    case 'ready':
    case 'inProcess':
      return [];
    case 'inTransit':
      return [
        ...coilFaults('coilId', operation.coilId, coil),
        ...(operation.overrideReason === null
          ? []
          : reasonFaults('overrideReason', operation.overrideReason, 'OverrideReasons')),
      ];
    case 'complete':
      return [
        // If the state is judged here, a wrong state is already a fault, so the coil is not checked then.
        ...(task.taskState === 'InTransit' || !enforcesSourceStates
          ? coilFaults('selectedCoilId', task.selectedCoilId, coil)
          : []),
        ...locationFaults(operation.location, isLocation),
      ];
    case 'unattainable':
      return reasonFaults('unattainableCode', operation.unattainableCode, 'UnattainableReasons');
    case 'cancel':
      return [
        ...coilFaults('coilId', operation.coilId, coil),
        ...otherCoilFaults(operation.coilId, task.selectedCoilId),
        ...locationFaults(operation.location, isLocation),
      ];
  }
}

function coilFaults(path: string, coilId: string | null, coil: Coil | null): readonly Fault[] {
  return coil === null ? [{ path, found: foundText(coilId), expected: 'the id of a coil' }] : [];
}

/** Refuses another coil than the selected one, because the location of the selected coil would stay unknown. */
function otherCoilFaults(coilId: string, selectedCoilId: string | null): readonly Fault[] {
  if (selectedCoilId === null || coilId === selectedCoilId) return [];
  return [
    { path: 'coilId', found: foundText(coilId), expected: `${foundText(selectedCoilId)}, which the task selected` },
  ];
}

function advanced(
  task: WarehouseTask,
  operation: TaskOperation,
  operator: string | null,
  wallMs: number,
): TaskProgress {
  const { to, recordsOperator, records, stamps, clears } = TASK_TRANSITIONS[operation.type];
  const progress: { -readonly [Field in keyof TaskProgress]: TaskProgress[Field] } = progressOf(task);
  if (to !== null) progress.taskState = to;
  for (const field of clears) progress[field] = null;
  if (stamps !== null) progress[stamps] ??= new Date(wallMs).toISOString();
  const given = givenBy(task, operation);
  for (const field of records) progress[field] = given[field];
  if (recordsOperator) progress.userName = operator;
  return progress;
}

function givenBy(
  task: WarehouseTask,
  operation: TaskOperation,
): Pick<TaskProgress, 'selectedCoilId' | 'overrideReason' | 'unattainableReason'> {
  const selectedCoilId = 'coilId' in operation ? operation.coilId : null;
  // A reason belongs to one coil: it stays as long as that coil is selected.
  const earlierReason = selectedCoilId === task.selectedCoilId ? task.overrideReason : null;
  return {
    selectedCoilId,
    overrideReason: ('overrideReason' in operation ? operation.overrideReason : null) ?? earlierReason,
    unattainableReason: 'unattainableCode' in operation ? operation.unattainableCode : null,
  };
}

function moveOf(operation: TaskOperation, coil: Coil | null): CoilMove | null {
  if (!TASK_TRANSITIONS[operation.type].movesCoil || coil === null || !('location' in operation)) return null;
  return { type: operation.type, coilId: coil.coilId, location: operation.location };
}

function isSame(one: TaskProgress, other: TaskProgress): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

type TaskState = Task['taskState'];

/** One row of the task's state machine. */
interface TaskTransition {
  /** The states from which it is accepted (D-14). */
  readonly from: readonly TaskState[];
  /** Null if it leaves the state unchanged. */
  readonly to: TaskState | null;
  /** Whether the operator is kept as the task's userName (TASK-13). */
  readonly recordsOperator: boolean;
  /** Fields that take a value of the operation's body. */
  readonly records: readonly ('selectedCoilId' | 'overrideReason' | 'unattainableReason')[];
  /** The date that becomes now, unless it is set. */
  readonly stamps: 'availableDate' | 'startedDate' | 'completedDate' | null;
  readonly clears: readonly Exclude<keyof TaskProgress, 'taskState' | 'lastOperation'>[];
  /** Whether the legacy system gets the coil's location before anything changes here (UP-04). */
  readonly movesCoil: boolean;
}

/** The fields that are cleared when work on a task ends, so that it can begin anew. */
const IN_PROGRESS = ['startedDate', 'selectedCoilId', 'overrideReason', 'unattainableReason', 'userName'] as const;

/** The state machine of warehouse tasks (interface.md, Warehouse tasks; TASK-06 to TASK-11, D-14, D-15). */
export const TASK_TRANSITIONS: Readonly<Record<TaskOperationType, TaskTransition>> = {
  ready: {
    from: ['Pending', 'Ready', 'InProcess'],
    to: 'Ready',
    recordsOperator: false,
    records: [],
    stamps: 'availableDate',
    clears: IN_PROGRESS,
    movesCoil: false,
  },
  inProcess: {
    from: ['Ready', 'InProcess'],
    to: 'InProcess',
    recordsOperator: true,
    records: [],
    stamps: 'startedDate',
    clears: ['unattainableReason'],
    movesCoil: false,
  },
  inTransit: {
    from: ['InProcess', 'InTransit'],
    to: 'InTransit',
    recordsOperator: true,
    records: ['selectedCoilId', 'overrideReason'],
    stamps: null,
    clears: [],
    movesCoil: false,
  },
  complete: {
    from: ['InTransit'],
    to: 'Complete',
    recordsOperator: true,
    records: [],
    stamps: 'completedDate',
    clears: [],
    movesCoil: true,
  },
  unattainable: {
    from: ['Pending', 'Ready', 'InProcess', 'InTransit'],
    to: null,
    recordsOperator: true,
    records: ['unattainableReason'],
    stamps: null,
    clears: [],
    movesCoil: false,
  },
  cancel: {
    from: ['InProcess', 'InTransit'],
    to: 'Ready',
    recordsOperator: false,
    records: [],
    stamps: 'availableDate',
    clears: IN_PROGRESS,
    movesCoil: true,
  },
};

const DIMENSIONS = [
  'gauge',
  'widthIn',
  'lengthStartFt',
  'lengthRemainingFt',
] as const satisfies readonly (keyof Coil)[];

/**
 * The faults of moving a coil to a location (COIL-04). The coil needs an extended record: its dimensions and lengths
 * have to be known, not only its id and location (D-19). A coil that is there already may be moved there again.
 */
export function coilMoveFaults(coil: Coil, location: string, isLocation: (code: string) => boolean): readonly Fault[] {
  return [...locationFaults(location, isLocation), ...extendedRecordFaults(coil)];
}

function extendedRecordFaults(coil: Coil): readonly Fault[] {
  const unknown = DIMENSIONS.filter((field) => coil[field] === null);
  if (unknown.length === 0) return [];
  const found = `${foundText(coil.coilId)} without ${unknown.join(', ')}`;
  return [{ path: 'coilId', found, expected: 'a coil with an extended record' }];
}

/** The fault of a place that does not exist (TASK-14, COIL-04). */
export function locationFaults(location: string, isLocation: (code: string) => boolean): readonly Fault[] {
  if (isLocation(location)) return [];
  return [{ path: 'location', found: foundText(location), expected: 'the code of an existing location' }];
}
