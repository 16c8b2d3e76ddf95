import type { MachineId } from '../../domain/machine/machine-names.ts';
import type { Activity } from '../../domain/machine/records.ts';
import type { SettleQueries } from '../../flows/forward/settle-ports.ts';
import type { MirrorQueries } from '../../flows/mirror/mirror-ports.ts';
import type { ReceiveQueries } from '../../flows/receive/receive-ports.ts';
import type {
  ClockChange,
  PublicationReceipt,
  RetentionResult,
  StoredState,
  StoreQueries,
  StoreRecord,
  TimeRange,
} from '../../flows/store-ports.ts';
import type { StoreRefusal } from './store-open-error.ts';

/** The messages between the main thread and the store thread. */

export interface Retention {
  readonly variableDays: number;
  readonly statusDays: number;
  readonly productionDays: number;
  readonly auditDays: number;
}

/** The queue for the central server: its maximum size, and this gateway's name. */
export interface Forwarding {
  readonly maxBytes: number;
  readonly gatewayId: string;
  /** The central server's address, as `host` or `host:port`. */
  readonly server: string;
}

/** The start of a store thread. */
export interface StoreThreadData {
  readonly dataDir: string;
  /** The run of the gateway. Batches are numbered within a run, and a restarted thread continues the run. */
  readonly runId: string;
  readonly retention: Retention;
  /** Null: there is no central server, nothing is queued. */
  readonly forwarding: Forwarding | null;
  /** Series met so far in this run, by index. */
  readonly series: readonly SeriesName[];
  /** The thread before this one found the file damaged: look at all of it before trusting it. */
  readonly suspect: boolean;
  readonly pulse?: Int32Array<SharedArrayBuffer>;
}

export type SeriesName = readonly [machineId: string, name: string];

/** Points of a batch as columns, which are copied as a whole; objects would be cloned one by one. */
export interface PointColumns {
  readonly seriesFrom: number;
  /** Names of the series from index `seriesFrom` on, new since the batch before. */
  readonly newSeries: readonly SeriesName[];
  readonly series: Uint32Array;
  readonly at: Float64Array;
  readonly value: Float64Array;
  /** Shift dates as days since 1970. */
  readonly day: Int32Array;
}

/** The wall clock was corrected; its place among the records matters, so it travels with them. */
interface ClockCorrection extends ClockChange {
  readonly kind: 'clockCorrected';
}

/** A fact that waits to be stored. */
export type StoreFact = StoreRecord | ClockCorrection;

/** A record under way. A record of variables has only the number of its points, which stand in order in the batch. */
export type WireRecord =
  | Exclude<StoreFact, { kind: 'variables' }>
  | { readonly kind: 'points'; readonly count: number; readonly receipt: PublicationReceipt | null };

/** Records that are committed together; entries stand or fall each on its own. */
export interface Batch {
  readonly number: number;
  /** Wall-clock milliseconds since 1970 at which it was sent. */
  readonly at: number;
  readonly entries: readonly (readonly WireRecord[])[];
  readonly points: PointColumns;
}

export interface PointAnswer {
  readonly at: Float64Array<ArrayBuffer>;
  readonly value: Float64Array<ArrayBuffer>;
  readonly truncated: boolean;
}

/** Questions behind methods of the store that do more than ask. */
interface OwnQuestions {
  variableColumns(...args: Parameters<StoreQueries['variablePoints']>): Promise<PointAnswer>;
  activityMs(machineId: MachineId, range: TimeRange): Promise<Readonly<Record<Activity, number>>>;
  copyInto(file: string): Promise<void>;
  deleteOld(nowWallMs: number, uptimeMs: number): Promise<RetentionResult>;
}

type FlowQuestions = Omit<StoreQueries, 'variablePoints' | 'activityTotals'>;

/** Every question to the store thread, with its arguments and its answer. */
export interface StoreQuestions extends FlowQuestions, ReceiveQueries, MirrorQueries, SettleQueries, OwnQuestions {}

export type QuestionName = keyof StoreQuestions;
export type Answered<Name extends QuestionName> = Awaited<ReturnType<StoreQuestions[Name]>>;

export type ToThread =
  /** The first message, which comes once. */
  | { readonly kind: 'open'; readonly data: StoreThreadData }
  /**
   * Records of the entry with this index in the next batch. There are too many to go at once, so the entry is empty
   * there.
   */
  | { readonly kind: 'part'; readonly entry: number; readonly records: readonly WireRecord[] }
  | { readonly kind: 'batch'; readonly batch: Batch }
  | { readonly kind: 'ask'; readonly id: number; readonly question: QuestionName; readonly args: readonly unknown[] }
  | { readonly kind: 'close' }
  | { readonly kind: 'stall'; readonly forMs: number }
  | { readonly kind: 'crash' }
  | { readonly kind: 'limitPages'; readonly pages: number };

/** An entry that can never be stored, with the reason. The other entries of its batch are stored. */
export interface EntryRefusal {
  readonly entry: number;
  readonly reason: string;
}

export interface StoreStatistics {
  readonly commits: number;
  readonly databaseBytes: number;
  readonly walBytes: number;
  /** The duration of the newest commit; null before the first. */
  readonly commitMs: number | null;
}

export type FromThread =
  | {
      readonly kind: 'opened';
      readonly appliedNumber: number;
      readonly restored: StoredState;
    }
  | { readonly kind: 'notOpened'; readonly refusal: StoreRefusal; readonly message: string }
  | { readonly kind: 'applied'; readonly number: number; readonly refusals: readonly EntryRefusal[] }
  | { readonly kind: 'fault'; readonly state: 'full' | 'failing'; readonly detail: string; readonly corrupt: boolean }
  | { readonly kind: 'recovered' }
  | { readonly kind: 'statistics'; readonly statistics: StoreStatistics }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  /** `isPassing`: the disk or the memory failed, so the same question may be answered later. */
  | { readonly kind: 'unanswered'; readonly id: number; readonly message: string; readonly isPassing: boolean };
