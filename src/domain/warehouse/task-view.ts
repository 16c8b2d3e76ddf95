import type { Task } from '../plant/plant.ts';
import type { WarehouseTask } from './task-progress.ts';

/** A task as clients see it (interface.md, Warehouse tasks): whose machine it is for is the gateway's own business. */
export type TaskView = Omit<Task, 'machineId'>;

export function taskView({ machineId, lastOperation, ...view }: WarehouseTask): TaskView {
  return view;
}

/** A task as the plant file writes it. */
export function taskRecord({ lastOperation, ...record }: WarehouseTask): Task {
  return record;
}
