import type { LiveChange } from '../local-api/local-api-ports.ts';
import type { MirroredTable } from '../mirror/mirror-ports.ts';
import type { Log } from '../ports.ts';
import type { LateWriteView, WarehouseQueries } from './warehouse-ports.ts';

export interface WarehouseChangesOptions {
  readonly store: Pick<WarehouseQueries, 'task' | 'coil'>;
  readonly log: Log;
}

/** Announces changed tasks and coils with their stored records (contract.md, `/events`). */
export class WarehouseChanges {
  readonly #options: WarehouseChangesOptions;
  readonly #listeners: ((change: LiveChange) => void)[] = [];

  constructor(options: WarehouseChangesOptions) {
    this.#options = options;
  }

  onChange(listener: (change: LiveChange) => void): void {
    this.#listeners.push(listener);
  }

  taskChanged(taskId: string): void {
    this.#tell(async () => {
      const task = await this.#options.store.task(taskId);
      if (task === null) return mirroredEvent('tasks', 1);
      const { lastOperation, ...record } = task;
      return { event: 'task', key: taskId, record };
    });
  }

  coilChanged(coilId: string): void {
    this.#tell(async () => {
      const record = await this.#options.store.coil(coilId);
      return record === null ? mirroredEvent('coils', 1) : { event: 'coil', key: coilId, record };
    });
  }

  /** Announces a write whose request was answered without the outcome, then its outcome. */
  lateWrite(view: LateWriteView): void {
    this.#tell(async () => ({ event: 'lateWrite', key: view.coilId, record: view }));
  }

  /** Announces records that the central server changed or removed: each one that `changed` names, and the number if there are more. */
  mirrored(kind: MirroredTable, changed: readonly string[], changes: number): void {
    for (const id of changed) {
      if (kind === 'tasks') this.taskChanged(id);
      else this.coilChanged(id);
    }
    if (changes > changed.length) this.#tell(async () => mirroredEvent(kind, changes));
  }

  /** A change that cannot be read is still on disk: a watching client sees it at its next request. */
  #tell(read: () => Promise<LiveChange>): void {
    const told = read().then((change) => {
      for (const listener of this.#listeners) listener(change);
    });
    told.catch((error: unknown) => this.#options.log.warn({ error: String(error) }, 'a change was not announced'));
  }
}

/** Records that are gone, or too many for an event each: a list of them has to be loaded again. */
function mirroredEvent(mirrored: MirroredTable, changes: number): LiveChange {
  return { event: 'sync', key: mirrored, record: { mirrored, changes } };
}
