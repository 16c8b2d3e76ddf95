import { type Fault, invalidInput } from '../../domain/error.ts';
import type { Coil } from '../../domain/plant/plant.ts';
import {
  MAX_RECORDS,
  type PlantContents,
  type PlantFile,
  type PlantKind,
  type PlantRecords,
} from '../../domain/plant/plant-entry.ts';
import { visit } from '../../domain/sliced-work.ts';
import { taskRecord } from '../../domain/warehouse/task.ts';
import { inSlices } from '../../runtime/slice.ts';
import type { StoreRecord } from '../store-ports.ts';
import {
  WAREHOUSE_KINDS,
  WAREHOUSE_TARGETS,
  type WarehouseKind,
  type WarehouseSeed,
} from '../warehouse/warehouse-ports.ts';
import type { PlantDifference } from './plant-difference.ts';
import type { PlantPorts, RecordDifference } from './plant-ports.ts';

/** Few enough to be copied to the store thread, and looked up there, in a few milliseconds. */
const SEEDS_AT_ONCE = 500;

/** The changes of coils and tasks: the differences that the store predicts, and the records that carry them out. */
export interface SeedPlan {
  readonly difference: PlantDifference;
  readonly records: readonly StoreRecord[];
}

/** A plan that is being made. */
interface OpenPlan {
  readonly difference: RecordDifference[];
  readonly records: StoreRecord[];
  readonly created: Record<WarehouseKind, number>;
}

export const NO_SEEDS: SeedPlan = { difference: [], records: [] };

/**
 * Coils and tasks of the plant file and of people. They are only in the store: it predicts the changes of a seed, and
 * computes them again when the change is carried out, from the live state of that moment.
 */
export class PlantSeeds {
  readonly #ports: Pick<PlantPorts, 'store'>;
  readonly #finders: { readonly [Kind in PlantKind]?: (id: string) => Promise<PlantRecords[Kind] | undefined> };

  constructor(ports: Pick<PlantPorts, 'store'>) {
    const { store } = ports;
    this.#ports = ports;
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
    return target === undefined ? [] : this.#ports.store.warehouseReferrers(target, id, limit);
  }

  /** The coils of the store that these tasks name and that are not among these records. */
  async coilsNamedBy({ coils, tasks }: PlantContents): Promise<readonly Coil[]> {
    const named = new Set<string>();
    await this.#visit(tasks, ({ selectedCoilId }) => selectedCoilId !== null && named.add(selectedCoilId));
    if (named.size === 0) return [];
    await this.#visit(coils, ({ coilId }) => named.delete(coilId));
    const found: Coil[] = [];
    for (const chunk of chunks([...named])) found.push(...(await this.#ports.store.coilsOf(chunk)));
    return found;
  }

  /** Rejects with `invalid-input` if there would be too many. */
  async plan({ coils, tasks }: PlantFile, mode: WarehouseSeed['mode']): Promise<SeedPlan> {
    const plan: OpenPlan = { difference: [], records: [], created: { coils: 0, tasks: 0 } };
    for (const chunk of chunks(coils)) {
      await this.#addTo(
        plan,
        chunk.map((entry) => ({ of: 'coils', entry, mode })),
      );
    }
    for (const chunk of chunks(tasks)) {
      await this.#addTo(
        plan,
        chunk.map((entry) => ({ of: 'tasks', entry, mode })),
      );
    }
    await this.#refuseTooMany(plan.created);
    return plan;
  }

  async #addTo({ difference, records, created }: OpenPlan, seeds: readonly WarehouseSeed[]): Promise<void> {
    const changes = await this.#ports.store.seedChanges(seeds);
    for (const [place, seed] of seeds.entries()) {
      const change = changes[place] ?? null;
      if (change === null) continue;
      difference.push({ kind: seed.of, id: idOf(seed), ...change });
      records.push({ kind: 'warehouseSeed', seed });
      if (change.change === 'create') created[seed.of] += 1;
    }
  }

  #visit<Item>(items: readonly Item[], act: (item: Item) => void): Promise<void> {
    return inSlices(visit(items, act));
  }

  async #refuseTooMany(created: OpenPlan['created']): Promise<void> {
    if (created.coils + created.tasks === 0) return;
    const present = await this.#ports.store.warehouseCounts();
    const faults = WAREHOUSE_KINDS.flatMap((kind): readonly Fault[] => {
      const count = present[kind] + created[kind];
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
