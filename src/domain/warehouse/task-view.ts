import type { Task } from '../plant/plant.ts';
import type { WarehouseTask } from './task-progress.ts';

/** A task as clients see it (interface.md, Warehouse tasks), without its machine, which is internal to the gateway. */
export type TaskView = Omit<Task, 'machineId'>;

export function taskView({ machineId, lastOperation, ...view }: WarehouseTask): TaskView {
  return view;
}

/** A task as the plant file writes it. */
export function taskRecord({ lastOperation, ...record }: WarehouseTask): Task {
  return record;
}
