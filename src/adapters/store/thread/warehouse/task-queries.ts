import type { JsonText, TaskFilter, WarehouseTarget } from '../../../../flows/warehouse/warehouse-ports.ts';
import type { ChangeFeed } from '../change-feed.ts';
import { ColumnIndex, type IndexedRow } from './index/column-index.ts';
import type { ColumnKind, Condition } from './index/column-table.ts';
import { jsonTextOf } from './json-text.ts';
import type { NumberedTask, TaskRows } from './task-rows.ts';

const COLUMNS = {
  taskId: 'text',
  machineId: 'text',
  taskType: 'text',
  taskState: 'text',
  sourceLocation: 'text',
  destinationLocation: 'text',
  selectedCoilId: 'text',
  overrideReason: 'text',
  unattainableReason: 'text',
  requiredAt: 'number',
} as const satisfies Record<string, ColumnKind>;

type Column = keyof typeof COLUMNS;

const INCOMPLETE = { column: 'taskState', is: 'notEqual', value: 'Complete' } as const satisfies Condition<Column>;

/** The columns by which a task refers to other records. */
const REFERRING_COLUMNS: Readonly<Record<WarehouseTarget, readonly Column[]>> = {
  machines: ['machineId'],
  locations: ['sourceLocation', 'destinationLocation'],
  coils: ['selectedCoilId'],
  reasonCodes: ['overrideReason', 'unattainableReason'],
};

/** Lists of tasks (TASK-02, TASK-03). */
export class TaskQueries {
  readonly #rows: TaskRows;
  readonly #changeFeed: ChangeFeed;
  readonly #index: ColumnIndex<Column>;

  constructor(rows: TaskRows, changeFeed: ChangeFeed) {
    this.#rows = rows;
    this.#changeFeed = changeFeed;
    this.#index = new ColumnIndex<Column>({
      columns: COLUMNS,
      idColumn: 'taskId',
      rowsAfter: (id, limit) => rows.after(id, limit).map(indexedTask),
      count: () => rows.count(),
      row: (id) => {
        const found = rows.findNumbered(id);
        return found === null ? null : indexedTask(found);
      },
    });
  }

  /** Makes ready for the first question. */
  async prepare(): Promise<void> {
    await this.#index.upToDate();
  }

  noteChange(taskId: string): void {
    this.#index.noteChange(taskId);
    this.#changeFeed.note('task', taskId);
  }

  noteRemoval(taskId: string, slot: number): void {
    this.#index.noteRemoval(taskId, slot);
    this.#changeFeed.note('task', taskId, true);
  }

  noteReplacement(): void {
    this.#index.noteReplacement();
    this.#changeFeed.noteMany('task');
  }

  list(filter: TaskFilter): Promise<JsonText> {
    const { skip, take } = filter;
    const sort = { column: 'requiredAt', descending: false } as const;
    const query = { conditions: conditionsOf(filter), sort, skip, take };
    return this.#index.page(query, ({ slots }) => jsonTextOf(this.#rows.json(slots)));
  }

  /** The ids of tasks that are not complete. */
  incompleteIds(): Promise<readonly string[]> {
    return this.#ids([INCOMPLETE], Number.MAX_SAFE_INTEGER);
  }

  /** The ids that are this one in any case of its letters. */
  idsInAnyCase(taskId: string, limit: number): Promise<readonly string[]> {
    return this.#ids([{ column: 'taskId', is: 'spelled', value: taskId }], limit);
  }

  /** The ids of tasks that refer to a record. */
  async idsReferringTo(target: WarehouseTarget, id: string, limit: number): Promise<readonly string[]> {
    const ids = new Set<string>();
    for (const column of REFERRING_COLUMNS[target]) {
      for (const taskId of await this.#ids(equal(column, id), limit)) ids.add(taskId);
    }
    return [...ids].slice(0, limit);
  }

  #ids(conditions: readonly Condition<Column>[], limit: number): Promise<readonly string[]> {
    return this.#index.page({ conditions, take: limit }, ({ slots }) => this.#rows.ids(slots));
  }
}

function conditionsOf(filter: TaskFilter): Condition<Column>[] {
  const { machineIds, onlyIncomplete, taskState, taskType, destinationLocation, requiredAfter, requiredBefore } =
    filter;
  return [
    { column: 'machineId', is: 'oneOf', values: machineIds },
    ...(onlyIncomplete ? [INCOMPLETE] : []),
    ...equal('taskState', taskState),
    ...equal('taskType', taskType),
    ...equal('destinationLocation', destinationLocation),
    ...(requiredAfter === null ? [] : [{ column: 'requiredAt', is: 'atLeast', value: requiredAfter } as const]),
    ...(requiredBefore === null ? [] : [{ column: 'requiredAt', is: 'atMost', value: requiredBefore } as const]),
  ];
}

function equal(column: Column, value: string | null): Condition<Column>[] {
  return value === null ? [] : [{ column, is: 'equal', value }];
}

function indexedTask({ slot, task }: NumberedTask): IndexedRow<Column> {
  const cells = { ...task, requiredAt: Date.parse(task.requiredDate) };
  return { slot, id: task.taskId, cells, words: [] };
}
