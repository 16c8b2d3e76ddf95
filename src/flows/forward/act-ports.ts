import type { QueuedAct } from '../../domain/sync/act.ts';

/** Queues an act for the central server, in the transaction of what it did. */
export interface ActRecord {
  readonly kind: 'act';
  readonly queued: QueuedAct;
}
