import type { Coil, Task } from '../../domain/plant/plant.ts';
import type { PlantEntries } from '../../domain/plant/plant-entry.ts';
import type { RequestReceipt } from '../../domain/request-receipt.ts';
import type { OperationRecord } from '../../domain/sync/operation.ts';
import type { OperationReceipt } from '../../domain/sync/operation-receipt.ts';
import type { AgentRefusal } from '../../domain/warehouse/refusals.ts';
import type { TaskProgress, WarehouseTask } from '../../domain/warehouse/task.ts';

/** The warehouse flows' ports to the store (interface.md, Warehouse tasks, Coils). */

/**
 * JSON that was made in the store thread and is sent unchanged: lists may be megabytes, and the main thread does not
 * touch them.
 */
export interface JsonText {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** TASK-02. Times are milliseconds since 1970, bounds inclusive; null if not set. */
export interface TaskFilter {
  /** Machines with the warehouse licence: tasks of other machines are not listed (TASK-03). */
  readonly machineIds: readonly string[];
  readonly onlyIncomplete: boolean;
  readonly taskState: Task['taskState'] | null;
  readonly taskType: Task['taskType'] | null;
  readonly destinationLocation: string | null;
  readonly requiredAfter: number | null;
  readonly requiredBefore: number | null;
  readonly skip: number;
  readonly take: number;
}

/** COIL-02. */
export interface CoilFilter {
  readonly materialCode: string | null;
  readonly location: string | null;
  readonly includeComplete: boolean;
  readonly skip: number;
  readonly take: number;
}

/** The fields to sort by; `-field` sorts backwards (D-19). */
export const COIL_SORT_FIELDS = [
  'coilId',
  'materialCode',
  'materialType',
  'color',
  'gauge',
  'widthIn',
  'lengthRemainingFt',
  'currentWeightLbs',
  'location',
  'dateIn',
] as const satisfies readonly (keyof Coil)[];

/** COIL-05, D-19. */
export interface CoilSearch extends CoilFilter {
  /** Words that all have to occur, each at the beginning of a word of id, codes, description, material type, color, vendor, heat or purchase order. */
  readonly q: string | null;
  readonly materialType: string | null;
  readonly color: string | null;
  readonly gauge: number | null;
  readonly widthIn: number | null;
  readonly minimumLengthFt: number | null;
  readonly sort: { readonly field: (typeof COIL_SORT_FIELDS)[number]; readonly descending: boolean };
}

export type { TaskProgress, WarehouseTask };

/**
 * A write to the legacy system that has begun (D-16): on disk before the agent is asked, gone with the commit that
 * holds its outcome. `purpose` is the new state of the gateway once the agent has the write.
 */
export interface LegacyWrite {
  readonly operationId: string;
  readonly coilId: string;
  readonly location: string;
  /** The location of the coil in our own record when the write began. */
  readonly previousLocation: string;
  readonly startedAt: number;
  readonly principal: string;
  readonly purpose:
    | { readonly type: 'move' }
    | {
        readonly type: 'complete' | 'cancel';
        readonly taskId: string;
        readonly progress: TaskProgress;
        /** The task's operator when the write began. */
        readonly operatorBefore: string | null;
      };
  /** The receipt of the request that began it, if the request had a key. */
  readonly receipt?: RequestReceipt | null;
}

/**
 * A write whose request was answered before its outcome was known (D-16): on its way while the outcome is unknown. Then
 * the legacy system has it, refused it, or never did it.
 */
export interface LateWriteView {
  readonly coilId: string;
  readonly location: string;
  /** The task that it completes or cancels; null for a move. */
  readonly taskId: string | null;
  readonly principal: string;
  readonly requestedAt: string;
  readonly outcome: 'unknown' | 'applied' | 'rejected' | 'undone';
}

/** Facts about the warehouse. Transitions and seeds write different fields, so neither undoes the other. */
export type WarehouseRecord =
  | { readonly kind: 'taskProgress'; readonly taskId: string; readonly progress: TaskProgress }
  | { readonly kind: 'coilLocation'; readonly coilId: string; readonly location: string }
  | { readonly kind: 'legacyWrite'; readonly write: LegacyWrite }
  | { readonly kind: 'legacyWriteSettled'; readonly operationId: string };

/** The kinds of plant records that are only in the store, because there are too many of them for memory. */
export const WAREHOUSE_KINDS = ['coils', 'tasks'] as const;
export type WarehouseKind = (typeof WAREHOUSE_KINDS)[number];

/**
 * A coil or task as the plant file or a person enters it. It adds a record, or changes the entered fields of an
 * existing one, but never its live state. With `merge` a field that the entry leaves out stays; with `replace` it takes
 * its default.
 */
export interface Seed<Kind extends WarehouseKind> {
  readonly of: Kind;
  readonly entry: PlantEntries[Kind];
  readonly mode: 'merge' | 'replace';
}

export type WarehouseSeed = Seed<'coils'> | Seed<'tasks'>;

/** The plant's records of its coils and tasks. */
export type WarehousePlantRecord =
  | { readonly kind: 'warehouseSeed'; readonly seed: WarehouseSeed }
  | { readonly kind: 'warehouseRemoval'; readonly of: WarehouseKind; readonly id: string };

/** The change that a seed would make. */
export interface SeedChange {
  readonly change: 'create' | 'update';
  readonly fields: readonly string[];
}

/** The kinds of records that a task or coil may refer to. */
export const WAREHOUSE_TARGETS = ['machines', 'locations', 'reasonCodes', 'coils'] as const;
export type WarehouseTarget = (typeof WAREHOUSE_TARGETS)[number];

/** The plant's questions about its coils and tasks. */
export interface WarehousePlantQueries {
  /** The change that each seed would make; null without a change. */
  seedChanges(seeds: readonly WarehouseSeed[]): Promise<readonly (SeedChange | null)[]>;
  warehouseCounts(): Promise<Readonly<Record<WarehouseKind, number>>>;
  /** The coils of these ids; unknown ids are left out. */
  coilsOf(coilIds: readonly string[]): Promise<readonly Coil[]>;
  /** The ids of coils and tasks that are this one in any case of its letters (D-61). */
  idsInAnyCase(id: string, limit: number): Promise<readonly string[]>;
  /** The records that refer to this one, each as `task T-1`. */
  warehouseReferrers(target: WarehouseTarget, id: string, limit: number): Promise<readonly string[]>;
  /** An array of records in the form of the plant file, in the order of their ids, behind `after`. */
  warehouseRecords(of: WarehouseKind, after: string, limit: number): Promise<JsonText>;
}

/** Questions about the warehouse; an answer contains everything that was written before the question. */
export interface WarehouseQueries {
  task(taskId: string): Promise<WarehouseTask | null>;
  coil(coilId: string): Promise<Coil | null>;
  /** An array of Task (interface.md), by requiredDate, then taskId. */
  taskList(filter: TaskFilter): Promise<JsonText>;
  /** An array of Coil, by coilId. */
  coilList(filter: CoilFilter): Promise<JsonText>;
  /** `{total, skip, take, items}` (D-19); equal ones by coilId. */
  coilSearch(search: CoilSearch): Promise<JsonText>;
  /** Writes that a stop of the gateway left unsettled, oldest first. */
  openLegacyWrites(): Promise<readonly LegacyWrite[]>;
}

/** The store as the warehouse's operations use it. */
export interface WarehouseStore extends Pick<WarehouseQueries, 'task' | 'coil'> {
  /** Resolves once the records are synced to disk, all in one commit; rejects with a CodedError. */
  write(records: readonly (WarehouseRecord | OperationReceipt | OperationRecord | RequestReceipt)[]): Promise<void>;
}

/** An operation of another gateway, which has the legacy system's agreement if a coil moved. */
export interface AdoptedOperation {
  /** The owner of the key or session that did it there. */
  readonly principal: string;
  /** The time in wall-clock milliseconds. */
  readonly at: number;
  /** Goes into the commit of the operation here. */
  readonly receipt: OperationReceipt;
}

/** The outcome of a write to the legacy system. Only `applied` and `rejected` come from the agent. */
export type LegacyOutcome =
  | { readonly kind: 'applied' }
  | ({ readonly kind: 'rejected' } & AgentRefusal)
  /** Not one byte was sent, or the agent itself says that it could not act: the write certainly had no effect. */
  | { readonly kind: 'offline'; readonly detail: string }
  /** The agent answered that it failed: it does not work on it any more, but may have applied it before. */
  | { readonly kind: 'failed'; readonly detail: string }
  /** It may have been applied, or may still be. */
  | { readonly kind: 'unconfirmed'; readonly detail: string };

/** The location of a coil in the legacy system, or, if that system knows tasks too, the state of the write. */
export type LegacyLocation =
  | { readonly kind: 'at'; readonly location: string }
  /** It knows no such coil. */
  | { readonly kind: 'absent' }
  /** The write's task has become what the write was to make of it, and its coil is at the place. */
  | { readonly kind: 'carriedOut' }
  /** The write's task or its coil shows no effect of the write. */
  | { readonly kind: 'notSeen' }
  | { readonly kind: 'unreachable'; readonly detail: string };

/** The fields of a write that an agent may need. */
export type LegacyRequest = Pick<LegacyWrite, 'operationId' | 'coilId' | 'location' | 'principal' | 'purpose'>;

/**
 * The component that writes to the legacy system (contract.md, Legacy agent). Neither call rejects, and each ends
 * within its own time limit. No request is sent twice unless the caller calls twice.
 */
export interface LegacyAgent {
  move(write: LegacyRequest): Promise<LegacyOutcome>;
  /** `write` is the write for which it is asked. */
  locate(coilId: string, write: LegacyRequest): Promise<LegacyLocation>;
  /** Ends all writes under way; those that were sent count as unconfirmed. */
  close(): Promise<void>;
}
