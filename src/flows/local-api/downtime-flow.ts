import { invalidInput, noSuch } from '../../domain/error.ts';
import {
  categorizeDowntimes,
  type DowntimeCategory,
  type DowntimeEdit,
  mergeDowntimes,
  splitDowntime,
} from '../../domain/machine/downtime/downtime-edits.ts';
import type { MachineEffect } from '../../domain/machine/machine-effect.ts';
import type { Downtime } from '../../domain/machine/records.ts';
import { WorkQueue } from '../../domain/work-queue.ts';
import type { MachineRegistry } from '../device/machine-registry.ts';
import type { Plant } from '../plant/plant.ts';

import type { Clock } from '../ports.ts';
import type { Store, StoreRecord } from '../store-ports.ts';

export interface DowntimeFlowOptions {
  readonly registry: MachineRegistry;
  readonly plant: Pick<Plant, 'downtimeReasons'>;
  readonly store: Pick<Store, 'write' | 'record' | 'synced' | 'downtime' | 'downtimes'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

type Edit = (downtimes: readonly Downtime[]) => DowntimeEdit | Promise<DowntimeEdit>;

/** People categorize, split and merge downtimes (D-07). The change is on disk before machines and pages learn of it. */
export class DowntimeFlow {
  readonly #options: DowntimeFlowOptions;
  /** Edits are made one after the other, so that each starts from the result of the one before. */
  readonly #edits = new WorkQueue();
  /** The downtimes of the present edit. */
  #inEdit: readonly string[] = [];
  /** Their ends that machines reported and the edit does not have yet. Null: the downtime lasts again. */
  readonly #changedEnds = new Map<string, number | null>();

  constructor(options: DowntimeFlowOptions) {
    this.#options = options;
    options.registry.onChange((_, effects) => this.#noteEnds(effects));
  }

  /** Gives downtimes a category. Rejects with `not-found` or `invalid-input`; then none is changed. */
  categorize(downtimeIds: readonly string[], category: DowntimeCategory): Promise<readonly Downtime[]> {
    const reasons = new Set(this.#options.plant.downtimeReasons().map(({ id }) => id));
    return this.#edit(downtimeIds, (downtimes) => categorizeDowntimes(downtimes, category, reasons));
  }

  /** Cuts a downtime in two at `at` (wall-clock milliseconds). */
  split(downtimeId: string, at: number): Promise<readonly Downtime[]> {
    const { clock, newId } = this.#options;
    return this.#edit([downtimeId], ([downtime]) => {
      if (downtime === undefined) throw noSuch('downtime', downtimeId);
      return splitDowntime(downtime, at, newId(), Math.round(clock.now().wallMs));
    });
  }

  /** Makes one of several downtimes of one machine. */
  merge(downtimeIds: readonly string[]): Promise<readonly Downtime[]> {
    return this.#edit(downtimeIds, async (downtimes) => mergeDowntimes(downtimes, await this.#before(downtimes)));
  }

  #edit(downtimeIds: readonly string[], edit: Edit): Promise<readonly Downtime[]> {
    return this.#edits.run(() => this.#editNow(downtimeIds, edit));
  }

  async #editNow(downtimeIds: readonly string[], edit: Edit): Promise<readonly Downtime[]> {
    this.#inEdit = downtimeIds;
    this.#changedEnds.clear();
    const downtimes = await Promise.all(downtimeIds.map((downtimeId) => this.find(downtimeId)));
    const edited = await edit(downtimes);
    if (!edited.ok) throw invalidInput(edited.faults);
    return this.#commit(edited.downtimes, edited.removedIds);
  }

  /**
   * A machine that runs or stops during the commit writes its downtime without the edit, so the edit is recorded again
   * behind it. The edit is made by then: if the disk fails now, it is not refused, and the record waits for the disk.
   */
  async #commit(edited: readonly Downtime[], removedIds: readonly string[]): Promise<readonly Downtime[]> {
    const { store } = this.#options;
    const written = this.#takeChangedEnds(edited);
    await store.write(recordsOf(written, removedIds));
    const isOverwritten = this.#changedEnds.size > 0;
    const latest = this.#takeChangedEnds(written);
    if (isOverwritten) store.record(recordsOf(latest, removedIds));
    this.#tellMachines(latest, removedIds);
    if (isOverwritten) await Promise.allSettled([store.synced()]);
    return latest;
  }

  /** Gives the downtimes with the ends that machines reported since the last call. */
  #takeChangedEnds(downtimes: readonly Downtime[]): readonly Downtime[] {
    const latest = downtimes.map((downtime) => {
      const endedAt = this.#changedEnds.get(downtime.downtimeId);
      return endedAt === undefined ? downtime : { ...downtime, endedAt };
    });
    this.#changedEnds.clear();
    return latest;
  }

  #noteEnds(effects: readonly MachineEffect[]): void {
    for (const effect of effects) {
      if (effect.type !== 'downtime') continue;
      const { downtimeId, endedAt } = effect.downtime;
      if (this.#inEdit.includes(downtimeId)) this.#changedEnds.set(downtimeId, endedAt);
    }
  }

  /** Reads the same number of the machine's downtimes, from the last of these backwards. Others may lie between them. */
  async #before(downtimes: readonly Downtime[]): Promise<readonly Downtime[]> {
    const [last] = downtimes.toSorted((one, other) => other.startedAt - one.startedAt);
    if (last === undefined) return [];
    const filter = { uncategorizedOnly: false, limit: downtimes.length, behind: last };
    return this.#options.store.downtimes(last.machineId, filter);
  }

  /** The present downtime. The machine's memory may be newer than the disk. Rejects with `not-found`. */
  async find(downtimeId: string): Promise<Downtime> {
    const stored = await this.#options.store.downtime(downtimeId);
    if (stored === null) throw noSuch('downtime', downtimeId);
    const latest = this.#options.registry.get(stored.machineId)?.state.downtime;
    return latest?.downtimeId === downtimeId ? latest : stored;
  }

  #tellMachines(downtimes: readonly Downtime[], removedIds: readonly string[]): void {
    const { registry, clock } = this.#options;
    for (const machineId of new Set(downtimes.map((downtime) => downtime.machineId))) {
      const input = { type: 'downtimesChanged', downtimes, removedIds } as const;
      const live = registry.get(machineId);
      if (live === undefined) registry.applyWhenBack(machineId, input);
      else registry.apply(live, input, clock.now(), 'all');
    }
  }
}

function recordsOf(downtimes: readonly Downtime[], removedIds: readonly string[]): readonly StoreRecord[] {
  return [
    ...downtimes.map((downtime) => ({ kind: 'downtime', downtime }) as const),
    ...removedIds.map((downtimeId) => ({ kind: 'downtimeRemoved', downtimeId }) as const),
  ];
}
