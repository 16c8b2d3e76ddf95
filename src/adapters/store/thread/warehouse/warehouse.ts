import type { Coil } from '../../../../domain/plant/plant.ts';
import type {
  JsonText,
  LegacyWrite,
  Seed,
  TaskFilter,
  WarehouseTarget,
} from '../../../../flows/warehouse/warehouse-ports.ts';
import type { WireRecord } from '../../protocol.ts';
import { ChangeFeed } from '../change-feed.ts';
import type { Connection } from '../database/connection.ts';
import { readableJson } from '../database/damaged-records.ts';
import { insertInto } from '../database/insert-into.ts';
import { legacyWrite } from '../database/schema/warehouse.ts';
import { LocalChanges } from '../mirror/local-changes.ts';
import { coilJson } from './coil-json.ts';
import { CoilQueries } from './coil-queries.ts';
import { CoilRows } from './coil-rows.ts';
import { ColumnIndex, type IndexedRow } from './index/column-index.ts';
import type { ColumnKind, Condition } from './index/column-table.ts';
import { jsonTextOf } from './json-text.ts';
import { seededCoil } from './seeding.ts';
import { type NumberedTask, TaskRows } from './task-rows.ts';

/** The warehouse in the store, put together: rows on disk, and their indexes. */
export interface Warehouse {
  readonly coils: CoilRows;
  readonly tasks: TaskRows;
  readonly coilQueries: CoilQueries;
  readonly taskQueries: TaskQueries;
  readonly changeFeed: ChangeFeed;
  readonly legacyWrites: LegacyWriteRows;
  readonly preparedSeeds: PreparedSeeds;
  /** Records that the mirror does not touch. */
  readonly localChanges: LocalChanges;
}

/** `isForwarding` false: there is no central server to mirror. */
export function openWarehouseTables(connection: Connection, isForwarding: boolean): Warehouse {
  const changeFeed = new ChangeFeed(connection);
  const coils = new CoilRows(connection);
  const tasks = new TaskRows(connection);
  return {
    coils,
    tasks,
    coilQueries: new CoilQueries(coils, changeFeed),
    taskQueries: new TaskQueries(tasks, changeFeed),
    changeFeed,
    legacyWrites: new LegacyWriteRows(connection),
    preparedSeeds: new PreparedSeeds(coils),
    localChanges: new LocalChanges(connection, isForwarding),
  };
}

/** Writes to the legacy system that have begun and are not settled (D-16). */
export class LegacyWriteRows {
  readonly #open;
  readonly #begin;
  readonly #settle;

  constructor(connection: Connection) {
    this.#open = connection
      .prepare<[], string>('SELECT json FROM legacy_write ORDER BY started_at, operation_id')
      .pluck();
    this.#begin = insertInto(connection, legacyWrite, { or: 'REPLACE' });
    this.#settle = connection.prepare('DELETE FROM legacy_write WHERE operation_id = ?');
  }

  /** Oldest first. A damaged one is left out and stays stored; `restoreState` reports it. */
  open(): readonly LegacyWrite[] {
    return this.#open
      .all()
      .map(readableJson)
      .filter((write): write is LegacyWrite => typeof write === 'object' && write !== null);
  }

  begin(write: LegacyWrite): void {
    this.#begin({ operationId: write.operationId, startedAt: write.startedAt, json: JSON.stringify(write) });
  }

  settle(operationId: string): void {
    this.#settle.run(operationId);
  }
}

/** A row after a seed. `of` is the row that was stored at the preparation, or null if there was none. */
interface Prepared {
  readonly of: string | null;
  readonly json: string;
}

/**
 * The changes that seeds of coils would make. A plant file may bring tens of thousands, in parts, written in one
 * transaction: most of the work is done when the parts arrive, so that the transaction delays later ones less.
 */
export class PreparedSeeds {
  readonly #coils: CoilRows;
  readonly #prepared = new WeakMap<Seed<'coils'>, Prepared>();

  constructor(coils: CoilRows) {
    this.#coils = coils;
  }

  /** Throws the errors of the database. */
  prepare(records: readonly WireRecord[]): void {
    for (const record of records) {
      if (record.kind !== 'warehouseSeed' || record.seed.of !== 'coils') continue;
      const { seed } = record;
      const of = this.#coils.stored(seed.entry.coilId)?.json ?? null;
      this.#prepared.set(seed, { of, json: seededJson(seed, of) });
    }
  }

  /** The row that the seed makes of the stored row, which may have changed since the preparation. */
  row(seed: Seed<'coils'>): string {
    const stored = this.#coils.stored(seed.entry.coilId)?.json ?? null;
    const prepared = this.#prepared.get(seed);
    this.#prepared.delete(seed);
    return prepared?.of === stored ? prepared.json : seededJson(seed, stored);
  }
}

function seededJson(seed: Seed<'coils'>, stored: string | null): string {
  // Only CoilRows writes it. A damaged row is replaced by the seed.
  return coilJson(seededCoil(seed, stored === null ? undefined : (readableJson(stored) as Coil | undefined)));
}

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
class TaskQueries {
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
