import { type CoilType, TASK_STATES, TASK_TYPES } from '../plant/plant.ts';
import type { TaskView, WarehouseTask } from '../warehouse/task.ts';
import type { FieldReader } from './field-reader.ts';
import { type Mirrored, mirrored } from './mirrored.ts';

/** Fields that the interface names but does not show in a task. */
const UNSHOWN = ['userName', 'overrideReason', 'unattainableReason'] as const;

/** A task as the central server gave it; `unshown` has the fields that it left out. */
export interface TaskNews {
  readonly view: TaskView;
  readonly unshown: readonly (typeof UNSHOWN)[number][];
}

/** A task of the central server (interface.md, Warehouse tasks). */
export function mirroredTask(value: unknown): Mirrored<TaskNews> {
  return mirrored(value, 'taskId', (task) => ({
    view: {
      taskId: task.id('taskId'),
      taskType: task.oneOf('taskType', TASK_TYPES),
      taskState: task.oneOf('taskState', TASK_STATES),
      coilType: coilTypeOf(task),
      requiredFt: task.number('requiredFt'),
      sourceLocation: task.id('sourceLocation'),
      destinationLocation: task.id('destinationLocation'),
      requiredDate: task.time('requiredDate'),
      availableDate: task.timeOrNull('availableDate'),
      startedDate: task.timeOrNull('startedDate'),
      completedDate: task.timeOrNull('completedDate'),
      selectedCoilId: task.idOrNull('selectedCoilId'),
      preferredCoilIds: task.ids('preferredCoilIds'),
      userName: task.textOrNull('userName'),
      overrideReason: task.idOrNull('overrideReason'),
      unattainableReason: task.idOrNull('unattainableReason'),
    },
    unshown: UNSHOWN.filter((name) => !task.has(name)),
  }));
}

function coilTypeOf(task: FieldReader): CoilType {
  const type = task.object('coilType');
  const coilType = {
    coilTypeCode: type.text('coilTypeCode'),
    materialType: type.text('materialType'),
    color: type.text('color'),
    gauge: type.integer('gauge'),
    widthIn: type.number('widthIn'),
    lbsPerFt: type.number('lbsPerFt'),
  };
  task.include('coilType', type);
  return coilType;
}

/** The location of a task's machine, because the interface names no machine in a task. */
export function machineSideOf({ taskType, sourceLocation, destinationLocation }: TaskView): string {
  return taskType === 'WarehouseToMachine' ? destinationLocation : sourceLocation;
}

/**
 * Our task with the fields that the central server gave. Fields that it left out stay, except those that a release
 * clears.
 */
export function updatedTask(
  { view, unshown }: TaskNews,
  machineId: string,
  existing: WarehouseTask | null,
): WarehouseTask {
  const isReleased = existing?.taskState !== view.taskState && ['Pending', 'Ready'].includes(view.taskState);
  const kept = Object.fromEntries(
    unshown.map((name) => [name, isReleased && name !== 'unattainableReason' ? null : (existing?.[name] ?? null)]),
  );
  const task = { ...view, ...kept, machineId, lastOperation: null };
  // The last operation stays only if the task still shows its effect. Then a repetition counts as done (D-14).
  return existing !== null && isAlike(existing, task) ? { ...task, lastOperation: existing.lastOperation } : task;
}

const STANDING = ['taskState', 'selectedCoilId', 'userName', 'overrideReason', 'unattainableReason'] as const;

function isAlike(one: WarehouseTask, other: WarehouseTask): boolean {
  return STANDING.every((name) => one[name] === other[name]);
}
