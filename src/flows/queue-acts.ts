import type { Act } from '../domain/sync/act.ts';
import type { ActRecord } from './act-ports.ts';
import type { Clock } from './ports.ts';

/** Tells the central server what people and API clients did here (UP-01). */
export interface ActQueue {
  /**
   * What goes into the commit of the act itself, so that neither is without the other; nothing without a central server.
   * `operationId`: where the act has one already.
   */
  recordsOf(act: Act, principal: string, operationId?: string): readonly ActRecord[];
}

/** Without a central server, or where the act goes to it synchronously (UP-04). */
export const NO_ACTS: ActQueue = { recordsOf: () => [] };

export interface ActQueueOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** Called when something is about to be queued. */
  readonly onQueued: () => void;
}

export class ActQueueFlow implements ActQueue {
  readonly #options: ActQueueOptions;

  constructor(options: ActQueueOptions) {
    this.#options = options;
  }

  recordsOf(act: Act, principal: string, operationId = this.#options.newId()): readonly ActRecord[] {
    const { clock, onQueued } = this.#options;
    onQueued();
    return [{ kind: 'act', queued: { operationId, at: Math.round(clock.now().wallMs), principal, act } }];
  }
}
