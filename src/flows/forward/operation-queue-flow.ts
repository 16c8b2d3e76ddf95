import type { Operation, OperationRecord } from '../../domain/sync/operation.ts';
import type { Clock } from '../ports.ts';

/** The time of an operation, in wall-clock milliseconds, and the id by which its repetitions are recognised. */
export interface KnownOperation {
  readonly at?: number;
  readonly operationId?: string;
}

/** Queues the operations of people and API clients for the central server (UP-01). */
export interface OperationQueue {
  /**
   * The records to commit together with the operation itself; none without a central server. `known` is the known time
   * and id of the operation, so that both systems have the same date.
   */
  recordsOf(operation: Operation, principal: string, known?: KnownOperation): readonly OperationRecord[];
}

/** For gateways without a central server, or if the operation goes to it synchronously (UP-04). */
export const NO_OPERATIONS: OperationQueue = { recordsOf: () => [] };

export interface OperationQueueOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** Called when a record is about to be queued. */
  readonly onQueued: () => void;
}

export class OperationQueueFlow implements OperationQueue {
  readonly #options: OperationQueueOptions;

  constructor(options: OperationQueueOptions) {
    this.#options = options;
  }

  recordsOf(operation: Operation, principal: string, known: KnownOperation = {}): readonly OperationRecord[] {
    const { clock, newId, onQueued } = this.#options;
    const { at = clock.now().wallMs, operationId = newId() } = known;
    onQueued();
    return [{ kind: 'act', queued: { operationId, at: Math.round(at), principal, act: operation } }];
  }
}
