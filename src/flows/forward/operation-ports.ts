import type { QueuedOperation } from '../../domain/sync/operation.ts';

/** Queues an operation for the central server, in the transaction of the operation itself. */
export interface OperationRecord {
  readonly kind: 'act';
  readonly queued: QueuedOperation;
}
