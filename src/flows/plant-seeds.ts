import { type Fault, invalidInput } from '../domain/error.ts';
import type { Coil } from '../domain/plant.ts';
import {
  MAX_RECORDS,
  type PlantContents,
  type PlantFile,
  type PlantKind,
  type PlantRecords,
} from '../domain/plant-entry.ts';
import { taskRecord } from '../domain/warehouse/task-view.ts';
import type { PlantDifference } from './plant-difference.ts';
import type { PlantPorts } from './plant-ports.ts';
import type { StoreRecord } from './ports.ts';
import { type SeedChange, WAREHOUSE_KINDS, WAREHOUSE_TARGETS, type WarehouseSeed } from './warehouse-ports.ts';

/** Few enough to be copied to the store thread, and looked up there, in a few milliseconds. */
const SEEDS_AT_ONCE = 500;

/** What becomes of coils and tasks: as the store says beforehand, and as it is told. */
export interface SeedPlan {
  readonly difference: PlantDifference;
  readonly records: readonly StoreRecord[];
}

export const NO_SEEDS: SeedPlan = { difference: [], records: [] };

/**
 * Coils and tasks as the plant file and people name them. They are in the store alone: it says what a seed would change,
 * and works that out anew when it is told, from the live state of that moment.
 */
export class PlantSeeds {
  readonly #store: PlantPorts['store'];
  readonly #finders: { readonly [Kind in PlantKind]?: (id: string) => Promise<PlantRecords[Kind] | undefined> };

  constructor(store: PlantPorts['store']) {
    this.#store = store;
    this.#finders = {
      coils: async (coilId) => (await store.coil(coilId)) ?? undefined,
      tasks: async (taskId) => {
        const task = await store.task(taskId);
        return task === null ? undefined : taskRecord(task);
      },
    };
  }

  /** The record in the store; undefined for any other kind. */
  async find<Kind extends PlantKind>(kind: Kind, id: string): Promise<PlantRecords[Kind] | undefined> {
    return this.#finders[kind]?.(id);
  }

  /** Coils and tasks that refer to a record, each as `task T-1`. */
  async referrersOf(kind: PlantKind, id: string, limit: number): Promise<readonly string[]> {
    const target = WAREHOUSE_TARGETS.find((name) => name === kind);
    return target === undefined ? [] : this.#store.warehouseReferrers(target, id, limit);
  }

  /** The coils of the store that these tasks name, and these records do not hold. */
  async coilsNamedBy({ coils, tasks }: PlantContents): Promise<readonly Coil[]> {
    const held = new Set(coils.map(({ coilId }) => coilId));
    const named = tasks.flatMap(({ selectedCoilId }) => selectedCoilId ?? []).filter((coilId) => !held.has(coilId));
    const found: Coil[] = [];
    for (const chunk of chunks([...new Set(named)])) found.push(...(await this.#store.coilsOf(chunk)));
    return found;
  }

  /** Rejects with `invalid-input` where there would be too many. */
  async plan({ coils, tasks }: PlantFile, mode: WarehouseSeed['mode']): Promise<SeedPlan> {
    const seeds: WarehouseSeed[] = [
      ...coils.map((entry) => ({ of: 'coils', entry, mode }) as const),
      ...tasks.map((entry) => ({ of: 'tasks', entry, mode }) as const),
    ];
    const planned: { readonly seed: WarehouseSeed; readonly change: SeedChange }[] = [];
    for (const chunk of chunks(seeds)) {
      const changes = await this.#store.seedChanges(chunk);
      for (const [place, seed] of chunk.entries()) {
        const change = changes[place] ?? null;
        if (change !== null) planned.push({ seed, change });
      }
    }
    await this.#refuseTooMany(planned.filter(({ change }) => change.change === 'create').map(({ seed }) => seed));
    return {
      difference: planned.map(({ seed, change }) => ({ kind: seed.of, id: idOf(seed), ...change })),
      records: planned.map(({ seed }) => ({ kind: 'warehouseSeed', seed })),
    };
  }

  async #refuseTooMany(created: readonly WarehouseSeed[]): Promise<void> {
    if (created.length === 0) return;
    const present = await this.#store.warehouseCounts();
    const faults = WAREHOUSE_KINDS.flatMap((kind): readonly Fault[] => {
      const count = present[kind] + created.filter(({ of }) => of === kind).length;
      if (count <= MAX_RECORDS[kind]) return [];
      return [{ path: kind, found: `${count} records`, expected: `at most ${MAX_RECORDS[kind]}` }];
    });
    if (faults.length > 0) throw invalidInput(faults);
  }
}

function idOf(seed: WarehouseSeed): string {
  return seed.of === 'coils' ? seed.entry.coilId : seed.entry.taskId;
}

function* chunks<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += SEEDS_AT_ONCE) yield items.slice(from, from + SEEDS_AT_ONCE);
}
