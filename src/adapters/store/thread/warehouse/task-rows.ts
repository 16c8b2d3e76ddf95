import type { Task } from '../../../../domain/plant/plant.ts';
import { type TaskProgress, type TaskView, taskView, type WarehouseTask } from '../../../../domain/warehouse/task.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { task as taskTable } from '../database/schema/warehouse.ts';

interface TaskRow {
  readonly slot: number;
  readonly machineId: string;
  readonly lastOperation: string | null;
  readonly json: string;
}

/** A task with the number of its row, by which the index knows it. */
export interface NumberedTask {
  readonly slot: number;
  readonly task: WarehouseTask;
}

/** The rows of tasks: as domain objects, and as the JSON that clients are sent. */
export class TaskRows {
  readonly #byId;
  readonly #jsonBySlot;
  readonly #idBySlot;
  readonly #after;
  readonly #count;
  readonly #put;
  readonly #remove;

  constructor(connection: Connection) {
    const select = (rest: string) =>
      connection.prepare<unknown[], TaskRow>(
        `SELECT id AS slot, machine_id AS machineId, last_operation AS lastOperation, json FROM task ${rest}`,
      );
    this.#byId = select('WHERE task_id = ?');
    this.#after = select('WHERE task_id > ? ORDER BY task_id LIMIT ?');
    this.#jsonBySlot = connection.prepare<[number], string>('SELECT json FROM task WHERE id = ?').pluck();
    this.#count = connection.prepare<[], number>('SELECT count(*) FROM task').pluck();
    this.#idBySlot = connection.prepare<[number], string>('SELECT task_id FROM task WHERE id = ?').pluck();
    this.#put = insertInto(connection, taskTable, {
      without: ['id'],
      onConflict: `ON CONFLICT (task_id) DO UPDATE SET
        machine_id = excluded.machine_id, last_operation = excluded.last_operation, json = excluded.json`,
    });
    this.#remove = connection.prepare('DELETE FROM task WHERE task_id = ?');
  }

  find(taskId: string): WarehouseTask | null {
    return this.findNumbered(taskId)?.task ?? null;
  }

  findNumbered(taskId: string): NumberedTask | null {
    const row = this.#byId.get(taskId);
    return row === undefined ? null : taskOf(row);
  }

  /** The stored row. */
  stored(taskId: string): TaskRow | undefined {
    return this.#byId.get(taskId);
  }

  /** The JSON array of the tasks with these numbers, in their order, as clients see them. */
  json(slots: readonly number[]): string {
    return `[${slots.flatMap((slot) => this.#jsonBySlot.get(slot) ?? []).join(',')}]`;
  }

  /** In the order of their ids; `''` begins. */
  after(taskId: string, limit: number): readonly NumberedTask[] {
    return this.#after.all(taskId, limit).map(taskOf);
  }

  ids(slots: readonly number[]): readonly string[] {
    return slots.flatMap((slot) => this.#idBySlot.get(slot) ?? []);
  }

  count(): number {
    return this.#count.get() ?? 0;
  }

  /** The last operation of a task stays: a seed does not set it. */
  seed(task: Task): void {
    this.#write({ ...task, lastOperation: this.find(task.taskId)?.lastOperation ?? null });
  }

  /** Changes nothing if there is no such task. */
  progress(taskId: string, progress: TaskProgress): void {
    const task = this.find(taskId);
    if (task !== null) this.#write({ ...task, ...progress });
  }

  remove(taskId: string): void {
    this.#remove.run(taskId);
  }

  #write(task: WarehouseTask): void {
    const { taskId, machineId, lastOperation } = task;
    this.#put({ taskId, machineId, lastOperation, json: JSON.stringify(taskView(task)) });
  }
}

function taskOf({ slot, machineId, lastOperation, json }: TaskRow): NumberedTask {
  const view: TaskView = JSON.parse(json);
  return { slot, task: { ...view, machineId, lastOperation } };
}
