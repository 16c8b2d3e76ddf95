import type { ServerKind } from '../../domain/sync/connection-states.ts';
import type { OperationRecord, QueuedOperation } from '../../domain/sync/operation.ts';
import type { OperationWords } from '../../domain/sync/operation-words.ts';
import type { StatusSample } from '../../domain/sync/status-sample.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';
import type { UpstreamQueries, UpstreamRecord } from './upstream-ports.ts';

/** Ports of forwarding to the central server to the store (UP-01 to UP-06). */

/** Records of forwarding. All are absolute or about existing rows: writing one twice changes nothing. */
export type SyncRecord =
  | OperationRecord
  | { readonly kind: 'statusSample'; readonly sample: StatusSample }
  /** The open batch is on the central server's disk; records that it refused are set aside. */
  | {
      readonly kind: 'batchAcknowledged';
      readonly digest: string;
      readonly refused: readonly { readonly seq: number; readonly reason: string }[];
      readonly at: number;
    }
  /**
   * The central server takes no batch of this size: smaller ones follow, and a record that is too large alone is set
   * aside. A small batch stays as it is.
   */
  | { readonly kind: 'batchTooLarge'; readonly digest: string; readonly reason: string; readonly at: number }
  /** The central server knows another past: the open batch is dropped, its rows go out again under a new stream. */
  | { readonly kind: 'streamRestarted'; readonly stream: string }
  /** Rows that the central server took one by one. */
  | { readonly kind: 'rowsSent'; readonly seqs: readonly number[] }
  | { readonly kind: 'rowSetAside'; readonly seq: number; readonly reason: string; readonly at: number }
  /** After an outage: of the statuses from before this time, only those that production needs are sent (D-26). */
  | { readonly kind: 'statusesCondensed'; readonly before: number }
  | { readonly kind: 'pointsSent'; readonly rows: readonly number[] }
  /** Points of past shift dates, which wait for a server with the batch extension (D-26). */
  | { readonly kind: 'pointsHeld'; readonly rows: readonly number[] }
  /** A row that was set aside goes back to the end of the queue, or is given up for good. */
  | { readonly kind: 'setAsideRetried'; readonly id: string }
  | { readonly kind: 'setAsideDiscarded'; readonly id: string };

/** All that forwarding writes. */
export type ForwardRecord = SyncRecord | UpstreamRecord;

/** A batch that is on disk and is sent unchanged until it is acknowledged, or refused for its size. */
export interface OutgoingBatch {
  readonly digest: string;
  /** gzip of a SyncBatch as JSON. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Records and points in it. */
  readonly records: number;
}

/** The oldest row of an entity. */
export interface QueueHead {
  readonly seq: number;
  readonly entity: string;
  /** When it happened, in wall-clock milliseconds as corrected since. */
  readonly at: number;
  readonly item:
    | { readonly kind: 'act'; readonly queued: QueuedOperation }
    | { readonly kind: 'status'; readonly sample: StatusSample };
}

/** Values of one machine at one moment. */
export interface PointsPost {
  /** The row that the values are in, which may have values of other machines too. */
  readonly row: number;
  readonly machineId: string;
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}

/** The oldest waiting rows of points: posts for `shiftDate`, and the older rows that have to be held. */
export interface PointsPage {
  readonly posts: readonly PointsPost[];
  readonly rows: readonly number[];
  readonly olderRows: readonly number[];
}

/** Known without counting rows. `held`: records that wait for a server with the batch extension, and are no part of the depth. */
export interface QueueTotals {
  readonly depth: number;
  readonly bytes: number;
  /** The time of the oldest waiting record, in wall-clock milliseconds; null if none waits. */
  readonly oldestAt: number | null;
  readonly held: { readonly depth: number; readonly bytes: number };
  /** Given up for want of room, since the data directory was made. */
  readonly thinned: { readonly points: number; readonly statuses: number; readonly facts: number };
  readonly setAside: number;
  /** The stream in whose name batches are sent (domain/sync/batch.ts); null before the first batch. */
  readonly stream: string | null;
}

export interface DeadLetter {
  readonly id: string;
  readonly entity: string;
  readonly reason: string;
  /** When it was set aside, in wall-clock milliseconds. */
  readonly at: number;
  /** When it was done, in wall-clock milliseconds. */
  readonly doneAt: number;
  /** Null for a status or a fact. */
  readonly operation: OperationWords | null;
}

export type { ServerKind };

export interface SyncQueries extends UpstreamQueries {
  /** Gives the open batch, or a new one of the waiting rows, or null if no row waits. Resolves when it is on disk. */
  outgoingBatch(): Promise<OutgoingBatch | null>;
  /** The oldest operation or status of each entity but `except`, oldest first. */
  queueHeads(except: readonly string[], limit: number): Promise<readonly QueueHead[]>;
  pointsPage(shiftDate: string, limit: number): Promise<PointsPage | null>;
  /** Whether a row of the entity waits. */
  isQueued(entity: string): Promise<boolean>;
  queueTotals(server: ServerKind): Promise<QueueTotals>;
  /** The newest rows that were set aside, newest first; with `after` the oldest ones behind that id, oldest first. */
  setAsideRows(limit: number, after?: number): Promise<readonly DeadLetter[]>;
  /** An array of waiting records in the order of their numbers, behind `after`, for people to read or to keep. */
  queueRows(after: number, limit: number): Promise<JsonText>;
}
