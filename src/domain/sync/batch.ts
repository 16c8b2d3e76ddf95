import type {
  CatchUp,
  CounterAnomaly,
  Downtime,
  PartSelection,
  ShiftRecord,
  Span,
  WorkSession,
} from '../machine/records.ts';
import type { QueuedOperation } from './operation.ts';
import type { StatusSample } from './status-sample.ts';

/**
 * The batch extension (contract.md, Upstream; D-27): one body of `POST /api/v1/sync`. The digest of a batch is the
 * SHA-256 of its body before compression, in hexadecimal. Each batch names the digest of the one before it, so that
 * both sides know that they have the same past. A batch whose answer was lost is sent again byte for byte and
 * recognised by its digest. A data directory that was restored or copied does not fit and has to begin its own stream.
 */
export const SYNC_VERSION = 1;

/** The beginning of the error with status 409 if a batch does not follow the one before: it names the field. */
export const NOT_FOLLOWING = 'previous: ';

export interface SyncBatch {
  readonly version: typeof SYNC_VERSION;
  readonly gatewayId: string;
  /** The id of one unbroken numbering of one data directory. */
  readonly stream: string;
  /** The id of the data directory and of every copy of it: totals of a newly made one are added to those before. */
  readonly directory?: string;
  /** The digest of the batch before; empty for the first of a stream. */
  readonly previous: string;
  readonly records: readonly BatchRecord[];
  readonly points: readonly PointSeries[];
}

/** A record with its number within the stream. Numbers rise, with gaps if records were thinned or renewed. */
export type BatchRecord = { readonly seq: number } & BatchFact;

/** Facts are absolute: a later fact with the same id replaces it. Times are corrected wall-clock milliseconds. */
export type BatchFact =
  | { readonly kind: 'act'; readonly queued: QueuedOperation }
  | { readonly kind: 'status'; readonly sample: StatusSample }
  | { readonly kind: 'shift'; readonly shift: ShiftRecord }
  | { readonly kind: 'downtime'; readonly downtime: Downtime }
  | { readonly kind: 'downtimeRemoved'; readonly downtimeId: string }
  | { readonly kind: 'span'; readonly span: Span }
  | { readonly kind: 'workSession'; readonly session: WorkSession }
  | { readonly kind: 'anomaly'; readonly anomaly: CounterAnomaly }
  /** A catch-up comes before the totals of its shift and work session. */
  | { readonly kind: 'catchUp'; readonly catchUp: CatchUp }
  | { readonly kind: 'part'; readonly machineId: string; readonly part: PartSelection | null; readonly at: number };

/** Points of one variable and one shift date as columns, in the order in which they were stored. */
export interface PointSeries {
  readonly machineId: string;
  readonly name: string;
  /** YYYY-MM-DD. */
  readonly shiftDate: string;
  readonly at: readonly number[];
  readonly value: readonly number[];
}

/** The answer of a central server to a batch, once all of it is on its disk. */
export interface BatchAnswer {
  /** The digest of the batch. */
  readonly position: string;
  /** Whether it had been applied before. */
  readonly isRepeated: boolean;
  /** Records that are not applied and never will be, with the reasons; all others are applied. */
  readonly refused: readonly { readonly seq: number; readonly reason: string }[];
}

/** The answer of `GET /api/v1/sync` about the extension. */
export interface SyncOffer {
  readonly version: number;
  readonly maxBatchBytes: number;
}
