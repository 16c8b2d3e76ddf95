import type { Operation } from '../../domain/sync/operation.ts';
import type { Clock } from '../ports.ts';
import type { OperationRecord } from './operation-ports.ts';

/** When an operation was done, in wall-clock milliseconds, and what its repetitions are known by. */
export interface KnownOperation {
  readonly at?: number;
  readonly operationId?: string;
}

/** Tells the central server what people and API clients did here (UP-01). */
export interface OperationQueue {
  /**
   * The records to commit together with the operation itself; none without a central server.
   * `known`: what is known of the operation already; both systems then date it alike.
   */
  recordsOf(operation: Operation, principal: string, known?: KnownOperation): readonly OperationRecord[];
}

/** Without a central server, or where the operation goes to it synchronously (UP-04). */
export const NO_OPERATIONS: OperationQueue = { recordsOf: () => [] };

export interface OperationQueueOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** Called when something is about to be queued. */
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
