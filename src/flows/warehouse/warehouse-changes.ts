import type { LiveChange } from '../local-api/local-api-ports.ts';
import type { MirroredTable } from '../mirror/mirror-ports.ts';
import type { Log } from '../ports.ts';
import type { WarehouseQueries } from './warehouse-ports.ts';

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
      if (task === null) return null;
      const { lastOperation, ...record } = task;
      return { event: 'task', key: taskId, record };
    });
  }

  coilChanged(coilId: string): void {
    this.#tell(async () => {
      const record = await this.#options.store.coil(coilId);
      return record === null ? null : { event: 'coil', key: coilId, record };
    });
  }

  /** Announces records that the central server changed: each one, or only their number when `changed` does not name them all. */
  mirrored(kind: MirroredTable, changed: readonly string[], changes: number): void {
    for (const id of changed) {
      if (kind === 'tasks') this.taskChanged(id);
      else this.coilChanged(id);
    }
    if (changes > changed.length)
      this.#tell(async () => ({ event: 'sync', key: kind, record: { mirrored: kind, changes } }));
  }

  /** A change that cannot be read is still on disk: a watching client sees it at its next request. */
  #tell(read: () => Promise<LiveChange | null>): void {
    const told = read().then((change) => {
      if (change !== null) for (const listener of this.#listeners) listener(change);
    });
    told.catch((error: unknown) => this.#options.log.warn({ error: String(error) }, 'a change was not announced'));
  }
}
