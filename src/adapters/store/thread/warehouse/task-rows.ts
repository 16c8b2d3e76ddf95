import type { Task } from '../../../../domain/plant.ts';
import type { TaskProgress, WarehouseTask } from '../../../../domain/warehouse/task-progress.ts';
import type { Connection } from '../connection.ts';

interface TaskRow extends Omit<WarehouseTask, 'coilType' | 'preferredCoilIds'> {
  readonly slot: number;
  readonly coilType: string;
  readonly preferredCoilIds: string;
}

/** A task with the number of its row, by which the index knows it. */
export interface NumberedTask {
  readonly slot: number;
  readonly task: WarehouseTask;
}

/** In the order of the interface's table, which is that of a task's JSON. */
const COLUMN_OF: { readonly [Field in keyof Task]: string } = {
  taskId: 'task_id',
  machineId: 'machine_id',
  taskType: 'task_type',
  taskState: 'task_state',
  coilType: 'coil_type',
  requiredFt: 'required_ft',
  sourceLocation: 'source_location',
  destinationLocation: 'destination_location',
  requiredDate: 'required_date',
  availableDate: 'available_date',
  startedDate: 'started_date',
  completedDate: 'completed_date',
  selectedCoilId: 'selected_coil_id',
  preferredCoilIds: 'preferred_coil_ids',
  userName: 'user_name',
  overrideReason: 'override_reason',
  unattainableReason: 'unattainable_reason',
};

const FIELDS = Object.keys(COLUMN_OF);
const COLUMNS = Object.values(COLUMN_OF);
const SELECTED = [...Object.entries(COLUMN_OF), ['lastOperation', 'last_operation']]
  .map(([field, column]) => `${column} AS ${field}`)
  .join(', ');

const PROGRESS_COLUMNS: { readonly [Field in keyof TaskProgress]: string } = {
  taskState: 'task_state',
  availableDate: 'available_date',
  startedDate: 'started_date',
  completedDate: 'completed_date',
  selectedCoilId: 'selected_coil_id',
  userName: 'user_name',
  overrideReason: 'override_reason',
  unattainableReason: 'unattainable_reason',
  lastOperation: 'last_operation',
};

/** Which records a task refers to, and by which columns. */
const REFERRING_COLUMNS = {
  machines: ['machine_id'],
  locations: ['source_location', 'destination_location'],
  coils: ['selected_coil_id'],
  reasonCodes: ['override_reason', 'unattainable_reason'],
} as const;

export type TaskReferenceTarget = keyof typeof REFERRING_COLUMNS;

/** The rows of tasks as domain objects. */
export class TaskRows {
  readonly #connection: Connection;
  readonly #byId;
  readonly #bySlot;
  readonly #after;
  readonly #count;
  readonly #put;
  readonly #progress;
  readonly #remove;

  constructor(connection: Connection) {
    this.#connection = connection;
    const select = (rest: string) =>
      connection.prepare<unknown[], TaskRow>(`SELECT id AS slot, ${SELECTED} FROM task ${rest}`);
    this.#byId = select('WHERE task_id = ?');
    this.#bySlot = select('WHERE id = ?');
    this.#after = select('WHERE task_id > ? ORDER BY task_id LIMIT ?');
    this.#count = connection.prepare<[], number>('SELECT count(*) FROM task').pluck();
    this.#put = connection.prepare(
      `INSERT INTO task (${COLUMNS.join(', ')}) VALUES (${FIELDS.map((field) => `:${field}`).join(', ')})
       ON CONFLICT (task_id) DO UPDATE SET ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    );
    const assignments = Object.entries(PROGRESS_COLUMNS).map(([field, column]) => `${column} = :${field}`);
    this.#progress = connection.prepare(`UPDATE task SET ${assignments.join(', ')} WHERE task_id = :taskId`);
    this.#remove = connection.prepare('DELETE FROM task WHERE task_id = ?');
  }

  find(taskId: string): WarehouseTask | null {
    const row = this.#byId.get(taskId);
    return row === undefined ? null : taskOf(row);
  }

  findNumbered(taskId: string): NumberedTask | null {
    const row = this.#byId.get(taskId);
    return row === undefined ? null : numbered(row);
  }

  /** Those with these numbers, in their order. */
  at(slots: readonly number[]): readonly WarehouseTask[] {
    return slots.flatMap((slot) => this.#bySlot.get(slot) ?? []).map(taskOf);
  }

  /** In the order of their ids; `''` begins. */
  after(taskId: string, limit: number): readonly NumberedTask[] {
    return this.#after.all(taskId, limit).map(numbered);
  }

  /** The ids of tasks that refer to a record. */
  idsReferringTo(target: TaskReferenceTarget, id: string, limit: number): readonly string[] {
    const condition = REFERRING_COLUMNS[target].map((column) => `${column} = :id`).join(' OR ');
    return this.#connection
      .prepare<{ id: string; limit: number }, string>(
        `SELECT task_id FROM task WHERE ${condition} ORDER BY task_id LIMIT :limit`,
      )
      .pluck()
      .all({ id, limit });
  }

  count(): number {
    return this.#count.get() ?? 0;
  }

  put(task: Task): void {
    const { coilType, preferredCoilIds } = task;
    const lists = { coilType: JSON.stringify(coilType), preferredCoilIds: JSON.stringify(preferredCoilIds) };
    this.#put.run({ ...task, ...lists });
  }

  progress(taskId: string, progress: TaskProgress): void {
    this.#progress.run({ ...progress, taskId });
  }

  remove(taskId: string): void {
    this.#remove.run(taskId);
  }
}

function taskOf({ slot, ...row }: TaskRow): WarehouseTask {
  return { ...row, coilType: JSON.parse(row.coilType), preferredCoilIds: JSON.parse(row.preferredCoilIds) };
}

function numbered(row: TaskRow): NumberedTask {
  return { slot: row.slot, task: taskOf(row) };
}
