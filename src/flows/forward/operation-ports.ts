import type { QueuedOperation } from '../../domain/sync/operation.ts';

/** Queues an act for the central server, in the transaction of the act itself. */
export interface OperationRecord {
  readonly kind: 'act';
  readonly queued: QueuedOperation;
}
