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
 * The batch extension (contract.md, Upstream; D-27): one body of `POST /api/v1/sync`. The digest of a batch is the SHA-256
 * of its body before compression, in hexadecimal. Each batch names the digest of the one before it, so that both sides
 * know that they speak of the same past: a batch whose answer was lost is sent again byte for byte and known by its digest,
 * and a data directory that was restored or copied does not fit and has to begin a stream of its own.
 */
export const SYNC_VERSION = 1;

export interface SyncBatch {
  readonly version: typeof SYNC_VERSION;
  readonly gatewayId: string;
  /** Names one unbroken numbering of one data directory. */
  readonly stream: string;
  /** Names the data directory, and every copy of it: totals of one that was made anew come on top of those before. */
  readonly directory?: string;
  /** The digest of the batch before; empty for the first of a stream. */
  readonly previous: string;
  readonly records: readonly BatchRecord[];
  readonly points: readonly PointSeries[];
}

/** A record with its number within the stream. Numbers rise; there may be gaps, where records were thinned or renewed. */
export type BatchRecord = { readonly seq: number } & BatchFact;

/** Facts are absolute: a later one of the same id replaces it. Times are wall-clock milliseconds, as corrected since. */
export type BatchFact =
  | { readonly kind: 'act'; readonly queued: QueuedOperation }
  | { readonly kind: 'status'; readonly sample: StatusSample }
  | { readonly kind: 'shift'; readonly shift: ShiftRecord }
  | { readonly kind: 'downtime'; readonly downtime: Downtime }
  | { readonly kind: 'downtimeRemoved'; readonly downtimeId: string }
  | { readonly kind: 'span'; readonly span: Span }
  | { readonly kind: 'workSession'; readonly session: WorkSession }
  | { readonly kind: 'anomaly'; readonly anomaly: CounterAnomaly }
  /** It comes before the totals of its shift and work session that it speaks of. */
  | { readonly kind: 'catchUp'; readonly catchUp: CatchUp }
  | { readonly kind: 'part'; readonly machineId: string; readonly part: PartSelection | null; readonly at: number };

/** Points of one variable of one shift date, in the order they were stored, as columns. */
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
  /** It had been applied before. */
  readonly isRepeated: boolean;
  /** Records that are not applied and never will be, and why; all others are. */
  readonly refused: readonly { readonly seq: number; readonly reason: string }[];
}

/** The answer of `GET /api/v1/sync` about the extension. */
export interface SyncOffer {
  readonly version: number;
  readonly maxBatchBytes: number;
}
