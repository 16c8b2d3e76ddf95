import type { StoreCore } from '../../../../../src/adapters/store/thread/store-core.ts';
import type { Coil } from '../../../../../src/domain/plant/plant.ts';
import { taskView } from '../../../../../src/domain/warehouse/task.ts';
import type {
  MachinePlace,
  MirrorChange,
  MirroredTable,
  ReadingScope,
} from '../../../../../src/flows/mirror/mirror-ports.ts';
import { coilOf, taskOf } from '../../../../domain/warehouse/warehouse-samples.ts';

const TAKE = 1_000;
export const MACHINES: readonly MachinePlace[] = [{ machineId: 'RF-01', location: 'RF-01' }];

export function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

export function coilsOf(count: number, overrides: Partial<Coil> = {}): readonly Coil[] {
  return Array.from({ length: count }, (_, index) => coilOf(`C-${String(index).padStart(6, '0')}`, overrides));
}

/** A task as a central server lists it. */
export function listedTask(overrides: Parameters<typeof taskOf>[0] = {}) {
  return taskView(taskOf(overrides));
}

/** Begins a reading and takes all pages of these records. */
export async function readAll(
  core: StoreCore,
  kind: MirroredTable,
  records: readonly unknown[],
  scope: ReadingScope = 'all',
): Promise<void> {
  const table = core.mirror.tables[kind];
  await table.begin(scope);
  for (let skip = 0; skip <= records.length; skip += TAKE) {
    const read = await table.page(bytesOf(records.slice(skip, skip + TAKE)), MACHINES);
    if (read.kind !== 'read') throw new Error(JSON.stringify(read));
  }
}

/** One whole reading, written. */
export async function mirrorAll(
  core: StoreCore,
  kind: MirroredTable,
  records: readonly unknown[],
): Promise<MirrorChange> {
  await readAll(core, kind, records);
  return core.mirror.tables[kind].apply(1_000, true);
}
